#include "cuda/cuda_halves.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "embedded_halves.h"
#include "gen/gen.h"

enum {
    LOOK_LINES = 256, /* lines that every multiprocessor reads, to tell the multiprocessors apart */
    LOOK_TURN = 61,   /* how many lines lie between those that two multiprocessors read at the same time */
    ITERATIONS = 40,
    READERS = 3, /* how many multiprocessors of each quarter (a half of a side of the cache) read a line */
    SURE = 4,    /* a line is surely in a half if it is nearer by so many cycles */
    MOST_BATCH = 2,
    TABLE_LINES = HALVES_LINES / 4, /* the most lines of one table */
    ALL_TABLE_LINES = 1 << 22,
    MOST_TABLES = 1 << 10,
    DISTANCES = 7, /* how many distances of chunks are tried beside the first */
};
/* A multiprocessor is on neither side of a component if its share is less than this part of the root mean
 * square. */
static const double LEAST = 0.3;

/* The arguments of a multiprocessor for kernels/halves.ptx. */
struct halves_row {
    int first, step, turn, sign, mean, base;
};

/* What lies in the device's memory. */
struct halves_memory {
    struct halves_row rows[MAX_SM];
    unsigned rank[MAX_SM];
    int lines[ALL_TABLE_LINES]; /* the tables, one behind the other */
    int times[HALVES_LINES];
    char locations[HALVES_BYTES];
};

/* Everything on which the choice of lines for an environment's locations depends. */
struct lines_wanted {
    int instances, per_block, homes, stride, skew, batch, elements;
    unsigned other; /* bit n: element n is in the other half than the home block of its instance */
};

/* A choice of lines: they are entries `first` and on of all tables. */
struct line_table {
    struct lines_wanted wanted;
    int first, pad;
};

#define HALVES_AT(dev, member)            ((dev)->halves.memory + offsetof(struct halves_memory, member))
#define HALVES_POINTER(dev, member, type) ((type *)(uintptr_t)HALVES_AT(dev, member))

/* ---- measuring ---- */

static bool load_reader(struct cuda_device *dev, struct diag *d) {
    const struct cuda_api *cu = dev->cu;
    struct device_halves *h = &dev->halves;
    return CUDA_TRY(cu, d, cuModuleLoadData(&h->module, embedded_find(embedded_halves, "halves.ptx"))) &&
           CUDA_TRY(cu, d, cuModuleGetFunction(&h->function, h->module, "halves")) &&
           CUDA_TRY(cu, d, cuFuncSetAttribute(h->function, CU_FUNC_MAX_DYNAMIC_SHARED, dev->max_shared)) &&
           CUDA_TRY(cu, d, cuMemAlloc(&h->memory, sizeof(struct halves_memory))) &&
           CUDA_TRY(cu, d, cuStreamCreate(&h->stream, CU_STREAM_NON_BLOCKING));
}

/* Copies a table to the device and waits for it, beside launches under way. */
static bool put(const struct cuda_device *dev, cu_pointer to, const void *from, size_t bytes,
                struct diag *d) {
    return CUDA_TRY(dev->cu, d, cuMemcpyHtoDAsync(to, from, bytes, dev->halves.stream)) &&
           CUDA_TRY(dev->cu, d, cuStreamSynchronize(dev->halves.stream));
}

/* Lets the multiprocessors read lines of `memory` as the rows say, while nothing else runs on them. times[n]
 * is the sum of the signed cycles for line n. */
static bool read_lines(struct cuda_device *dev, cu_pointer memory, int lines, const struct halves_row *rows,
                       int *times, int n, struct diag *d) {
    const struct cuda_api *cu = dev->cu;
    cu_stream s = dev->halves.stream;
    cu_pointer at = HALVES_AT(dev, rows), out = HALVES_AT(dev, times);
    size_t bytes = (size_t)n * sizeof *times;
    void *params[] = {&memory, &lines, &at, &out};
    struct cu_launch_config config = {
        {(unsigned)dev->traits.sms, 1, 1}, {1, 1, 1}, (unsigned)dev->max_shared, s, NULL, 0};
    return gpu_wait(dev, &dev->gpu[0], d) && put(dev, at, rows, MAX_SM * sizeof *rows, d) &&
           CUDA_TRY(cu, d, cuMemsetD8Async(out, 0, bytes, s)) &&
           CUDA_TRY(cu, d, cuLaunchKernelEx(&config, dev->halves.function, params, NULL)) &&
           CUDA_TRY(cu, d, cuMemcpyDtoHAsync(times, out, bytes, s)) &&
           CUDA_TRY(cu, d, cuStreamSynchronize(s));
}

/* Subtracts from each row its mean, which is stored in `mean`, and then from each column its mean. */
static void center(double *m, int rows, int *mean) {
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < LOOK_LINES; j++)
            sum += m[i * LOOK_LINES + j];
        mean[i] = (int)lround(sum / LOOK_LINES);
        for (int j = 0; j < LOOK_LINES; j++)
            m[i * LOOK_LINES + j] -= sum / LOOK_LINES;
    }
    for (int j = 0; j < LOOK_LINES; j++) {
        double sum = 0;
        for (int i = 0; i < rows; i++)
            sum += m[i * LOOK_LINES + j];
        for (int i = 0; i < rows; i++)
            m[i * LOOK_LINES + j] -= sum / rows;
    }
}

static double norm(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Finds the leading singular component of the matrix by power iteration, and subtracts it. part[i] is the
 * share of row i. The first component tells the sides of the cache, the second one the halves of the chip. */
static void take_component(double *m, int rows, double *part) {
    double line[LOOK_LINES];
    for (int i = 0; i < rows; i++)
        part[i] = (i * 37 + 11) % 101 - 50;
    for (int turn = 0; turn < ITERATIONS; turn++) {
        for (int j = 0; j < LOOK_LINES; j++) {
            line[j] = 0;
            for (int i = 0; i < rows; i++)
                line[j] += part[i] * m[i * LOOK_LINES + j];
        }
        double length = norm(line, LOOK_LINES);
        for (int i = 0; i < rows; i++) {
            part[i] = 0;
            for (int j = 0; j < LOOK_LINES && length > 0; j++)
                part[i] += line[j] / length * m[i * LOOK_LINES + j];
        }
        if (turn == ITERATIONS - 1)
            for (int n = 0; n < rows * LOOK_LINES && length > 0; n++)
                m[n] -= part[n / LOOK_LINES] * line[n % LOOK_LINES] / length;
    }
}

/* Sets on which side of a component each multiprocessor is. Returns false if one of them is on neither. */
static bool tell_apart(const double *part, int sms, unsigned char *side) {
    double least = LEAST * norm(part, sms) / sqrt(sms);
    bool clear = least > 0;
    for (int i = 0; i < sms; i++) {
        side[i] = part[i] < 0;
        clear = clear && fabs(part[i]) >= least;
    }
    return clear;
}

/* Measures how long each multiprocessor takes for each of the same lines. */
static bool look(struct cuda_device *dev, double *m, struct diag *d) {
    int sms = dev->traits.sms, *times = memory_new((size_t)sms * LOOK_LINES, sizeof *times);
    struct halves_row rows[MAX_SM] = {0};
    for (int i = 0; i < MAX_SM; i++)
        rows[i] = (struct halves_row){
            i < sms ? 0 : INT_MAX / 2, 1, i * LOOK_TURN % LOOK_LINES, 1, 0, i * LOOK_LINES};
    bool fine = read_lines(dev, HALVES_AT(dev, times), LOOK_LINES, rows, times, sms * LOOK_LINES, d);
    for (int n = 0; n < sms * LOOK_LINES; n++)
        m[n] = times[n];
    free(times);
    return fine;
}

/* Orders the multiprocessors so that neighbours are in different halves, as long as both halves have some
 * left. */
static void rank_by_turns(struct device_halves *h, int sms, unsigned *rank) {
    int next[2] = {0, 0};
    for (int n = 0; n < sms; n++) {
        int half = n & 1;
        for (int tries = 0; tries < 2; tries++) {
            while (next[half] < sms && h->half[next[half]] != half)
                next[half]++;
            if (next[half] < sms) break;
            half = !half;
        }
        rank[next[half]] = (unsigned)n;
        h->order[n] = next[half]++;
    }
}

static bool find_halves(struct cuda_device *dev, struct diag *d) {
    struct device_halves *h = &dev->halves;
    int sms = dev->traits.sms;
    unsigned rank[MAX_SM] = {0};
    double *m = memory_new((size_t)sms * LOOK_LINES, sizeof *m), part[MAX_SM];
    bool fine = load_reader(dev, d) && look(dev, m, d);
    if (fine) {
        center(m, sms, h->mean);
        take_component(m, sms, part);
        tell_apart(part, sms, h->side);
        take_component(m, sms, part);
        fine = tell_apart(part, sms, h->half);
    }
    free(m);
    if (!fine) return false;
    rank_by_turns(h, sms, rank);
    return put(dev, HALVES_AT(dev, rank), rank, sizeof rank, d);
}

/* Frees what the device has for this. */
static void release(struct cuda_device *dev) {
    struct device_halves *h = &dev->halves;
    if (h->memory || h->module) dev->cu->cuCtxSetCurrent(dev->gpu[0].context);
    if (h->memory) dev->cu->cuMemFree(h->memory);
    if (h->stream) dev->cu->cuStreamDestroy(h->stream);
    if (h->module) dev->cu->cuModuleUnload(h->module);
    h->memory = 0;
    h->stream = NULL;
    h->module = NULL;
}

/* Whether the device has halves. Measures once; if the driver fails, there are none. */
static bool has_halves(struct cuda_device *dev) {
    struct device_halves *h = &dev->halves;
    struct diag d = {0};
    if (h->known == HALVES_UNKNOWN)
        h->known = dev->traits.sms <= MAX_SM && find_halves(dev, &d) ? HALVES_FOUND : HALVES_NONE;
    if (h->known == HALVES_NONE) release(dev);
    diag_free(&d);
    return h->known == HALVES_FOUND;
}

/* Assigns lines to multiprocessors: each line is read by equally many of each quarter, so that the side of
 * the cache does not count. */
static void share_lines(const struct cuda_device *dev, struct halves_row *rows, int *readers) {
    const struct device_halves *h = &dev->halves;
    int count[4] = {0}, least = MAX_SM, next[4] = {0};
    for (int i = 0; i < dev->traits.sms; i++)
        count[2 * h->half[i] + h->side[i]]++;
    for (int q = 0; q < 4; q++)
        if (count[q] < least) least = count[q];
    *readers = least < READERS ? least : READERS;
    int step = *readers > 0 ? least / *readers : 1;
    for (int i = 0; i < MAX_SM; i++) {
        rows[i] = (struct halves_row){INT_MAX / 2, 1, 0, 1, 0, 0};
        if (i >= dev->traits.sms) continue;
        int number = next[2 * h->half[i] + h->side[i]]++;
        if (number < step * *readers)
            rows[i] = (struct halves_row){number % step, step, 0, h->half[i] ? -1 : 1, h->mean[i], 0};
    }
}

/* Measures once in which half each line of the locations is. */
static bool find_lines(struct cuda_device *dev, struct diag *d) {
    struct device_halves *h = &dev->halves;
    struct halves_row rows[MAX_SM];
    int readers;
    if (h->line) return true;
    share_lines(dev, rows, &readers);
    int *times = memory_new(HALVES_LINES, sizeof *times);
    bool fine =
        readers > 0 && read_lines(dev, HALVES_AT(dev, locations), HALVES_LINES, rows, times, HALVES_LINES, d);
    if (fine) h->line = memory_new(HALVES_LINES, sizeof *h->line);
    for (int n = 0; fine && n < HALVES_LINES; n++)
        h->line[n] = (struct line_half){times[n] > 0, abs(times[n]) >= 2 * readers * SURE};
    free(times);
    return fine;
}

void halves_forget(struct cuda_device *dev) {
    struct device_halves *h = &dev->halves;
    release(dev);
    free(h->line);
    free(h->tables);
    *h = (struct device_halves){0};
}

/* ---- where locations lie ---- */

/* How many times as many lines as needed a chunk gets, so that enough of them are in the same half in all
 * chunks. */
static int spare_lines(const struct launch_args *e) {
    return e->batch == 1 ? 5 : 13;
}

/* Whether locations can lie near to blocks. Tests with shared elements are excluded, since the padding for
 * the lines would also apply to shared memory. */
static bool can_be_near(const struct cuda_kernel *k, const struct launch_args *e) {
    const struct shape *sh = &k->shape;
    return e->batch <= MOST_BATCH && !e->interleave && NEAR_WORDS % e->stride == 0 && !sh->arrays &&
           sh->shared_elements == 0 && sh->global_elements > 0 &&
           sh->global_elements * k->t->nthreads <= MAX_KEPT;
}

void halves_make_room(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e) {
    if (!set->halves || !has_halves(k->dev)) set->halves = 0;
    if (!set->halves || set->cold > 0 || !can_be_near(k, e)) set->near = 0;
    if (!set->near) return;
    int elements = k->shape.global_elements,
        lines = (int)(((long long)e->instances * e->stride + NEAR_WORDS - 1) / NEAR_WORDS);
    long long all = 2LL * e->batch * spare_lines(e) * elements * lines;
    if (all > HALVES_LINES || lines * elements > TABLE_LINES) {
        set->near = 0;
        return;
    }
    e->near_lines = lines;
    e->pad = spare_lines(e) * lines * NEAR_WORDS - e->instances * e->stride;
}

/* The lines of a chunk, sorted: line[half][1] are surely in that half in every chunk, line[half][0] probably,
 * and `other` in different halves in different chunks. */
struct line_lists {
    int *line[2][2], n[2][2], next[2][2], *other, nother, next_other;
};

static void sort_lines(const struct line_half *half, int lines, int chunks, struct line_lists *all) {
    for (int n = 0; n < lines; n++) {
        int second = 0, sure = 0;
        for (int c = 0; c < chunks; c++) {
            second += half[c * lines + n].second;
            sure += half[c * lines + n].sure;
        }
        if (second > 0 && second < chunks) {
            all->other[all->nother++] = n;
            continue;
        }
        int h = second > 0, s = sure == chunks;
        all->line[h][s][all->n[h][s]++] = n;
    }
}

static bool take_line(struct line_lists *all, int half, int sure, int *line) {
    int *next = &all->next[half][sure];
    if (*next == all->n[half][sure]) return false;
    *line = all->line[half][sure][(*next)++];
    return true;
}

/* Takes a free line in this half. If there is none, counts that in *missed and takes another one. */
static int choose_line(struct line_lists *all, int half, int *missed) {
    int line = 0;
    if (take_line(all, half, 1, &line) || take_line(all, half, 0, &line)) return line;
    ++*missed;
    if (all->next_other < all->nother) return all->other[all->next_other++];
    if (!take_line(all, !half, 0, &line)) take_line(all, !half, 1, &line);
    return line;
}

/* Returns the home block of the instances in line n of an element. */
static int home_of(const struct launch_args *e, int n, int element) {
    int home = (int)((long long)n * NEAR_WORDS / e->stride / e->per_block) % e->homes;
    return (home + e->homes - e->skew * (element % SKEWED_ELEMENTS) % e->homes) % e->homes;
}

/* Returns the location of an element. */
static int location_of(const struct test *t, const int *first, int element) {
    int l = 0;
    while (l < t->nlocs - 1 &&
           (!space_rows[t->locs[l].space].of_gpu || t->locs[l].view || first[l] != element))
        l++;
    return l;
}

/* Returns which elements belong to locations that should be in the other half: bit n is element n. */
static unsigned other_elements(const struct cuda_kernel *k, const struct halves *way) {
    struct arena *a = arena_open();
    int n = 0, *first = gen_elements(a, k->t, &n);
    unsigned other = 0;
    for (int l = 0; l < k->shape.global_elements; l++)
        other |= (way->other >> location_of(k->t, first, l) & 1) << l;
    arena_close(a);
    return other;
}

/* Chooses all lines of all elements, to[elements][near_lines]. Returns how many are not in the half where
 * they should be. */
static int choose_lines(const struct cuda_device *dev, const struct launch_args *e,
                        const struct lines_wanted *w, int *to) {
    const struct device_halves *h = &dev->halves;
    struct arena *a = arena_open();
    int lines = chunk_words(e, e->instances, w->elements) / NEAR_WORDS, missed = 0;
    struct line_lists all = {.other = arena_array(a, (size_t)lines, sizeof *all.other)};
    for (int i = 0; i < 4; i++)
        all.line[i / 2][i % 2] = arena_array(a, (size_t)lines, sizeof *all.other);
    sort_lines(h->line, lines, 2 * e->batch, &all);
    for (int i = 0; i < e->near_lines; i++) {
        for (int l = 0; l < w->elements; l++) {
            int half = h->half[h->order[home_of(e, i, l) % dev->traits.sms]] ^ (int)(w->other >> l & 1);
            to[l * e->near_lines + i] = choose_line(&all, half, &missed) * NEAR_WORDS;
        }
    }
    arena_close(a);
    return missed;
}

/* Returns the table if these lines were chosen before, else NULL. */
static const struct line_table *find_table(const struct device_halves *h, const struct lines_wanted *w) {
    for (int n = 0; n < h->ntables; n++)
        if (memcmp(&h->tables[n].wanted, w, sizeof *w) == 0) return &h->tables[n];
    return NULL;
}

/* Makes room for a table behind the last one. If there is none, waits for all launches and starts over. */
static bool make_table(struct cuda_device *dev, const struct lines_wanted *w, int n, struct line_table **out,
                       struct diag *d) {
    struct device_halves *h = &dev->halves;
    if (!h->tables) h->tables = memory_new(MOST_TABLES, sizeof *h->tables);
    if (h->ntables == MOST_TABLES || n > ALL_TABLE_LINES - h->used_lines) {
        if (!gpu_wait(dev, &dev->gpu[0], d)) return false;
        h->ntables = h->used_lines = 0;
    }
    *out = &h->tables[h->ntables];
    **out = (struct line_table){.wanted = *w, .first = h->used_lines};
    return true;
}

/* Chooses the lines and copies them to the device. With an unlucky distance between chunks all lines may be
 * in different halves in different chunks; then other distances are tried. */
static bool lay_out_lines(struct cuda_device *dev, const struct lines_wanted *w, struct launch_args *e,
                          const struct line_table **out, struct diag *d) {
    struct device_halves *h = &dev->halves;
    struct line_table *table;
    int n = w->elements * e->near_lines, *lines = memory_new((size_t)n, sizeof *lines);
    for (int tries = 0; choose_lines(dev, e, w, lines) > 0 && tries < DISTANCES && e->pad >= NEAR_WORDS;
         tries++)
        e->pad -= NEAR_WORDS;
    bool fine = make_table(dev, w, n, &table, d) &&
                put(dev, HALVES_AT(dev, lines) + (size_t)table->first * sizeof *lines, lines,
                    (size_t)n * sizeof *lines, d);
    free(lines);
    if (!fine) return false;
    table->pad = e->pad;
    h->ntables++;
    h->used_lines += n;
    *out = table;
    return true;
}

/* Many cells run in the same environments, so their lines are chosen once and found again. */
static bool choose_near(const struct cuda_kernel *k, const struct halves *way, struct launch_args *e,
                        struct diag *d) {
    struct cuda_device *dev = k->dev;
    const struct lines_wanted w = {.instances = e->instances,
                                   .per_block = e->per_block,
                                   .homes = e->homes,
                                   .stride = e->stride,
                                   .skew = e->skew,
                                   .batch = e->batch,
                                   .elements = k->shape.global_elements,
                                   .other = other_elements(k, way)};
    if (!find_lines(dev, d)) return false;
    const struct line_table *table = find_table(&dev->halves, &w);
    if (!table && !lay_out_lines(dev, &w, e, &table, d)) return false;
    e->pad = table->pad;
    e->lines = HALVES_POINTER(dev, lines, int) + table->first;
    e->global[0] = HALVES_POINTER(dev, locations, int);
    return true;
}

bool halves_lay_out(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e,
                    struct diag *d) {
    struct halves way;
    plan_roles(k->spots, k->t->nthreads, e);
    if (!set->halves || !gen_halves(k->t, k->placement, set->halves, &way)) return true;
    e->rank = HALVES_POINTER(k->dev, rank, unsigned);
    for (int r = 0; r < k->t->nthreads; r++) {
        e->offset[r] = way.offset[k->spots[r].block];
        if (k->blocks == k->t->nthreads) e->role_at[e->offset[r]] = r;
    }
    return !set->near || choose_near(k, &way, e, d);
}
