/* A flag that is raised after the data, for tests/lift/source.test. */
#include "flag.h"

template <class T>
__global__ void publish(T *data, int *flag, T *out) {
    if (blockIdx.x == 0) {
        data[0] = VALUE;
        CULITMUS_FENCE(publish);
        raise(flag);
    } else {
        await(flag);
        out[0] = data[0];
    }
}
