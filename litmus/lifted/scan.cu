/* Two blocks of a scan by CUB: the first says what it has, the second looks back for it. */
#include <cub/agent/single_pass_scan_operators.cuh>
#include <cub/grid/grid_queue.cuh>

/* What is apart from the word that says whether it is there. */
struct Wide {
    long long low, high;
};

/* The state of a tile of TILE: in one word, in two of a vector, or apart. */
__global__ void look_back(char *storage, TILE *out) {
    cub::ScanTileState<TILE> tiles;
    tiles.Init(2, storage, 4096);
    if (blockIdx.x == 0) {
        tiles.SetInclusive(0, TILE{5});
    } else {
        decltype(tiles)::StatusWord status;
        TILE value;
        tiles.WaitForValid(0, status, value);
        out[0] = value;
    }
}

/* What a tile has written itself, before it says that it is done. */
__global__ void hand_over(char *storage, int *data, int *out) {
    cub::ScanTileState<TILE> tiles;
    tiles.Init(2, storage, 4096);
    if (blockIdx.x == 0) {
        data[0] = 1;
        tiles.SetInclusive(0, TILE{5});
    } else {
        decltype(tiles)::StatusWord status;
        TILE value;
        tiles.WaitForValid(0, status, value);
        out[0] = data[0];
    }
}

/* Each block takes another piece of work. */
__global__ void queue(int *counters, int *out) {
    cub::GridQueue<int> work(counters);
    out[blockIdx.x] = work.Drain(1);
}
