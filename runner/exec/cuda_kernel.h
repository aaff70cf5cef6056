/* Inside the CUDA backend: the device and the kernels that cuda.c makes and cuda_run.c launches. */
#ifndef CULITMUS_CUDA_KERNEL_H
#define CULITMUS_CUDA_KERNEL_H

#include "exec/backend.h"
#include "exec/cuda_api.h"
#include "exec/setting.h"
#include "gen/gen.h"

struct device {
    const struct cuda_api *cu;
    cu_device device;
    cu_context context;
    char name[256];
    char arch[16];
    int sms, cc, max_shared;
    char text[10][64]; /* values of `properties` */
    const char *properties[16];
};

struct kernel {
    struct device *dev;
    const struct test *t;
    const struct variant *v;
    struct shape shape;
    bool dedicated;
    int cluster;      /* blocks of a cluster, 0: none */
    int warps, lanes; /* at most a block of the placement; a warp */
    cu_module module;
    cu_function function;
    struct setting_limits limits;
};

bool cuda_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);

#endif
