/* culitmus: the host's part of a program of its own. It runs the kernel above in each of `environments`, one launch
 * after the other, and prints the outcomes. It exits with 0 when it ran, whatever it saw, and with 2 when it could not.
 *
 *   ./a.out [SECONDS]    of all environments together (10) */
#define TRY(call) try_call(call, #call)
static void try_call(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(2);
}

/* Whether outcomes satisfy the condition: a thread each. */
__global__ void judge(const int *words, int n, int *satisfied)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) satisfied[k] = satisfies(words + k * NOBS);
}

struct shown {
    int words[NOBS + 1];
    unsigned long long count;
};
enum { MAX_OUTCOMES = 1 << 16 };
static struct shown outcomes[MAX_OUTCOMES];
static int noutcomes, satisfied[MAX_OUTCOMES];

static void add_outcome(const int *words, unsigned long long count)
{
    int k = 0;
    while (k < noutcomes && memcmp(outcomes[k].words, words, NOBS * sizeof *words) != 0) k++;
    if (k == MAX_OUTCOMES) {
        fprintf(stderr, "more than %d outcomes\n", MAX_OUTCOMES);
        exit(2);
    }
    if (k == noutcomes) memcpy(outcomes[noutcomes++].words, words, NOBS * sizeof *words);
    outcomes[k].count += count;
}

/* Adds what a launch has shown; returns how many runs that was. */
static unsigned long long add_results(const struct results *r)
{
    unsigned long long runs = r->stuck;
    for (int i = 0; i < BIG_SLOTS; i++) {
        int words[NOBS + 1];
        if (r->keys[i] == 0) continue;
        plan_unpack(r->keys[i] ^ KEY_MASK, NOBS, words);
        add_outcome(words, r->counts[i]);
        runs += r->counts[i];
    }
    for (unsigned i = 0; i < r->wide_used && i < WIDE_SLOTS; i++) {
        add_outcome(r->wide + i * NOBS, r->wide_counts[i]);
        runs += r->wide_counts[i];
    }
    if (r->lost || r->out_of_bounds) {
        fprintf(stderr, r->lost ? "more outcomes than a launch can count\n" : "an array index was out of bounds\n");
        exit(2);
    }
    return runs;
}

/* How many runs so far satisfy the condition. */
static unsigned long long count_satisfied()
{
    int *words, *yes, *flat = (int *)malloc((noutcomes + 1) * NOBS * sizeof *flat);
    unsigned long long n = 0;
    for (int k = 0; k < noutcomes; k++) memcpy(flat + k * NOBS, outcomes[k].words, NOBS * sizeof *flat);
    TRY(cudaMalloc(&words, (noutcomes + 1) * NOBS * sizeof *words));
    TRY(cudaMalloc(&yes, (noutcomes + 1) * sizeof *yes));
    TRY(cudaMemcpy(words, flat, noutcomes * NOBS * sizeof *words, cudaMemcpyHostToDevice));
    if (noutcomes > 0) judge<<<(noutcomes + 255) / 256, 256>>>(words, noutcomes, yes);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(satisfied, yes, noutcomes * sizeof *yes, cudaMemcpyDeviceToHost));
    for (int k = 0; k < noutcomes; k++) n += satisfied[k] ? outcomes[k].count : 0;
    TRY(cudaFree(words));
    TRY(cudaFree(yes));
    free(flat);
    return n;
}

/* A launch that fits the device. */
struct fitted {
    struct launch_args env;
    int grid, threads;
    size_t shared;
};

/* How many blocks run at once. */
static int count_blocks(const struct plan_facts *f, struct cuda_environment *set, size_t shared)
{
    int resident = 0, clusters = 0;
    TRY(cudaFuncSetAttribute(litmus, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, litmus, set->threads, shared));
    if (set->blocks > resident) set->blocks = resident;
    if (f->one_sm) set->blocks -= set->blocks % f->blocks;
    if (!f->cluster) return f->sms * set->blocks;
    cudaLaunchAttribute at = {};
    at.id = cudaLaunchAttributeClusterDimension;
    at.val.clusterDim.x = f->cluster;
    at.val.clusterDim.y = at.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(f->cluster);
    config.blockDim = dim3(set->threads);
    config.dynamicSmemBytes = shared;
    config.attrs = &at;
    config.numAttrs = 1;
    TRY(cudaOccupancyMaxActiveClusters(&clusters, litmus, &config));
    return clusters * f->cluster;
}

/* Fits an environment to the device, with fewer threads a block if an instance's blocks do not run at once; false when
 * not one instance fits. */
static bool fit(const struct plan_facts *f, struct cuda_environment *set, struct fitted *p)
{
    int homes, blocks;
    do {
        blocks = set->blocks;
        if (!plan_fit_shared(f, set, &p->env, &p->shared)) return false;
        p->threads = set->threads;
        p->grid = count_blocks(f, set, p->shared);
        homes = plan_homes(f, set, p->grid);
        if (homes < 1) set->blocks = blocks;
        else plan_fit_memory(f, set, &p->env, homes, plan_per_block(f, set));
    } while (homes < 1 ? plan_fewer_threads(f, set) : plan_is_too_large(f, set, &p->env));
    return homes >= 1 && plan_fit_places(f, set, &p->env);
}

/* The blocks of an instance are on different multiprocessors, if block n is on multiprocessor n mod sms. */
static bool are_apart(int distance, const struct plan_facts *f)
{
    for (int steps = 1; steps < f->blocks; steps++)
        if ((long long)steps * distance % f->sms == 0) return false;
    return true;
}

static void *reserve(size_t bytes)
{
    void *p;
    TRY(cudaMalloc(&p, bytes ? bytes : 1));
    return p;
}

static void begin(const struct fitted *p, cudaLaunchAttribute *at, int attributes)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(p->grid);
    config.blockDim = dim3(p->threads);
    config.dynamicSmemBytes = p->shared;
    config.attrs = at;
    config.numAttrs = attributes;
    TRY(cudaLaunchKernelEx(&config, litmus, p->env));
}

#if KERNELS
/* The rounds of a test of several kernels, a launch for each of them; the first one gives the locations their initial
 * values. */
static void launch(struct fitted *p, const struct plan_facts *f)
{
    cudaLaunchAttribute at = {};
    at.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at.val.programmaticStreamSerializationAllowed = 1;
    for (int round = 0; round <= p->env.rounds; round++)
        for (int kernel = round ? 0 : KERNELS; kernel <= KERNELS; kernel++) {
            p->env.kernel = kernel;
            p->env.round = round;
            p->env.kernel_blocks = kernel < KERNELS ? kernel_blocks[kernel] : 0;
            begin(p, &at, kernel < KERNELS && is_dependent[kernel]);
        }
}
#else
static void launch(struct fitted *p, const struct plan_facts *f)
{
    cudaLaunchAttribute at = {};
    at.id = f->cluster ? cudaLaunchAttributeClusterDimension : cudaLaunchAttributeCooperative;
    if (f->cluster) {
        at.val.clusterDim.x = f->cluster;
        at.val.clusterDim.y = at.val.clusterDim.z = 1;
    } else {
        at.val.cooperative = 1;
    }
    begin(p, &at, 1);
}
#endif

/* What launches use of the device's memory. */
static void reserve_all(struct fitted *p)
{
    struct launch_args *e = &p->env;
    e->global[0] = (int *)reserve(plan_bytes(e, e->instances, GLOBAL_ELEMENTS));
    TRY(cudaMallocHost(&e->host, plan_bytes(e, e->instances, HOST_ELEMENTS) + 1));
    e->values[0] = (int *)reserve(2 * (size_t)e->batch * (NOBS + 1) * e->instances * sizeof(int));
    e->results = e->first = (struct results *)reserve(sizeof(struct results));
    e->sm_of = (unsigned *)reserve(p->grid * sizeof(unsigned));
    e->scratch = (int *)reserve(2 * (size_t)SCRATCH_WORDS * sizeof(int));
    struct launch_seat *spots = (struct launch_seat *)reserve(sizeof seats);
    TRY(cudaMemcpy(spots, seats, sizeof seats, cudaMemcpyHostToDevice));
    TRY(cudaMemset(e->scratch, 0, 2 * (size_t)SCRATCH_WORDS * sizeof(int)));
    e->spots = spots;
}

static void release_all(const struct fitted *p)
{
    void *const memory[] = {p->env.global[0], p->env.values[0], p->env.results, p->env.sm_of,
                            p->env.scratch, (void *)p->env.spots};
    for (void *m : memory) TRY(cudaFree(m));
    TRY(cudaFreeHost(p->env.host));
}

static unsigned long long stuck, discarded;

/* Runs an environment for so many seconds of the GPU's time; returns the runs. */
static unsigned long long run(const struct plan_facts *f, struct fitted *p, double seconds)
{
    enum { FIRST_ROUNDS = 8, MOST_ROUNDS = 1 << 16, MOST_DISCARDED = 100 };
    const float MS_A_LAUNCH = 10;
    static struct results r;
    unsigned long long runs = 0;
    cudaEvent_t before, after;
    TRY(cudaEventCreate(&before));
    TRY(cudaEventCreate(&after));
    p->env.rounds = FIRST_ROUNDS;
    double spent = 0;
    for (int lost = 0; spent < seconds && !stuck && lost < MOST_DISCARDED;) {
        float ms = 0;
        TRY(cudaMemset(p->env.results, 0, offsetof(struct results, wide)));
        TRY(cudaEventRecord(before));
        launch(p, f);
        TRY(cudaEventRecord(after));
        TRY(cudaMemcpy(&r, p->env.results, sizeof r, cudaMemcpyDeviceToHost));
        TRY(cudaEventElapsedTime(&ms, before, after));
        spent += ms / 1000;
        stuck += r.stuck;
        discarded += r.misplaced > 0;
        lost = r.misplaced ? lost + 1 : 0;
        if (!r.misplaced) runs += add_results(&r);
        double rounds = ms > 0 ? p->env.rounds * MS_A_LAUNCH / ms : MOST_ROUNDS;
        p->env.rounds = rounds < 2 ? 2 : rounds > MOST_ROUNDS ? MOST_ROUNDS : (int)rounds;
    }
    TRY(cudaEventDestroy(before));
    TRY(cudaEventDestroy(after));
    return runs;
}

static void print_environment(const struct cuda_environment *set)
{
    const int *value = (const int *)set;
    for (int k = 0; k < NPARAMETERS; k++) printf("%s%s=%d", k ? " " : "", parameter_names[k], value[k]);
    printf("\n");
}

/* Runs one of them, and tells what it showed. */
static void try_environment(struct plan_facts f, int number, double seconds)
{
    struct cuda_environment set = environments[number];
    struct fitted p = {};
    if (f.one_sm) set.distance = f.sms;
    while (!f.one_sm && !are_apart(set.distance, &f)) set.distance++;
    if (!fit(&f, &set, &p)) {
        printf("environment %d does not fit this device\n", number);
        return;
    }
    reserve_all(&p);
    plan_fill(&f, &set, number, &p.env);
    plan_roles(seats, NTHREADS, &p.env);
    unsigned long long before = count_satisfied(), runs = run(&f, &p, seconds), seen = count_satisfied() - before;
    printf("environment %d: %llu of %llu runs\n  ", number, seen, runs);
    print_environment(&set);
    release_all(&p);
}

static int by_count(const void *a, const void *b)
{
    unsigned long long x = ((const struct shown *)a)->count, y = ((const struct shown *)b)->count;
    return (x < y) - (x > y);
}

int main(int argc, char **argv)
{
    struct plan_facts f = facts;
    cudaDeviceProp device;
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    if (argc > 2 || seconds <= 0) {
        fprintf(stderr, "usage: %s [SECONDS]\n", argv[0]);
        return 2;
    }
    TRY(cudaGetDeviceProperties(&device, 0));
    f.sms = device.multiProcessorCount;
    f.max_shared = (int)device.sharedMemPerBlockOptin;
    printf("%s\n%s\n%s, %d multiprocessors\n", TITLE, CONDITION, device.name, f.sms);
    if (!f.one_sm && f.blocks > f.sms) {
        fprintf(stderr, "the test needs %d multiprocessors\n", f.blocks);
        return 2;
    }
    for (int n = 0; n < NENVIRONMENTS && !stuck; n++) try_environment(f, n, seconds / NENVIRONMENTS);
    qsort(outcomes, noutcomes, sizeof *outcomes, by_count);
    unsigned long long seen = count_satisfied();
    for (int k = 0; k < noutcomes; k++) {
        printf("%c %16llu  ", satisfied[k] ? '*' : ' ', outcomes[k].count);
        print_outcome(outcomes[k].words);
        printf("\n");
    }
    if (stuck) printf("%llu runs were stuck: a wait did not end\n", stuck);
    if (discarded) printf("%llu launches did not have the placement, and were not counted\n", discarded);
    printf(seen ? "SEEN %llu times\n" : "not seen\n", seen);
    return 0;
}
