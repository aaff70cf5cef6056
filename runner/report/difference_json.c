#include <math.h>

#include "base/json_write.h"
#include "results/difference.h"

static const char *const kinds[] = {[DIFFERENCE_VERDICT] = "verdict",
                                    [DIFFERENCE_RATE] = "rate",
                                    [DIFFERENCE_CELL] = "cell",
                                    [DIFFERENCE_CONDITION] = "condition"};

/* What one side says of a cell; null where it has none. */
static void put_cell(struct json_out *j, const char *side, const struct cell_result *c) {
    if (!c) {
        json_put_null(j, side);
        return;
    }
    json_open(j, side, '{');
    json_put_text(j, "device", c->device);
    if (c->compiler) json_put_text(j, "compiler", c->compiler);
    if (c->machine == MACHINE_NONE) json_put_text(j, "model", c->model.name);
    json_put_text(j, "verdict", verdict_name(c->verdict));
    json_put_count(j, "runs", c->runs);
    json_put_count(j, "satisfied", c->satisfied);
    json_put_real(j, "rate", cell_rate(c));
    json_put_real(j, "confidence", c->confidence);
    json_close(j, '}');
}

static void put_condition(struct json_out *j, const char *side, const struct test_result *t) {
    json_open(j, side, '{');
    json_put_text(j, "kind", t->kind);
    json_put_text(j, "text", t->condition);
    json_close(j, '}');
}

static void put_difference(struct json_out *j, const struct difference *d) {
    static const char *const sides[] = {"before", "after"};
    const struct test_result *t = d->test[0] ? d->test[0] : d->test[1];
    const struct cell_result *c = d->cell[0] ? d->cell[0] : d->cell[1];
    json_open(j, NULL, '{');
    json_put_text(j, "differs", kinds[d->kind]);
    json_put_text(j, "test", t->name);
    json_put_text(j, "file", t->file);
    if (c) {
        json_put_text(j, "backend", c->backend);
        json_put_text(j, "placement", c->placement);
        json_put_text(j, "access", c->access);
        json_put_text(j, "fence", c->fence);
    }
    for (int side = 0; side < 2; side++)
        if (d->kind == DIFFERENCE_CONDITION)
            put_condition(j, sides[side], d->test[side]);
        else
            put_cell(j, sides[side], d->cell[side]);
    json_close(j, '}');
}

void differences_json(const struct differences *d, const char *const paths[2], double tolerance, FILE *out) {
    struct json_out j = {.out = out};
    json_open(&j, NULL, '{');
    json_put_whole(&j, "schema", 1);
    json_put_text(&j, "tool", "culitmus " CULITMUS_VERSION);
    json_put_text(&j, "before", paths[0]);
    json_put_text(&j, "after", paths[1]);
    json_put_real(&j, "tolerance", tolerance > 0 ? tolerance : NAN);
    json_open(&j, "differences", '[');
    for (int k = 0; k < d->n; k++)
        put_difference(&j, &d->list[k]);
    json_close(&j, ']');
    json_close(&j, '}');
}
