// The kernels of src/inference/candle/ops/kernels on a CPU, for tests: what of CUDA they use, over fibers. One block runs
// after the other; its threads are fibers of one process thread that change at barriers only, so a run is the same each
// time. A warp runs as far ahead of the others as barriers let it, the first one or in the opposite order the last, which
// shows missing barriers. Instructions of a whole warp exchange what their lanes bring, by the tables of the PTX
// ISA 8.0 (9.7.14, matrix fragments).
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
#define DYNAMIC_SHARED(T, name) T* name = (T*)host::dynamic_shared()

struct uint3_ { uint32_t x, y, z; };
extern uint3_ threadIdx, blockIdx, blockDim, gridDim;

namespace host {
void* dynamic_shared();
void block_barrier();
// Brings `n` bytes and gives those of all 32 lanes of the warp, `n` bytes each; good until the lane's next one.
const unsigned char* exchange(const void* mine, unsigned n);
uint32_t lane();
void copy_later(void* to, const void* from);
void commit();
void wait(unsigned under_way);
uint16_t to_half(float x);
float from_half(uint16_t bits);
}  // namespace host

inline void __syncthreads() { host::block_barrier(); }
inline float __shfl_xor_sync(unsigned, float x, int apart) {
  float all[32];
  memcpy(all, host::exchange(&x, 4), sizeof all);
  return all[host::lane() ^ apart];
}

struct __half { uint16_t bits; };
inline float __half2float(__half x) { return host::from_half(x.bits); }
inline __half __float2half_rn(float x) { return __half{host::to_half(x)}; }

// mma.m16n8k16: lane = 4 * g + t holds of A rows g and g + 8, columns 2 t and 2 t + 1 and those 8 further; of B the same
// rows as A's columns and column g; of D rows g and g + 8, columns 2 t and 2 t + 1.
inline void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  const uint32_t mine[6] = {a[0], a[1], a[2], a[3], b0, b1};
  uint32_t all[32][6];
  memcpy(all, host::exchange(mine, sizeof mine), sizeof all);
  const unsigned g = host::lane() / 4, t = host::lane() % 4;
  auto half = [](uint32_t pair, unsigned which) { return host::from_half((uint16_t)(pair >> (16 * which))); };
  for (unsigned i = 0; i < 4; i++) {
    const unsigned row = g + i / 2 * 8, column = 2 * t + i % 2;
    for (unsigned k = 0; k < 16; k++) {
      const unsigned pair = k % 8 / 2, far = k / 8;
      const float left = half(all[row % 8 * 4 + pair][far * 2 + row / 8], k % 2);
      d[i] += left * half(all[column * 4 + pair][4 + far], k % 2);
    }
  }
}

// ldmatrix.x4: lane 8 i + j brings the place of row j of matrix i; register i of lane l is of row l / 4, columns 2 (l % 4)
// and the next; transposed, of column l / 4 and those two rows.
inline void load_from(uint32_t (&r)[4], const void* row, bool transposed) {
  const uint16_t* rows[32];
  memcpy(rows, host::exchange(&row, sizeof row), sizeof rows);
  const unsigned l = host::lane();
  for (unsigned i = 0; i < 4; i++) {
    uint16_t two[2];
    for (unsigned k = 0; k < 2; k++)
      two[k] = transposed ? rows[8 * i + 2 * (l % 4) + k][l / 4] : rows[8 * i + l / 4][2 * (l % 4) + k];
    r[i] = two[0] | (uint32_t)two[1] << 16;
  }
}
inline void load_matrices(uint32_t (&r)[4], const __half* row) { load_from(r, row, false); }
inline void load_matrices_transposed(uint32_t (&r)[4], const __half* row) { load_from(r, row, true); }

// Done no sooner than it must be, at the wait, or as soon as it may be, at once: what reads before the one or still after the
// other sees it.
inline void copy_16_or_zeros(void* to, const void* from, bool there) { host::copy_later(to, there ? from : nullptr); }
inline void copies_commit() { host::commit(); }
template <int N> inline void copies_wait() { host::wait(N); }

inline float exp2_fast(float x) { return exp2f(x); }
inline uint32_t two_halves(float low, float high) { return host::to_half(low) | (uint32_t)host::to_half(high) << 16; }
