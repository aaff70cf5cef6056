/* `fences --cost`: what each fence costs on a GPU, in cycles, by who does it at once and how many writes are
 * under way. It measures the fences alone, without a test. */
#include <string.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/view.h"
#include "run/fence_record.h"

static const enum order cost_orders[] = {ORDER_SC, ORDER_ACQ_REL};
static const int cost_writes[] = {0, 1, 4, 16};
static const char *const crowd_names[] = {"thread", "warp", "block", "device"};

enum {
    ORDERS = sizeof cost_orders / sizeof *cost_orders,
    WRITES = sizeof cost_writes / sizeof *cost_writes,
    CROWDS = sizeof crowd_names / sizeof *crowd_names,
    FENCES = ORDERS * SCOPE_SYS,
    COSTS = CROWDS * (1 + FENCES) * WRITES,
};

/* The fences in the order of the table. Before those of each crowd comes no fence, which tells the cost of
 * measuring. */
static void fill_costs(struct fence_cost *costs) {
    for (int k = 0; k < COSTS; k++) {
        int fence = k / WRITES % (1 + FENCES) - 1;
        costs[k] = (struct fence_cost){.crowd = (enum crowd)(k / WRITES / (1 + FENCES)),
                                       .writes = cost_writes[k % WRITES],
                                       .cycles = -1};
        if (fence >= 0)
            costs[k].fence =
                fence_of(cost_orders[fence / SCOPE_SYS], (enum scope)(SCOPE_CTA + fence % SCOPE_SYS));
    }
}

/* Fills in the recorded costs of a GPU, without the cost of measuring. */
static void fill_recorded(struct fence_cost *costs) {
    for (int k = 0; k < COSTS; k++)
        costs[k].cycles =
            costs[k].fence.there ? fence_record(costs[k].crowd, costs[k].fence, costs[k].writes) : 0;
}

/* Prints "-" if it was not measured. By rounding, a mean cost may be less than 0; it is then 0. */
static const char *cost_text(struct arena *a, const struct fence_cost *with,
                             const struct fence_cost *without) {
    if (with->cycles < 0 || without->cycles < 0) return "-";
    long long cycles = with->cycles - without->cycles;
    return arena_printf(a, "%lld", cycles > 0 ? cycles : 0);
}

static void put_row(struct arena *a, const struct fence_cost *with, const struct fence_cost *without) {
    printf("  %-11s%-17s", with - without == WRITES ? crowd_names[with->crowd] : "",
           fence_name(a, with->fence));
    for (int w = 0; w < WRITES; w++)
        printf("%10s", cost_text(a, &with[w], &without[w]));
    printf("\n");
}

/* Prints costs below the fence if the columns have no room: "0:7 1:7 4:481 16:1992". */
static void put_stacked(struct arena *a, const struct fence_cost *with, const struct fence_cost *without) {
    struct text line = {0};
    if (with - without == WRITES) printf("%s\n", crowd_names[with->crowd]);
    printf("  %s\n", fence_name(a, with->fence));
    for (int w = 0; w < WRITES; w++)
        text_printf(&line, "%s%d:%s", w ? " " : "", cost_writes[w], cost_text(a, &with[w], &without[w]));
    view_line("", line.s, 4, 0);
    text_free(&line);
}

/* `recorded`: print only rows that have values. */
static void put_costs(struct arena *a, const struct fence_cost *costs, bool recorded) {
    enum { LEFT = 30, COLUMN = 10 };
    bool stacked = view_width() < LEFT + WRITES * COLUMN;
    if (stacked) {
        view_note("The number before each colon: the writes of each thread that are under way.");
    } else {
        printf("\n  %-11s%-17swrites of each thread under way\n  %-11s%-17s", "", "", "placement", "fence");
        for (int w = 0; w < WRITES; w++)
            printf("%10d", cost_writes[w]);
    }
    for (int row = 0; row < CROWDS * (1 + FENCES); row++) {
        const struct fence_cost *with = &costs[row * WRITES];
        const struct fence_cost *without = &costs[row / (1 + FENCES) * (1 + FENCES) * WRITES];
        if (with == without)
            printf("\n");
        else if (!recorded || with->cycles >= 0)
            (stacked ? put_stacked : put_row)(a, with, without);
    }
    printf("\n");
    view_note("A fence is done at once by one thread, a warp, a block of 8 warps, or such a block on each "
              "multiprocessor. Each thread has so many writes under way, each to a line of its own.");
}

/* Refuses options that are about a test. */
static int refuse_options(const struct options *o) {
    const char *const given[] = {o->cells.placements.n ? "placement" : NULL,
                                 o->cells.accesses.n ? "access" : NULL,
                                 o->model ? "model" : NULL,
                                 o->timeout > 0 ? "timeout" : NULL,
                                 o->unroll > 0 ? "unroll" : NULL,
                                 o->runs > 0 ? "runs" : NULL,
                                 o->seconds > 0 ? "seconds" : NULL,
                                 o->seed >= 0 ? "seed" : NULL};
    if (o->nargs)
        return usage_error(o->command, "--cost measures without a test: '%s' is not for it", o->args[0]);
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (given[k])
            return usage_error(o->command, "--cost measures without a test: option '--%s' is not for it",
                               given[k]);
    return EXIT_FINE;
}

int fence_cost_show(const struct options *o) {
    struct diag d = {0};
    struct device *device;
    struct fence_cost costs[COSTS];
    int code = refuse_options(o);
    if (code) return code;
    const struct backend *b = choose_device(o, "what is shown is recorded", &device);
    if (!b) return EXIT_ENVIRONMENT;
    struct arena *a = arena_open();
    fill_costs(costs);
    interrupt_catch();
    if (!b->fence_costs) fill_recorded(costs);
    bool fine = !b->fence_costs || b->fence_costs(device, costs, COSTS, &interrupted, &d);
    view_note("The cost of a fence, in cycles of a multiprocessor.");
    view_note(b->fence_costs ? arena_printf(a, "The median of 1000 times on %s.", device->description)
                             : "As recorded on an " FENCE_RECORD_DEVICE ": to measure takes a GPU.");
    put_costs(a, costs, !b->fence_costs);
    b->close(device);
    arena_close(a);
    code = diag_report(&d, EXIT_ENVIRONMENT);
    if (!interrupted) return fine ? code : EXIT_ENVIRONMENT;
    fprintf(stderr, "culitmus: interrupted\n");
    return EXIT_INTERRUPTED;
}
