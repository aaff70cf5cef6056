#include "lift/lift.h"

#include <stdlib.h>
#include <string.h>

#include "lift/reader.h"
#include "lower/calls.h"

enum { MAX_KERNELS = 64 };
enum { KNOWN_MAJOR = 9, KNOWN_MINOR = 4 }; /* the newest PTX ISA whose words are known */

/* ---- the entry ---- */

static bool is_entry(const struct ptx_statement *s) {
    if (s->kind != PTX_FUNCTION || s->function->prototype) return false;
    for (int k = 0; k < s->function->nwords; k++)
        if (ptx_is_word(&s->function->words[k], "entry")) return true;
    return false;
}

static bool is_called(const struct ptx_statement *s, const char *name) {
    return !name || strcmp(s->function->name, name) == 0;
}

/* Returns the name that may be meant by `kernel`: a similar one, or the PTX name of a C++ kernel of this
 * name; NULL: none. */
static const char *find_meant(struct lift_reader *r, const char *kernel, const char *const *names, size_t n) {
    const char *cpp = arena_printf(r->arena, "%zu%s", strlen(kernel), kernel);
    for (size_t k = 0; k < n; k++)
        if (strncmp(names[k], "_Z", 2) == 0 && strstr(names[k], cpp)) return names[k];
    return diag_nearest(kernel, names, n);
}

/* Leaves an error that says which kernels there are. */
static void report_entry(struct lift_reader *r) {
    const char *names[MAX_KERNELS], *list = "";
    size_t n = 0;
    for (int k = 0; k < r->code->n && n < MAX_KERNELS; k++)
        if (is_entry(&r->code->statements[k])) names[n++] = r->code->statements[k].function->name;
    for (size_t k = 0; k < n && k < 8; k++)
        list = arena_printf(r->arena, "%s%s'%s'", list, k ? ", " : "", names[k]);
    if (n > 8) list = arena_printf(r->arena, "%s and %zu more", list, n - 8);
    const char *kernel = r->launch->kernel, *path = r->launch->ptx->path;
    const struct source *test = &r->test->source;
    struct pos pos = r->launch->pos;
    const char *meant = kernel ? find_meant(r, kernel, names, n) : NULL;
    if (n == 0)
        diag_error(r->diag, test, pos, "%s has no kernel: no '.entry'", path);
    else if (kernel)
        diag_error(r->diag, test, pos, "%s has no kernel '%s': it has %s%s%s%s", path, kernel, list,
                   meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    else
        diag_error(r->diag, test, pos, "%s has %zu kernels: 'kernel' says which one: %s", path, n, list);
}

/* Returns the index of the statement that is the kernel's head; or -1. */
static int find_entry(struct lift_reader *r) {
    int found = -1, n = 0;
    for (int k = 0; k < r->code->n; k++) {
        const struct ptx_statement *s = &r->code->statements[k];
        if (!is_entry(s) || !is_called(s, r->launch->kernel)) continue;
        found = k;
        n++;
    }
    if (n != 1) report_entry(r);
    return n == 1 ? found : -1;
}

/* Within one major version PTX has only grown, and new words are refused by name; so a newer minor version is
 * a warning to whoever wrote the file. A newer major version is an error. */
static bool check_version(struct lift_reader *r) {
    const struct ptx_statement *s = NULL;
    for (int k = 0; k < r->code->n && !s; k++) {
        const struct ptx_statement *at = &r->code->statements[k];
        bool version = at->kind == PTX_DIRECTIVE && strcmp(at->directive->tokens[0], "version") == 0;
        if (version && at->directive->n > 1) s = at;
    }
    if (!s) return true;
    const char *text = s->directive->tokens[1], *dot = strchr(text, '.');
    long major = strtol(text, NULL, 10), minor = dot ? strtol(dot + 1, NULL, 10) : 0;
    if (major > KNOWN_MAJOR)
        diag_error(r->diag, r->launch->ptx, s->pos,
                   "this is PTX %s, and %d.%d is the newest that is known: what its instructions mean may "
                   "have changed; an older compiler writes an older one",
                   text, KNOWN_MAJOR, KNOWN_MINOR);
    else if (major == KNOWN_MAJOR && minor > KNOWN_MINOR && !r->launch->compiled)
        diag_warning(
            r->diag, r->launch->ptx, s->pos,
            "this is PTX %s, newer than %d.%d, the newest that is known: what is new in it is refused", text,
            KNOWN_MAJOR, KNOWN_MINOR);
    return major <= KNOWN_MAJOR;
}

/* ---- the whole ---- */

static void read_body(struct lift_reader *r, const struct ptx_code *code) {
    struct lift *l = r->lift;
    struct lift_kernel *made = arena_alloc(r->arena, sizeof *made);
    struct parser *p = &made->p;
    r->made = made;
    made->carry = -1;
    *p = (struct parser){
        .arena = r->arena, .source = r->launch->ptx, .diag = r->diag, .test = r->test, .body = r->body};
    struct asm_block *block = arena_alloc(r->arena, sizeof *block);
    block->kernel = &r->kernel;
    lift_keep_parameters(r, code);
    asm_read_text(p, block, code);
    r->body->first = p->out.first;
    l->kernels = arena_more(l->arena, l->kernels, (size_t)l->nkernels, sizeof(struct lift_kernel *));
    l->kernels[l->nkernels++] = made;
}

bool lift_read(struct lift *l, struct body *body, const struct lift_launch *launch) {
    size_t errors = l->diag->errors;
    struct snippet text = {.text = launch->ptx->text, .len = launch->ptx->len};
    struct lines lines = source_lines(l->arena, launch->ptx);
    text.lines = &lines;
    struct ptx_code code = ptx_read(l->arena, launch->ptx, &text, l->diag);
    struct lift_reader *r = arena_alloc(l->arena, sizeof *r);
    *r = (struct lift_reader){
        .kernel = {lift_statement, lift_instruction, lift_name, lift_generic, lift_map},
        .lift = l,
        .arena = l->arena,
        .test = l->test,
        .diag = l->diag,
        .code = &code,
        .launch = launch,
        .body = body,
    };
    body->text = launch->ptx;
    int head = l->diag->errors == errors && check_version(r) ? find_entry(r) : -1;
    if (head >= 0 && lift_lay_out(r, code.statements[head].function)) {
        struct ptx_code inner = lift_inside(&code, &code.statements[head]);
        if (lift_count_instructions(r, &inner)) read_body(r, &inner);
    }
    l->failed = l->failed || l->diag->errors != errors;
    return l->diag->errors == errors;
}

/* Leaves an error if locations share addresses. */
static void check_places(struct lift *l) {
    struct test *t = l->test;
    for (int k = 0; k < t->nlocs; k++)
        for (int i = 0; i < k; i++) {
            const struct location *a = &t->locs[i], *b = &t->locs[k];
            bool apart = a->address + lift_bytes(a) <= b->address || b->address + lift_bytes(b) <= a->address;
            if (!apart && !a->view && !b->view)
                diag_error(l->diag, &t->source, b->pos,
                           "'%s' lies where '%s' lies: their addresses are 0x%llx and 0x%llx", b->name,
                           a->name, (unsigned long long)b->address, (unsigned long long)a->address);
        }
}

void lift_place_all(struct test *t) {
    for (int k = 0; k < t->nlocs; k++)
        lift_place(t, k);
}

struct lift *lift_open(struct arena *a, struct test *t, struct diag *d) {
    struct lift *l = arena_alloc(a, sizeof *l);
    *l = (struct lift){.arena = a, .test = t, .diag = d};
    lift_place_all(t);
    check_places(l);
    return l;
}

void lift_close(struct lift *l) {
    if (l->failed || !lift_counts_locations(l)) return;
    for (int k = 0; k < l->nkernels; k++)
        lift_follow_numbers(l->arena, l->kernels[k]->p.body);
    for (int k = 0; k < l->nkernels; k++)
        lift_climb(l->arena, l->kernels[k]->p.body);
    lift_resolve(l);
    for (int k = 0; k < l->nkernels && !l->failed; k++) {
        struct body *body = l->kernels[k]->p.body;
        clocks_leave_out_timeouts(&l->kernels[k]->p);
        lift_structure(l->arena, body);
        clocks_leave_out_timeouts(&l->kernels[k]->p);
        lift_tidy(body);
        clocks_leave_out_pauses(&l->kernels[k]->p);
        clocks_look(&l->kernels[k]->p);
        lift_tidy(body);
        if (!clocks_check(&l->kernels[k]->p)) l->failed = true;
        lift_number_registers(l->arena, body);
    }
}
