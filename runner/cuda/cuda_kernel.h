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

/* What belongs to one launch. There are two slots, so that a launch may begin before the results of the one
 * before it were read. Each has its own stream, so that copies and clearing for one launch do not wait for
 * the other. */
struct gpu_slot {
    cu_stream stream;
    cu_event before, after; /* the launch */
    cu_event home;          /* the results are in `fetched` */
    cu_pointer results;
    struct results *fetched; /* page-locked */
};
enum { GPU_SLOTS = 2 };

/* One GPU, and memory that is kept from cell to cell and only grows. */
struct gpu {
    cu_device device;
    cu_context context;
    struct gpu_slot slot[GPU_SLOTS];
    cu_pointer global, values, sm_of, spots, scratch;
    size_t global_bytes, values_bytes;
};

/* Page-locked memory that only grows. */
struct pinned {
    void *memory;
    size_t bytes;
};

/* What must be known of a device to say what it cannot run, without its driver. It is sent to another process
 * as plain bytes. GPUs are numbered from the one that was opened. */
struct cuda_traits {
    int index, present; /* the driver's number of the first GPU; how many GPUs the machine has */
    int sms, cc, blocks_per_sm;
    int maps_host;    /* 1: the host's memory can be mapped beside the GPU's */
    int host_atomics; /* 1: atomics of the GPU and of a CPU on the host's memory are atomic to each other */
    bool narrow;      /* the compiler has no 16-byte operands in asm */
    bool reaches[MAX_GPUS][MAX_GPUS]; /* [a][b]: GPU a can access GPU b's memory */
    bool atomics[MAX_GPUS][MAX_GPUS]; /* [a][b]: atomics of GPU a on GPU b's memory are atomic */
};

/* The half of the chip where a line of memory is; `sure`: the measurement was clear. */
struct line_half {
    bool second, sure;
};

/* The halves of the first GPU (cuda_halves.c). */
struct device_halves {
    enum { HALVES_UNKNOWN, HALVES_NONE, HALVES_FOUND } known;
    /* of each multiprocessor: its half of the chip, its side of the cache */
    unsigned char half[MAX_SM], side[MAX_SM];
    int mean[MAX_SM];          /* of each multiprocessor: the mean cycles to read a line */
    int order[MAX_SM];         /* the multiprocessors, alternating between the halves */
    struct line_half *line;    /* of each line of the memory for near locations; NULL: not measured */
    cu_pointer memory;         /* a struct halves_memory on the device */
    struct line_table *tables; /* [ntables]: the choices of lines that are on the device */
    int ntables, used_lines;
    cu_stream stream;
    cu_module module;
    cu_function function;
};

/* A range of addresses with the host's memory and the first GPU's (cuda_afar.c). */
struct device_afar {
    bool known; /* mapping it was tried */
    cu_pointer range;
    size_t mapped; /* how many bytes of it are mapped, from its begin */
    cu_stream stream;
    unsigned turn; /* counts the tables of lines; a slot's is turn mod GPU_SLOTS */
};

/* The GPU that was opened is gpu[0]. The others are opened when a cell needs them. */
struct cuda_device {
    struct device base;
    const struct cuda_api *cu;
    struct cuda_traits traits;
    struct gpu gpu[MAX_GPUS];
    int opened;
    struct device_halves halves;
    struct device_afar afar;
    /* for locations with `space: host`; for what CPU threads and the GPU share besides */
    struct pinned locations, meeting;
    char name[256];
    char arch[16];
    int max_shared;
    size_t memory;     /* bytes of the GPU's memory */
    char text[12][64]; /* values of `properties` */
    const char *properties[25];
};

struct cuda_kernel {
    struct cuda_device *dev;
    const struct test *t;
    const struct placement *placement;
    struct shape shape;
    bool dedicated; /* every thread plays one role only */
    int kernels;    /* how many kernels play a round (gen_kernels); 0: one launch plays all rounds */
    enum launch launch[CUDA_MAX_KERNELS];     /* how each kernel is launched */
    uint64_t kernel_blocks[CUDA_MAX_KERNELS]; /* bit n: block n of the placement belongs to the kernel */
    /* a block plays one instance in a launch, because a trigger acts for its whole block */
    bool one_instance;
    bool one_sm; /* the blocks of an instance share a multiprocessor */
    int cluster; /* blocks of a cluster; 0: no clusters */
    int gpus;    /* how many take part */
    /* the most blocks on a GPU, warps in a block and lanes in a warp of the placement */
    int blocks, warps, lanes;
    int align_gpu, align_block, align_warp; /* as in struct seating */
    struct launch_seat *spots;              /* the seats of the test's threads, then those of companions */
    int nspots;
    /* with allotted barriers (gen/meeting.h): for how many groups of warps a block has barriers; else 0 */
    int max_slots;
    cu_module module[MAX_GPUS];
    cu_function function[MAX_GPUS];
    struct host_team *host; /* the CPU threads beside the GPU; NULL: none */
    struct cuda_environment_limits limits;
    /* If the cell has one open edge: */
    int cold[2];    /* the elements of its two locations, if these may be cold or afar; else -1 */
    int align_pure; /* align_block for an environment with `pure` */
};

/* Opens GPUs 0 to n - 1 of the device, and lets each access the memory of the others. */
bool gpu_open_peers(struct cuda_device *dev, int n, struct diag *d);
void gpu_close_all(struct cuda_device *dev);
/* Waits for everything that is under way on a GPU. */
bool gpu_wait(const struct cuda_device *dev, const struct gpu *g, struct diag *d);
/* Fills in what the device's GPUs can do with each other. */
void gpu_look_at_peers(struct cuda_device *dev);
/* Returns the driver's number of GPU i. */
int gpu_number(const struct cuda_traits *traits, int i);
/* Makes room on one GPU, and in the host's memory for all GPUs. What was there is lost. */
bool gpu_reserve(struct cuda_device *dev, struct gpu *g, size_t global_bytes, size_t values_bytes,
                 struct diag *d);
bool gpu_reserve_pinned(struct cuda_device *dev, struct pinned *p, size_t bytes, struct diag *d);

/* One launch. Only the environment differs between GPUs. */
struct launch_plan {
    struct launch_args env[MAX_GPUS];
    unsigned grid, threads, shared;
};

struct plan_facts plan_facts_of(const struct cuda_kernel *k);
/* Suits an environment to the device and the kernel: replaces values that are not possible, reserves the
 * memory, and fills in the launch. */
bool plan_make(struct cuda_kernel *k, struct cuda_environment *set, uint64_t seed, struct launch_plan *p,
               struct diag *d);

/* Begins a launch. Its results will be copied to a slot. */
bool launch_begin(const struct cuda_kernel *k, struct launch_plan *p, int slot, struct diag *d);
/* Waits until the launch has ended. *ms is the time that the slowest GPU took. */
bool launch_end(const struct cuda_kernel *k, int slot, float *ms, struct diag *d);

/* Whether there can be code for the device: NVRTC compiles for it, or a package has some. Else leaves an
 * error. */
bool cuda_has_code(const struct cuda_device *dev, struct diag *d);

/* Returns why a device cannot run a cell (in the arena), or NULL. */
const char *cuda_cannot(const struct cuda_traits *dev, const struct test *t, const struct cell *cell,
                        struct arena *a);

/* Returns the traits of a GPU that has everything that the architecture, such as "sm_90", has. */
struct cuda_traits cuda_traits_of(const char *arch);

/* Returns what is known of a cell's kernel before it is loaded. Free it with cuda_discard. */
struct cuda_kernel *cuda_describe(struct cuda_device *dev, const struct test *t, const struct cell *cell);
/* Returns how many threads a block may have: `threads`, which its registers allow, or fewer. */
int cuda_most_threads(const struct cuda_kernel *k, int threads);
/* Loads a cell's machine code on as many GPUs as the cell needs. */
bool cuda_load(struct cuda_device *dev, const struct test *t, const struct cell *cell, const void *cubin,
               struct cuda_kernel **out, struct diag *d);
void cuda_discard(struct cuda_kernel *k);
/* Measures what fences cost, with the code of cuda_compile_costs: the median of `times` measurements for each
 * warp. */
bool cuda_fence_costs(struct cuda_device *dev, const void *cubin, int times, struct fence_cost *costs, int n,
                      const atomic_int *stop, struct diag *d);
bool cuda_run(struct cuda_kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);

#endif
