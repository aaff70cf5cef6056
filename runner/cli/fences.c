/* `fences`: for each placement and access, finds the weakest fence for every slot with which the model forbids the
 * outcome, and measures what these fences cost.
 *
 * A fence of a wider scope or a stronger order never allows more. So one slot after the other is lowered from
 * `sc.system` as far as the outcome stays forbidden: first its scope, then the order at that scope. Where there is a
 * choice, the first slots get the weakest fences. */
#include <string.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/fences.h"
#include "cli/interrupt.h"
#include "cli/view.h"
#include "model/model.h"
#include "report/terminal.h"
#include "run/fence_record.h"

enum { MOST_NAMED = 16 };

struct fences_search {
    const struct options *o;
    const struct test *t;
    const struct model *model;
    struct fences_clock clock; /* measures what the fences cost */
    struct arena *arena;
    struct diag *diag;
    bool on_gpu;
    bool stacked;     /* the slots of a row stand below each other, as there is no room for columns */
    bool bounded;     /* something was found forbidden by looking at loops of a few turns only */
    bool is_known;    /* of one thread more these fences are known to be enough */
    struct text more; /* what is said of more threads */
    struct fence named[MOST_NAMED]; /* the fences that are told */
    int nnamed;
};

enum finding { FOUND, NOT_NEEDED, NOT_ENOUGH, NOT_KNOWN, NOT_ENDING, NOT_REACHED, NOT_JUDGED };

static bool is_forbidden(struct fences_search *s, const struct cell *v, enum finding *trouble) {
    struct model_limits limits = {
        .seconds = s->o->timeout, .unroll = (int)s->o->unroll, .stop = &interrupted};
    struct model_result r;
    if (!model_check(s->model, s->t, v, &limits, s->arena, &r, s->diag)) {
        *trouble = NOT_JUDGED;
        return false;
    }
    if (r.status == MODEL_DONE && r.executions == 0) *trouble = NOT_ENDING;
    if (r.unreached && s->t->cond.kind != FORALL) *trouble = NOT_REACHED;
    bool bad = s->t->cond.kind == FORALL ? !r.holds : r.allowed;
    if (!bad && r.status != MODEL_DONE) *trouble = NOT_KNOWN;
    s->bounded = s->bounded || (!bad && r.bounded);
    return !bad && *trouble == FOUND;
}

/* Narrows the scope of a slot as far as the outcome stays forbidden. */
static void narrow(struct fences_search *s, const struct cell *v, struct fence *slot, enum finding *trouble) {
    for (enum scope scope = SCOPE_NONE; scope < SCOPE_SYS; scope++) {
        *slot = scope == SCOPE_NONE ? (struct fence){0} : fence_of(ORDER_SC, scope);
        if (is_forbidden(s, v, trouble) || *trouble != FOUND) return;
    }
    *slot = fence_of(ORDER_SC, SCOPE_SYS);
}

/* Weakens the order of a slot as far as the outcome stays forbidden. */
static void weaken(struct fences_search *s, const struct cell *v, struct fence *slot, enum finding *trouble) {
    static const enum order orders[] = {ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL};
    for (int k = 0; k < 3 && slot->there; k++) {
        slot->order = orders[k];
        if (is_forbidden(s, v, trouble) || *trouble != FOUND) return;
    }
    slot->order = ORDER_SC;
}

/* Lowers the slots of `f`, which are all sc.system at first. */
static enum finding find_weakest(struct fences_search *s, struct cell *v, struct fence_choice *f) {
    enum finding trouble = FOUND;
    bool any = false;
    v->fence = f;
    if (!is_forbidden(s, v, &trouble)) return trouble == FOUND ? NOT_ENOUGH : trouble;
    for (int k = 0; k < s->t->nslots; k++) {
        narrow(s, v, &f->slot[k], &trouble);
        if (trouble == FOUND) weaken(s, v, &f->slot[k], &trouble);
        if (trouble != FOUND) return trouble;
        any = any || f->slot[k].there;
    }
    return any ? FOUND : NOT_NEEDED;
}

/* All fence() without a name are one slot. */
static const char *slot_name(const struct fences_search *s, int k) {
    return s->t->slots[k].name ? s->t->slots[k].name : "fence()";
}

/* The cell of another test that has the same placement and access; NULL: there is none. */
static struct cell *find_cell(struct fences_search *s, const struct test *t, const struct cell *v) {
    int n;
    struct cell *cells = cells_chosen(s->arena, t, &s->o->cells, NULL, &n);
    for (int k = 0; k < n; k++)
        if (strcmp(cells[k].placement->name, v->placement->name) == 0 && cells[k].access == v->access)
            return &cells[k];
    return NULL;
}

/* Keeps the fences that are told. */
static void name_fences(struct fences_search *s, const struct fence_choice *f) {
    for (int slot = 0; slot < s->t->nslots; slot++) {
        int k = 0;
        while (k < s->nnamed && !fence_same(s->named[k], f->slot[slot]))
            k++;
        if (f->slot[slot].there && k == s->nnamed && k < MOST_NAMED) s->named[s->nnamed++] = f->slot[slot];
    }
}

static void say_slots(struct fences_search *s, const struct fence_choice *f) {
    name_fences(s, f);
    for (int k = 0; k < s->t->nslots; k++)
        text_printf(&s->more, "%s%s: %s", k ? ", " : "", slot_name(s, k), fence_name(s->arena, f->slot[k]));
}

/* Asks whether the fences are enough in a test with one copy more of a thread, or one block more. Where others are
 * needed, it says so. */
static void look_further(struct fences_search *s, const struct cell *v, const struct fence_choice *f,
                         int body) {
    struct diag quiet = {0};
    struct fences_search wide = *s;
    struct fence_choice more = {.name = "weakest"};
    const struct body *b = &s->t->bodies[body];
    struct cell *cell = NULL;
    enum finding found = FOUND;
    wide.t = fences_larger(s->arena, s->t, body);
    wide.diag = &quiet;
    if (wide.t) cell = find_cell(s, wide.t, v);
    if (cell) cell->fence = f;
    bool enough = cell && is_forbidden(&wide, cell, &found);
    s->is_known = s->is_known && enough;
    if (!cell) return;
    for (int k = 0; k < s->t->nslots; k++)
        more.slot[k] = fence_of(ORDER_SC, SCOPE_SYS);
    if (!enough && found == FOUND) found = find_weakest(&wide, cell, &more);
    if (!enough && found <= NOT_KNOWN && found != NOT_ENOUGH && !interrupted) {
        text_printf(&s->more, "  %s, %s, with %d %s of %s: ", v->placement->name, access_name(v->access),
                    fences_copies(b) + 1, b->grid ? "blocks" : "copies", b->name);
        if (found == NOT_KNOWN)
            text_add(&s->more, "unknown");
        else
            say_slots(s, &more);
        text_add(&s->more, "\n");
    }
    diag_free(&quiet);
}

enum { STRENGTH = sizeof "acq_rel.cluster" - 1, ACCESS = 10, TIME = sizeof "10.1 x (10.0 to 10.2)" - 1 };

/* Of the column of a slot; of the one column where they are stacked. */
static int slot_width(const struct fences_search *s, int k) {
    int n = (int)strlen(slot_name(s, k)), width = n;
    if (!s->stacked) return (n < STRENGTH ? STRENGTH : n) + 2;
    for (k = 0; k < s->t->nslots; k++)
        if ((int)strlen(slot_name(s, k)) > width) width = (int)strlen(slot_name(s, k));
    return width + 2 + STRENGTH + 2;
}

/* The same; nothing behind the last column is padded. */
static int slot_pad(const struct fences_search *s, int k) {
    bool last = !s->clock.backend && (s->stacked || k + 1 == s->t->nslots);
    return last ? 0 : slot_width(s, k);
}

static bool fits(const struct fences_search *s, int place) {
    int width = 2 + place + ACCESS + (s->clock.backend ? TIME : 0);
    for (int k = 0; k < s->t->nslots; k++)
        width += slot_width(s, k);
    return width <= view_width();
}

static int place_width(const struct cell *cells, int n) {
    int width = 9;
    for (int k = 0; k < n; k++)
        if ((int)strlen(cells[k].placement->name) > width) width = (int)strlen(cells[k].placement->name);
    return width + 2;
}

static void put_head(const struct fences_search *s, int width) {
    const char *title = s->t->title;
    view_line(title ? arena_printf(s->arena, "%s:", s->t->name) : s->t->name, title ? title : "", 0, 2);
    view_line(s->t->source.path, "", 0, 0);
    view_line(quantifier_name(s->t->cond.kind), s->t->cond.text, 2, 2);
    printf("\n  %-*s%-*s", width, "placement", ACCESS, "access");
    if (s->stacked) printf("%-*s", slot_pad(s, 0), "fences");
    for (int k = 0; k < s->t->nslots && !s->stacked; k++)
        printf("%-*s", slot_pad(s, k), slot_name(s, k));
    printf("%s\n", s->clock.backend ? "time a run" : "");
}

/* Prints the fences of a row's slots, and behind them, or behind the first of them, what they cost. */
static void put_slots(const struct fences_search *s, const struct fence_choice *f, int left,
                      const char *cost) {
    for (int k = 0; k < s->t->nslots && !s->stacked; k++)
        printf("%-*s", slot_pad(s, k), fence_name(s->arena, f->slot[k]));
    for (int k = 0; k < s->t->nslots && s->stacked; k++) {
        if (k > 0) printf("\n%*s", left, "");
        printf("%-*s%s", slot_pad(s, k),
               arena_printf(s->arena, "%s: %s", slot_name(s, k), fence_name(s->arena, f->slot[k])),
               k == 0 ? cost : "");
    }
    printf("%s\n", s->stacked ? "" : cost);
}

/* What the fence costs on a GPU that was measured, where none is measured here: "  // 651 cycles". */
static const char *recorded(const struct fences_search *s, struct fence f) {
    long long cycles = s->on_gpu ? -1 : fence_record(CROWD_WARP, f, 1);
    return cycles < 0 ? "" : arena_printf(s->arena, "  // %lld cycles", cycles);
}

/* The lines that stand for the fences. */
static void put_spellings(struct fences_search *s) {
    static const char *const threadfence[] = {[SCOPE_CTA] = "__threadfence_block();",
                                              [SCOPE_GPU] = "__threadfence();",
                                              [SCOPE_SYS] = "__threadfence_system();"};
    bool any = false;
    for (int k = 0; k < s->nnamed; k++) {
        struct fence f = s->named[k];
        const char *line = f.order == ORDER_SC && f.scope != SCOPE_CLUSTER
                               ? threadfence[f.scope]
                               : arena_printf(s->arena, "asm volatile(\"fence.%s.%s;\" ::: \"memory\");",
                                              order_name(f.order), scope_ptx(f.scope));
        any = any || *recorded(s, f);
        view_note(arena_printf(s->arena, "%s is %s%s", fence_name(s->arena, f), line, recorded(s, f)));
    }
    if (any)
        view_note("Cycles: as recorded on an " FENCE_RECORD_DEVICE
                  ", of a fence that a warp does while each thread "
                  "has a write under way. 'culitmus fences --cost' has more.");
}

/* What the times are. */
static void put_clock(const struct fences_search *s) {
    if (!s->clock.backend) return;
    view_note(
        arena_printf(s->arena,
                     "The time of a run, against none, is that on %s: the median of 5 pairs of runs, the "
                     "least and the most. '-': not all pairs say which is longer.",
                     s->clock.device->description));
}

/* For how many threads the table is, and what else is known. */
static void put_numbers(struct fences_search *s) {
    const char *comma = "The fences are for ";
    for (int k = 0; k < s->t->nbodies; k++) {
        const struct body *b = &s->t->bodies[k];
        if (fences_copies(b) < 2) continue;
        printf("%s%d %s of %s", comma, fences_copies(b), b->grid ? "blocks" : "copies", b->name);
        comma = ", ";
    }
    if (comma[0] == ',')
        printf(s->more.s     ? "; more need others:\n"
               : s->is_known ? "; one more needs no others.\n"
                             : "; more may need others.\n");
    if (s->more.s) printf("%s", s->more.s);
    text_free(&s->more);
}

/* Prints the row of one placement and access. False and an error when the test cannot be judged. */
static bool put_row(struct fences_search *s, struct cell *v, int width) {
    static const char *const words[] = {[NOT_ENOUGH] = "no fence forbids it",
                                        [NOT_KNOWN] = "unknown: the model gave up",
                                        [NOT_ENDING] = "the model knows no execution that ends",
                                        [NOT_REACHED] =
                                            "no execution gives these values, with or without fences",
                                        [NOT_JUDGED] = "cannot be judged"};
    struct fence_choice f = {.name = "weakest"};
    for (int k = 0; k < s->t->nslots; k++)
        f.slot[k] = fence_of(ORDER_SC, SCOPE_SYS);
    enum finding found = find_weakest(s, v, &f);
    printf("  %-*s%-*s", width, v->placement->name, ACCESS, access_name(v->access));
    if (interrupted || found > NOT_NEEDED) {
        printf("%s\n", interrupted ? "interrupted" : words[found]);
        return found != NOT_JUDGED;
    }
    name_fences(s, &f);
    for (int k = 0; k < s->t->nbodies && !interrupted; k++)
        if (fences_copies(&s->t->bodies[k]) > 1) look_further(s, v, &f, k);
    fflush(stdout);
    bool timed = s->clock.backend && found != NOT_NEEDED;
    put_slots(s, &f, 2 + width + ACCESS, timed ? fences_time(&s->clock, s->t, v, &f) : "");
    fflush(stdout);
    return true;
}

static int search_test(struct fences_search *s) {
    struct suite one = {.tests = (struct test **)&s->t, .n = 1};
    int n, code = choose_check_cells(s->o, &one);
    if (code) return code;
    struct cell *cells = cells_chosen(s->arena, s->t, &s->o->cells, NULL, &n);
    n = cells_drop_fences(cells, n);
    int width = place_width(cells, n);
    s->stacked = !fits(s, width);
    put_head(s, width);
    s->is_known = true;
    for (int k = 0; k < n && !interrupted; k++)
        if (!put_row(s, &cells[k], width)) return EXIT_INPUT;
    if (interrupted) {
        diag_free(s->diag); /* the compiler was interrupted, too */
        fprintf(stderr, "culitmus: interrupted\n");
        return EXIT_INTERRUPTED;
    }
    if (s->bounded) printf("  bounded: loops were followed for a bounded number of turns only\n");
    printf("\n");
    view_note(arena_printf(s->arena, "The weakest fence a slot with which %s forbids the outcome.",
                           model_name(s->model)));
    put_clock(s);
    put_numbers(s);
    put_spellings(s);
    return EXIT_FINE;
}

/* Opens what measures. Where there is no GPU nothing is measured, unless the options name the CPU: there fences cost
 * something else. */
static bool open_clock(struct fences_search *s) {
    struct fences_clock *c = &s->clock;
    enum machine machine;
    c->backend = choose_device(s->o, "the cycles of fences are those of an " FENCE_RECORD_DEVICE, &c->device);
    if (!c->backend) return false;
    machine_of(c->backend->name, &machine);
    s->on_gpu = machine == MACHINE_GPU;
    c->request = choose_request(s->o, c->backend);
    c->request.stop = &interrupted;
    if (s->on_gpu || (s->o->backend && strcmp(s->o->backend, c->backend->name) == 0)) return true;
    c->backend->close(c->device);
    c->backend = NULL;
    return true;
}

int command_fences(const struct options *o) {
    if (o->cost) return fence_cost_show(o);
    if (o->nargs == 0) return usage_error(o->command, "it wants a test, or --cost");
    struct arena *a = arena_open();
    struct diag d = {0};
    struct fences_search s = {.o = o, .arena = a, .diag = &d, .clock = {.arena = a, .diag = &d}};
    int code = EXIT_INPUT;
    if (!(s.t = suite_find(a, choose_shipped(a), o->args[0], &d))) goto out;
    if (s.t->nslots == 0) {
        diag_error(&d, &s.t->source, s.t->bodies[0].pos, "the test has no fence() to choose");
        goto out;
    }
    if (!(s.model = choose_model(o, a, s.t, &d))) goto out;
    code = EXIT_ENVIRONMENT;
    if (!open_clock(&s)) goto out;
    interrupt_catch();
    code = search_test(&s);
    if (s.clock.backend) s.clock.backend->close(s.clock.device);
out:
    if (diag_report(&d, code) && code == EXIT_FINE) code = EXIT_ENVIRONMENT;
    arena_close(a);
    return code;
}
