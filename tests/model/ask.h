/* Small tests, written in C strings, put to a model. */
#ifndef CULITMUS_TEST_ASK_H
#define CULITMUS_TEST_ASK_H

#include "model/model.h"

/* One thread; a body in one line. */
#define THREAD(name, body) "  " name ": |\n    " body "\n"
/* A test with one cell. `memory` as in the YAML: "x: 0, y: 0". */
#define TEST(placement, memory, threads, condition)                                                          \
    "name: test\nmemory: {" memory "}\nplacements: [\"" placement "\"]\nthreads:\n" threads condition "\n"

struct answer {
    enum model_status status;
    const char *why; /* of UNKNOWN, a constant */
    bool allowed, holds, bounded, undefined;
    int outcomes;
    long long executions;
};

/* Judges the one cell of a test. An error of any kind ends the program with its message: the caller's test is
 * wrong. */
struct answer ask(const struct model *m, const char *yaml, const struct model_limits *limits);

/* A test with one cell, and what the model must answer. -1: how many there are is not looked at. */
struct question {
    const char *what, *model, *test;
    bool allowed, bounded;
    int outcomes;
    long long executions;
};

/* Prints each question that is answered otherwise; how many there are. */
int ask_all(const struct question *questions, size_t n);

/* Prints what each of n models says of a test, where that is not "allowed", "forbidden", "undefined" or "unknown" as `says` has
 * it; how many there are. */
int ask_models(const struct model *const models[], int n, const char *test, const char *const says[]);

/* Judges a test that must be turned down: returns the rendered messages, to be freed. */
char *ask_error(const struct model *m, const char *yaml);

/* Reads a test, in YAML or as a table, or ends the program; its first cell. */
const struct cell *ask_cell(struct arena *a, const char *text, struct test **t);

/* What a group of tests does before its first and after its last one, so that their files are in a folder of their own,
 * which is then the current one. */
int ask_enter_folder(void **state);
int ask_leave_folder(void **state);

/* Writes a file, or ends the program. */
void ask_write(const char *path, const char *text);

/* Loads a model or ends the program. */
const struct model *ask_model(struct arena *a, const char *name);

/* What is said when a model is loaded, malloc'ed; "" if it is right. Ends the program when a model with an error is loaded. */
char *ask_messages(const char *name);

#endif
