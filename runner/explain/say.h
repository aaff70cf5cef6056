/* Events in words: "writeXY's write of 10 to X (line 8)". */
#ifndef CULITMUS_SAY_H
#define CULITMUS_SAY_H

#include "base/text.h"
#include "search/search.h"

/* The value that an access read or wrote. */
void say_value(struct text *out, const struct search *s, int e);
/* An event as a noun: "T0's read of X (line 8)". */
void say_event(struct text *out, const struct search *s, int e);
/* The same without its thread: "fence() (line 9: fence.sc.gpu)", "read of X (line 8)". */
void say_own(struct text *out, const struct search *s, int e);
/* " (line 8)"; nothing for what has no line. */
void say_line(struct text *out, const struct graph *g, int e);
int say_line_of(const struct graph *g, int e);
/* The same without parentheses, of an event that has a statement: "line 12", "kernel.cu:7". */
void say_place(struct text *out, const struct graph *g, int e);
/* Whether the event's thread has its body in the test's file. */
bool say_is_in_file(const struct graph *g, int e);
/* "the barrier", "barrier 3", "the barrier of the warp" */
void say_barrier(struct text *out, const struct op *op);
/* Who does an event: "T0", "a copy that T0 started", "the initial value". */
void say_agent(struct text *out, const struct graph *g, int e);
/* "acquire.gpu", "weak", "proxy.alias" */
void say_strength(struct text *out, const struct event *e);
/* "block", "cluster", "device", "system". */
const char *say_scope(const struct graph *g, int e);

bool say_is_write(const struct graph *g, int e);
bool say_is_read(const struct graph *g, int e);
bool say_is_fence(const struct graph *g, int e);

#endif
