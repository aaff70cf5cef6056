/* Inside the CUDA backend: the GPUs of a device (cuda_gpu.c), the kernels that cuda.c makes for it, the plan
 * of a launch (cuda_plan.c), the launch (cuda_launch.c), and the running (cuda_run.c). */
#ifndef CULITMUS_CUDA_KERNEL_H
#define CULITMUS_CUDA_KERNEL_H

#include "../kernels/launch.h"
#include "cuda/cuda_api.h"
#include "cuda/cuda_environment.h"
#include "cuda/cuda_host.h"
#include "gen/meeting.h"
#include "run/backend.h"
#include "../kernels/plan.h"

_Static_assert((int)MAX_OBS == (int)TEST_MAX_OBS, "a kernel counts outcomes of any test");

enum { CUDA_MAX_KERNELS = 16, CUDA_MAX_KERNEL_BLOCKS = 64 };

/* What a launch has for itself. There are two, so that a launch may begin before the results of the one before it were
 * read. Each has its stream: what is copied and cleared for one need not wait for the other. */
struct gpu_slot {
    cu_stream stream;
    cu_event before, after; /* it */
    cu_event home;          /* the results are in `fetched` */
    cu_pointer results;
    struct results *fetched; /* page-locked */
};
enum { GPU_SLOTS = 2 };

/* One GPU, and memory that is kept from cell to cell and grows. */
struct gpu {
    cu_device device;
    cu_context context;
    struct gpu_slot slot[GPU_SLOTS];
    cu_pointer global, values, sm_of, spots, scratch;
    size_t global_bytes, values_bytes;
};

/* Page-locked memory that grows. */
struct pinned {
    void *memory;
    size_t bytes;
};

/* What has to be known of a device to say what it cannot run, without asking its driver. It may be sent to another
 * process. GPUs are numbered from the one that was opened. */
struct cuda_traits {
    int index, present; /* the first's number; how many GPUs the machine has */
    int sms, cc, blocks_per_sm;
    int maps_host;    /* 1: the host's memory can be put beside a GPU's */
    int host_atomics; /* 1: those of the GPU and of a CPU on the host's memory are atomic to each other */
    bool narrow;      /* its compiler takes no operands of 16 bytes */
    bool reaches[MAX_GPUS][MAX_GPUS]; /* a GPU another's memory */
    bool atomics[MAX_GPUS][MAX_GPUS]; /* those of a GPU are atomic in another's memory */
};

/* In which half of the chip a line of memory is. */
struct line_half {
    bool second, sure;
};

/* The halves of the first GPU (cuda_halves.c). */
struct device_halves {
    enum { HALVES_UNKNOWN, HALVES_NONE, HALVES_FOUND } known;
    unsigned char half[MAX_SM], side[MAX_SM]; /* of each multiprocessor */
    int mean[MAX_SM];                         /* cycles that it takes to read a line */
    int order[MAX_SM];                        /* the multiprocessors by rank */
    struct line_half *line;    /* of the memory for locations near to blocks; NULL: not known */
    cu_pointer memory;         /* struct halves_memory */
    struct line_table *tables; /* [ntables]: where lines were chosen to be, as the device has it too */
    int ntables, used_lines;
    cu_stream stream;
    cu_module module;
    cu_function function;
};

/* A range of addresses with the host's memory and the first GPU's (cuda_afar.c). */
struct device_afar {
    bool known; /* whether it can be had was asked */
    cu_pointer range;
    size_t mapped; /* bytes from its first on that have memory */
    cu_stream stream;
    unsigned turn; /* whose table of lines is next */
};

/* The GPU that was opened is gpu[0]; its peers follow when a cell needs them. */
struct cuda_device {
    struct device base;
    const struct cuda_api *cu;
    struct cuda_traits traits;
    struct gpu gpu[MAX_GPUS];
    int opened;
    struct device_halves halves;
    struct device_afar afar;
    struct pinned locations, meeting; /* `space: host`; what CPU threads and GPU share beside it */
    char name[256];
    char arch[16];
    int max_shared;
    size_t memory;     /* bytes */
    char text[12][64]; /* values of `properties` */
    const char *properties[25];
};

struct cuda_kernel {
    struct cuda_device *dev;
    const struct test *t;
    const struct placement *placement;
    struct shape shape;
    bool dedicated;                           /* every thread plays one role */
    int kernels;                              /* of a stream, that play a round (gen_kernels); 0: one plays all */
    enum launch launch[CUDA_MAX_KERNELS];     /* how each is launched */
    uint64_t kernel_blocks[CUDA_MAX_KERNELS]; /* bit n: block n of the placement is its */
    bool one_instance;                        /* a block plays one, once a launch: a trigger is all its block's */
    bool one_sm;                              /* the blocks of an instance share a multiprocessor */
    int cluster;                              /* blocks of a cluster, 0: no clusters */
    int gpus;                                 /* that take part */
    int blocks, warps, lanes;                 /* of the placement: at most on a GPU, in a block, in a warp */
    int align_gpu, align_block, align_warp;   /* as in struct seating */
    struct launch_seat *spots;                /* of the test's threads, and of their companions */
    int nspots;
    int max_slots; /* instances, of those with barriers of their own, that a block has barriers for; else 0 */
    cu_module module[MAX_GPUS];
    cu_function function[MAX_GPUS];
    struct host_team *host; /* the CPU threads beside the GPU, NULL: none */
    struct cuda_environment_limits limits;
    /* Where the cell has one open edge: */
    int cold[2];    /* the elements of its two locations, which may be cold or afar; -1: may not */
    int align_pure; /* align_block where all threads of a block play the same role at a step */
};

/* Opens the device's GPUs up to number n - 1, each able to reach the others' memory. */
bool gpu_open_peers(struct cuda_device *dev, int n, struct diag *d);
void gpu_close_all(struct cuda_device *dev);
/* Waits for all that is under way on a GPU. */
bool gpu_wait(const struct cuda_device *dev, const struct gpu *g, struct diag *d);
/* Fills in what the device's GPUs can do with each other. */
void gpu_look_at_peers(struct cuda_device *dev);
/* The number that the driver has for GPU i. */
int gpu_number(const struct cuda_traits *traits, int i);
/* Makes room on one GPU, and on the host for all GPUs. What was there is lost. */
bool gpu_reserve(struct cuda_device *dev, struct gpu *g, size_t global_bytes, size_t values_bytes,
                 struct diag *d);
bool gpu_reserve_pinned(struct cuda_device *dev, struct pinned *p, size_t bytes, struct diag *d);

/* One launch: the same on every GPU but for the environment. */
struct launch_plan {
    struct launch_args env[MAX_GPUS];
    unsigned grid, threads, shared;
};

struct plan_facts plan_facts_of(const struct cuda_kernel *k);
/* Fits an environment to the device and the kernel: changes values that cannot be, and reserves the memory. */
bool plan_make(struct cuda_kernel *k, struct cuda_environment *set, uint64_t seed, struct launch_plan *p,
               struct diag *d);

/* Begins a launch, whose results come home to a slot. */
bool launch_begin(const struct cuda_kernel *k, struct launch_plan *p, int slot, struct diag *d);
/* Waits for its end. *ms is the time of the slowest GPU. */
bool launch_end(const struct cuda_kernel *k, int slot, float *ms, struct diag *d);

/* Whether there is code for the device at all: NVRTC can compile for it, or a package has some; else an error. */
bool cuda_has_code(const struct cuda_device *dev, struct diag *d);

/* Why a device cannot run a cell (in the arena), or NULL. */
const char *cuda_cannot(const struct cuda_traits *dev, const struct test *t, const struct cell *cell,
                        struct arena *a);

/* Those of a GPU that has all that an architecture has: "sm_90". */
struct cuda_traits cuda_traits_of(const char *arch);

/* What is known of a cell's kernel before it is loaded; for cuda_discard. */
struct cuda_kernel *cuda_describe(struct cuda_device *dev, const struct test *t, const struct cell *cell);
/* The most threads a block, of so many that its registers allow. */
int cuda_most_threads(const struct cuda_kernel *k, int threads);
/* Makes a kernel of a cell's machine code, for as many of the device's GPUs as it needs. */
bool cuda_load(struct cuda_device *dev, const struct test *t, const struct cell *cell, const void *cubin,
               struct cuda_kernel **out, struct diag *d);
void cuda_discard(struct cuda_kernel *k);
/* Measures what fences cost, by the machine code of cuda_compile_costs: the median of so many times for each warp. */
bool cuda_fence_costs(struct cuda_device *dev, const void *cubin, int times, struct fence_cost *costs, int n,
                      const atomic_int *stop, struct diag *d);
bool cuda_run(struct cuda_kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);

#endif
