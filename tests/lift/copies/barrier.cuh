// An mbarrier, by its instructions.
#pragma once

#include <cstdint>

struct Barrier {
    uint64_t word;

    __device__ uint32_t address() const { return static_cast<uint32_t>(__cvta_generic_to_shared(&word)); }
    __device__ void init(uint32_t count) const {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(count) : "memory");
    }
    __device__ void wait(uint32_t phase) const {
        asm volatile("{\n"
                     ".reg .pred over;\n"
                     "AGAIN:\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                     "@over bra DONE;\n"
                     "bra AGAIN;\n"
                     "DONE:\n"
                     "}" ::"r"(address()), "r"(phase) : "memory");
    }
    __device__ void arrive() const {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
    __device__ void arrive_and_expect_tx(uint32_t bytes) const {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes)
                     : "memory");
    }
};
