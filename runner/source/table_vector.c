/* Writes vectors in a table: a vector register becomes a register for each lane, and instructions have the
 * lanes in braces. */
#include "source/table_column.h"

const char *column_lane(struct table_writer *w, int reg, int lane) {
    return column_new_name(w, FORMAT(w, "%s_%c", column_register(w, reg), type_lane_name(lane)));
}

/* Returns an operand with the value of one lane. */
const char *column_lane_value(struct table_writer *w, const struct expr *e, int lane) {
    struct type type = e->type;
    struct expr_env env = body_env(w->thread->body, w->thread->tid);
    for (int half; e->kind == EXPR_JOIN; lane %= half) {
        half = e->type.lanes / 2;
        e = lane < half ? e->a : e->b;
        if (!type_is_vector(e->type)) return column_value(w, e);
    }
    if (e->kind == EXPR_REG) return column_lane(w, e->index, lane);
    if (expr_is_known(e))
        return column_number(w, type_lane(type), value_lane(e->type, expr_eval(e, &env), lane));
    column_refuse(w, "a vector is computed");
    return "";
}

const char *column_operand(struct table_writer *w, const struct expr *e) {
    if (!type_is_vector(e->type)) return column_value(w, e);
    const char *text = "";
    for (int k = 0; k < e->type.lanes; k++)
        text = FORMAT(w, "%s%s%s", text, k ? "," : "", column_lane_value(w, e, k));
    return FORMAT(w, "{%s}", text);
}

/* Computes the lanes first, because they may be among those that are set. */
bool column_set_vector(struct table_writer *w, int reg, const struct expr *e) {
    if (!type_is_vector(e->type)) return false;
    const char *lanes[4], *type = column_type(w, type_lane(e->type));
    for (int k = 0; k < e->type.lanes; k++) {
        lanes[k] = column_temporary(w);
        PUT(w, "mov%s %s, %s", type, lanes[k], column_lane_value(w, e, k));
    }
    for (int k = 0; k < e->type.lanes; k++)
        PUT(w, "mov%s %s, %s", type, column_lane(w, reg, k), lanes[k]);
    return true;
}
