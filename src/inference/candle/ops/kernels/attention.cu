// Scaled dot-product attention of f16 with online softmax (Milakov and Gimelshein 2018, Dao 2023), on tensor cores.
// Scores, their maxima and sums, and what is summed of the values are f32; the weights of the values are f16, as in
// flash attention. Twin: ops::attention on the CPU, in f32 throughout.
#include "common.cuh"
#include "mma.cuh"

// A block of WARPS warps takes 16 queries a warp of head blockIdx.y % heads of picture blockIdx.y / heads, and goes
// over the keys BN at a time; the next ones are on their way meanwhile. `*_row` and `*_batch` are strides in numbers of
// the three inputs [b, tokens, heads * D]; the result [b, tokens, heads * D] is contiguous. D divides by 8; what is
// missing to a multiple of 16 counts as zeros.
template <int D, int BN, int WARPS>
__device__ void attention(const __half* q, const __half* k, const __half* v, __half* y, u32 tokens, u32 keys, u32 heads,
                          u32 q_row, u32 q_batch, u32 k_row, u32 k_batch, u32 v_row, u32 v_batch, float scale) {
  constexpr int DP = (D + 15) / 16 * 16, STEPS = DP / 16, CHUNKS = DP / 8, THREADS = WARPS * 32;
  // Rows begin 16 bytes later from one to the next: eight of them lie in different banks.
  constexpr int LINE = DP + 8;
  alignas(16) __shared__ __half tiles[2][2][BN * LINE];
  const u32 picture = blockIdx.y / heads, head = blockIdx.y - picture * heads;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row_in = lane / 4, pair = lane % 4 * 2;
  q += (u64)picture * q_batch + head * D;
  k += (u64)picture * k_batch + head * D;
  v += (u64)picture * v_batch + head * D;

  auto fetch = [&](u32 first, int stage) {
    for (int i = threadIdx.x; i < 2 * BN * CHUNKS; i += THREADS) {
      const int which = i / (BN * CHUNKS), inside = i % (BN * CHUNKS), row = inside / CHUNKS, at = inside % CHUNKS * 8;
      const bool there = first + row < keys && at < D;
      const __half* from = which == 0 ? k + (u64)(first + row) * k_row : v + (u64)(first + row) * v_row;
      copy_16_or_zeros(&tiles[stage][which][row * LINE + at], there ? from + at : k, there);
    }
    copies_commit();
  };

  // Queries stay in registers: two rows of this thread in each 16x16 part.
  const u32 first_row = (blockIdx.x * WARPS + warp) * 16 + row_in;
  u32 query[STEPS][4];
#pragma unroll
  for (int step = 0; step < STEPS; step++) {
#pragma unroll
    for (int part = 0; part < 4; part++) {
      const u32 row = first_row + part % 2 * 8;
      const int at = step * 16 + part / 2 * 8 + pair;
      query[step][part] = row < tokens && at < D ? *(const u32*)(q + (u64)row * q_row + at) : 0u;
    }
  }

  float sum[CHUNKS][4] = {};
  float most[2] = {-INFINITY, -INFINITY}, total[2] = {0.f, 0.f};
  // exp(x) = exp2(x * log2(e))
  const float by = scale * 1.44269504088896341f;
  const u32 tiles_all = (keys + BN - 1) / BN;
  fetch(0, 0);
  for (u32 tile = 0; tile < tiles_all; tile++) {
    const int stage = tile & 1;
    if (tile + 1 < tiles_all) {
      fetch((tile + 1) * BN, stage ^ 1);
      copies_wait<1>();
    } else {
      copies_wait<0>();
    }
    __syncthreads();

    const __half *key = tiles[stage][0], *value = tiles[stage][1];
    float score[BN / 8][4] = {};
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
      for (int n = 0; n < BN / 16; n++) {
        u32 b[4];
        load_matrices(b, key + (n * 16 + lane / 16 * 8 + lane % 8) * LINE + step * 16 + lane / 8 % 2 * 8);
        multiply(score[2 * n], query[step], b[0], b[1]);
        multiply(score[2 * n + 1], query[step], b[2], b[3]);
      }
    }

    const bool last = (tile + 1) * BN > keys;
    float now[2] = {most[0], most[1]};
#pragma unroll
    for (int n = 0; n < BN / 8; n++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const bool there = !last || tile * BN + n * 8 + pair + i % 2 < keys;
        score[n][i] = there ? score[n][i] * by : -INFINITY;
        now[i / 2] = fmaxf(now[i / 2], score[n][i]);
      }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      // The four threads of a row.
      now[i] = fmaxf(now[i], __shfl_xor_sync(0xffffffffu, now[i], 1));
      now[i] = fmaxf(now[i], __shfl_xor_sync(0xffffffffu, now[i], 2));
      const float shrink = exp2_fast(most[i] - now[i]);
      most[i] = now[i];
      total[i] *= shrink;
#pragma unroll
      for (int n = 0; n < CHUNKS; n++) {
        sum[n][2 * i] *= shrink;
        sum[n][2 * i + 1] *= shrink;
      }
    }
#pragma unroll
    for (int n = 0; n < BN / 8; n++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        score[n][i] = exp2_fast(score[n][i] - most[i / 2]);
        total[i / 2] += score[n][i];
      }
    }

    // What was the result of one product is the left side of the next as it lies in the registers.
#pragma unroll
    for (int step = 0; step < BN / 16; step++) {
      const float *near = score[2 * step], *far = score[2 * step + 1];
      const u32 a[4] = {two_halves(near[0], near[1]), two_halves(near[2], near[3]), two_halves(far[0], far[1]),
                        two_halves(far[2], far[3])};
#pragma unroll
      for (int n = 0; n < STEPS; n++) {
        u32 b[4];
        load_matrices_transposed(b, value + (step * 16 + lane % 16) * LINE + n * 16 + lane / 16 * 8);
        multiply(sum[2 * n], a, b[0], b[1]);
        multiply(sum[2 * n + 1], a, b[2], b[3]);
      }
    }
    // Before the tile after the next one overwrites this one.
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < 2; i++) {
    total[i] += __shfl_xor_sync(0xffffffffu, total[i], 1);
    total[i] += __shfl_xor_sync(0xffffffffu, total[i], 2);
    const u32 row = first_row + i * 8;
    const float inverse = 1.f / total[i];
    if (row < tokens) {
      __half* line = y + ((u64)picture * tokens + row) * heads * D + head * D;
#pragma unroll
      for (int n = 0; n < CHUNKS; n++)
        if (n * 8 + pair < D)
          *(u32*)(line + n * 8 + pair) = two_halves(sum[n][2 * i] * inverse, sum[n][2 * i + 1] * inverse);
    }
  }
}

#define ATTENTION(D, BN)                                                                                              \
  extern "C" __global__ void __launch_bounds__(128) attention_##D(                                                    \
      const __half* q, const __half* k, const __half* v, __half* y, u32 tokens, u32 keys, u32 heads, u32 q_row,       \
      u32 q_batch, u32 k_row, u32 k_batch, u32 v_row, u32 v_batch, float scale) {                                     \
    attention<D, BN, 4>(q, k, v, y, tokens, keys, heads, q_row, q_batch, k_row, k_batch, v_row, v_batch, scale);      \
  }

// Two stages of keys and values stay below 48 KB of shared memory, which every card gives without being asked.
ATTENTION(40, 64)
ATTENTION(64, 64)
ATTENTION(80, 64)
ATTENTION(128, 32)
ATTENTION(160, 32)
