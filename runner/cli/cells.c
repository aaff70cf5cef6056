/* Which cells of a test the command line asks for. */
#include <string.h>

#include "cli/suite.h"

static const struct fence_choice *find_fence(const struct test *t, struct arena *a, const char *text,
                                             struct diag *d) {
    for (int k = 0; k < t->nfences; k++)
        if (strcmp(t->fences[k].name, text) == 0) return &t->fences[k];
    if (t->nslots == 0) {
        diag_fail(d, "it has no fence(), and so no fence axis");
        return NULL;
    }
    return fence_parse(t, a, text, (struct pos){0}, d);
}

static const struct placement *find_placement(const struct test *t, struct arena *a, const char *text,
                                              struct diag *d) {
    for (int k = 0; k < t->nplacements; k++)
        if (strcmp(t->placements[k].name, text) == 0) return &t->placements[k];
    return placement_parse(t, a, text, (struct pos){0}, d);
}

static bool find_access(const char *text, enum access *access, struct diag *d) {
    for (enum access k = ACCESS_WEAK; k <= ACCESS_RELAXED; k++) {
        *access = k;
        if (strcmp(text, access_name(k)) == 0) return true;
    }
    diag_fail(d, "unknown access '%s': it is weak, volatile or relaxed", text);
    return false;
}

/* The three axes of one test under the options; what the test does not have is left out. */
struct axes {
    const struct fence_choice **fences;
    const struct placement **placements;
    const enum access *accesses;
    int nfences, nplacements, naccesses;
};

static void choose_fences(struct arena *a, const struct test *t, const struct choices *c, struct axes *x) {
    x->fences = arena_array(a, (size_t)(c->n + t->nfences), sizeof *x->fences);
    for (int k = 0; k < t->nfences && c->n == 0; k++)
        x->fences[x->nfences++] = &t->fences[k];
    for (int k = 0; k < c->n; k++) {
        struct diag ignored = {0};
        const struct fence_choice *f = find_fence(t, a, c->item[k], &ignored);
        if (f) x->fences[x->nfences++] = f;
        diag_free(&ignored);
    }
}

static void choose_placements(struct arena *a, const struct test *t, const struct choices *c, bool cpu,
                              struct axes *x) {
    x->placements = arena_array(a, (size_t)(c->n + t->nplacements + 1), sizeof *x->placements);
    if (cpu) {
        x->placements[x->nplacements++] = placement_cpu(t, a);
        return;
    }
    for (int k = 0; k < t->nplacements && c->n == 0; k++)
        x->placements[x->nplacements++] = &t->placements[k];
    for (int k = 0; k < c->n; k++) {
        struct diag ignored = {0};
        const struct placement *p = find_placement(t, a, c->item[k], &ignored);
        if (p) x->placements[x->nplacements++] = p;
        diag_free(&ignored);
    }
}

static void choose_accesses(struct arena *a, const struct test *t, const struct choices *c, struct axes *x) {
    enum access *list = arena_array(a, (size_t)(c->n + t->naccesses), sizeof *list);
    x->accesses = list;
    for (int k = 0; k < t->naccesses && c->n == 0; k++)
        list[x->naccesses++] = t->accesses[k];
    for (int k = 0; k < c->n; k++) {
        struct diag ignored = {0};
        if (find_access(c->item[k], &list[x->naccesses], &ignored)) x->naccesses++;
        diag_free(&ignored);
    }
}

struct variant *suite_variants(struct arena *a, const struct test *t, const struct options *o, bool cpu,
                               int *n) {
    struct axes x = {0};
    choose_fences(a, t, &o->fences, &x);
    choose_placements(a, t, &o->placements, cpu, &x);
    choose_accesses(a, t, &o->accesses, &x);
    struct variant *list = arena_array(a, (size_t)(x.nfences * x.nplacements * x.naccesses), sizeof *list);
    *n = 0;
    for (int p = 0; p < x.nplacements; p++)
        for (int k = 0; k < x.naccesses; k++)
            for (int f = 0; f < x.nfences; f++)
                list[(*n)++] = (struct variant){x.placements[p], x.accesses[k], x.fences[f]};
    return list;
}

/* Tries one choice on every test; when it fits none, says what is wrong with it for the first. */
static int check_choice(const struct suite *s, const struct options *o, const char *option,
                        const char *text) {
    struct arena *a = arena_open();
    struct diag first = {0};
    bool fits = false;
    for (int k = 0; k < s->n && !fits; k++) {
        struct diag d = {0};
        enum access access;
        fits = *option == 'f'   ? find_fence(s->tests[k], a, text, &d) != NULL
               : *option == 'p' ? find_placement(s->tests[k], a, text, &d) != NULL
                                : find_access(text, &access, &d);
        if (!fits && first.errors == 0) {
            first = d;
            d = (struct diag){0};
        }
        diag_free(&d);
    }
    int code = EXIT_FINE;
    if (!fits)
        code = usage_error(o->command, "--%s '%s' fits no test: %s", option, text,
                           first.errors ? first.messages[0].text : "there is none");
    diag_free(&first);
    arena_close(a);
    return code;
}

int suite_check_choices(const struct suite *s, const struct options *o) {
    int code = EXIT_FINE;
    for (int k = 0; k < o->fences.n && !code; k++)
        code = check_choice(s, o, "fence", o->fences.item[k]);
    for (int k = 0; k < o->placements.n && !code; k++)
        code = check_choice(s, o, "placement", o->placements.item[k]);
    for (int k = 0; k < o->accesses.n && !code; k++)
        code = check_choice(s, o, "access", o->accesses.item[k]);
    return code;
}
