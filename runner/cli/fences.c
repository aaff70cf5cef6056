/* `fences`: for each placement and access, the weakest fence in every slot with which the model forbids the
 * outcome, and what these fences cost. */
#include <string.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/view.h"
#include "report/terminal.h"
#include "run/fence_record.h"
#include "session/fence_time.h"
#include "session/larger.h"
#include "session/weakest.h"

enum { MOST_NAMED = 16 };

struct fences_search {
    const struct options *o;
    const struct test *t;
    struct weakest_question question; /* for the model */
    struct fence_clock clock;         /* measures the costs of fences */
    struct arena *arena;
    struct diag *diag;
    bool on_gpu;
    bool stacked;     /* the slots of a row are printed below each other, because columns have no room */
    bool bounded;     /* some answer "forbidden" holds only for a bounded number of loop turns */
    bool is_known;    /* it is known that these fences are enough for one thread more */
    struct text more; /* what is said of more threads */
    struct fence named[MOST_NAMED]; /* the fences in the legend */
    int nnamed;
};

/* All fence() without a name are one slot. */
static const char *slot_name(const struct fences_search *s, int k) {
    return s->t->slots[k].name ? s->t->slots[k].name : "fence()";
}

/* Remembers the fences for the legend. */
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

/* Asks about the test with one more copy of a thread, or one more block. If it needs other fences, says
 * so. */
static void look_further(struct fences_search *s, const struct cell *cell, const struct fence_choice *f,
                         int body) {
    const struct body *b = &s->t->bodies[body];
    struct weakest more = weakest_of_larger(&s->question, cell, f, body, &s->o->cells);
    bool other = more.answer == WEAKEST_FOUND || more.answer == WEAKEST_NOT_NEEDED;
    s->is_known = s->is_known && more.answer == WEAKEST_ENOUGH;
    if (interrupted || (!other && more.answer != WEAKEST_NOT_KNOWN)) return;
    text_printf(&s->more, "  %s, %s, with %d %s of %s: ", cell->placement->name, access_name(cell->access),
                body_copies(b) + 1, b->grid ? "blocks" : "copies", b->name);
    if (other)
        say_slots(s, &more.fences);
    else
        text_add(&s->more, "unknown");
    text_add(&s->more, "\n");
}

/* Returns such as "1.3 x (1.2 to 1.5)", or "-". */
static const char *time_text(struct fences_search *s, const struct cell *cell, const struct fence_choice *f) {
    struct fence_time t = fence_time(&s->clock, s->t, cell, f, s->arena, s->diag);
    if (!fence_time_is_known(&t)) return "-";
    return arena_printf(s->arena, "%.1f x (%.1f to %.1f)", t.median, t.least, t.most);
}

enum { STRENGTH = sizeof "acq_rel.cluster" - 1, ACCESS = 10, TIME = sizeof "10.1 x (10.0 to 10.2)" - 1 };

/* Returns the width of a slot's column; of the only column if slots are stacked. */
static int slot_width(const struct fences_search *s, int k) {
    int n = (int)strlen(slot_name(s, k)), width = n;
    if (!s->stacked) return (n < STRENGTH ? STRENGTH : n) + 2;
    for (k = 0; k < s->t->nslots; k++)
        if ((int)strlen(slot_name(s, k)) > width) width = (int)strlen(slot_name(s, k));
    return width + 2 + STRENGTH + 2;
}

/* Prints a field of that width; the last one is not padded. */
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

/* Prints the fences in a row's slots, and behind them (stacked: behind the first) what they cost. */
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

/* If nothing is measured here, returns what the fence costs on the GPU on record: " // 651 cycles". */
static const char *recorded(const struct fences_search *s, struct fence f) {
    long long cycles = s->on_gpu ? -1 : fence_record(CROWD_WARP, f, 1);
    return cycles < 0 ? "" : arena_printf(s->arena, "  // %lld cycles", cycles);
}

/* Prints the legend: the source line for each fence. */
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

/* Explains the times. */
static void put_clock(const struct fences_search *s) {
    if (!s->clock.backend) return;
    view_note("A time is that of a run with these fences against one without: the median of 5 pairs of runs, "
              "the least and the most. "
              "'-': not all pairs say which is longer.");
    view_note(arena_printf(s->arena, "It was measured on %s.", s->clock.device->description));
}

/* Says for how many threads the table holds, and what else is known. */
static void put_numbers(struct fences_search *s) {
    const char *comma = "The fences are for ";
    for (int k = 0; k < s->t->nbodies; k++) {
        const struct body *b = &s->t->bodies[k];
        if (body_copies(b) < 2) continue;
        printf("%s%d %s of %s", comma, body_copies(b), b->grid ? "blocks" : "copies", b->name);
        comma = ", ";
    }
    if (comma[0] == ',')
        printf(s->more.s     ? "; more need others:\n"
               : s->is_known ? "; one more needs no others.\n"
                             : "; more may need others.\n");
    if (s->more.s) printf("%s", s->more.s);
    text_free(&s->more);
}

/* Prints the row of one placement and access. Returns false and leaves an error when the test cannot be
 * judged. */
static bool put_row(struct fences_search *s, struct cell *cell, int width) {
    static const char *const words[] = {[WEAKEST_NOT_ENOUGH] = "no fence forbids it",
                                        [WEAKEST_NOT_KNOWN] = "unknown: the model gave up",
                                        [WEAKEST_NOT_ENDING] = "the model knows no execution that ends",
                                        [WEAKEST_NOT_REACHED] =
                                            "no execution gives these values, with or without fences",
                                        [WEAKEST_NOT_JUDGED] = "cannot be judged"};
    struct weakest found = weakest_find(&s->question, cell, s->diag);
    const struct fence_choice *f = &found.fences;
    s->bounded = s->bounded || found.bounded;
    printf("  %-*s%-*s", width, cell->placement->name, ACCESS, access_name(cell->access));
    if (interrupted || found.answer > WEAKEST_NOT_NEEDED) {
        printf("%s\n", interrupted ? "interrupted" : words[found.answer]);
        return found.answer != WEAKEST_NOT_JUDGED;
    }
    name_fences(s, f);
    for (int k = 0; k < s->t->nbodies && !interrupted; k++)
        if (body_copies(&s->t->bodies[k]) > 1) look_further(s, cell, f, k);
    fflush(stdout);
    bool timed = s->clock.backend && found.answer != WEAKEST_NOT_NEEDED;
    put_slots(s, f, 2 + width + ACCESS, timed ? time_text(s, cell, f) : "");
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
                           model_name(s->question.model)));
    put_clock(s);
    put_numbers(s);
    put_spellings(s);
    return EXIT_FINE;
}

/* Opens the device that measures. Without a GPU nothing is measured, unless the options name the CPU, where
 * fences cost something else. */
static bool open_clock(struct fences_search *s) {
    struct fence_clock *c = &s->clock;
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
    struct fences_search s = {.o = o, .arena = a, .diag = &d};
    int code = EXIT_INPUT;
    if (!(s.t = suite_find(a, choose_shipped(a), o->args[0], &d))) goto out;
    if (s.t->nslots == 0) {
        diag_error(&d, &s.t->source, s.t->bodies[0].pos,
                   "the test has no fence() to choose; write fence(a); and fence(b); where fences may stand");
        goto out;
    }
    s.question = (struct weakest_question){
        .test = s.t,
        .model = choose_model(o, a, s.t, &d),
        .limits = {.seconds = o->timeout, .unroll = (int)o->unroll, .stop = &interrupted},
        .arena = a};
    if (!s.question.model) goto out;
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
