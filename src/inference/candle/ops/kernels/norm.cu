// Normalisation. Statistics are of differences to a number near the mean (the first of the group or row), so that a mean
// far from zero costs no digits; nothing is summed in an order that changes from run to run.
#include "common.cuh"

// First of three for group norm (twin of all three: cpu::GroupNorm). For `each` rows of picture blockIdx.y and every
// group: sum of differences to the pivot, and of their squares, to partial[picture][chunk][group][2]. `lanes` threads
// share a column of packs, c is in packs of N. Dynamic shared memory: 2 floats a channel.
template <typename T, int N>
__device__ void group_sums(const T* x, float* partial, u32 rows, u32 c, u32 groups, u32 each, u32 lanes) {
  DYNAMIC_SHARED(float, shared);
  typedef Pack<T, N> P;
  const u32 channels = c * N, wide = channels / groups;
  const T* picture = x + (u64)blockIdx.y * rows * channels;
  const u32 from = blockIdx.x * each, to = from + each < rows ? from + each : rows;
  for (u32 base = 0; base < c * lanes; base += blockDim.x) {
    const u32 at = base + threadIdx.x, lane = at / c, column = at - lane * c;
    const bool mine = at < c * lanes;
    float sum[N], square[N];
    if (mine) {
      float pivot[N];
#pragma unroll
      for (int k = 0; k < N; k++) {
        pivot[k] = widen(picture[(column * N + k) / wide * wide]);
        sum[k] = square[k] = 0.f;
      }
      for (u32 row = from + lane; row < to; row += lanes) {
        const P pack = ((const P*)picture)[(u64)row * c + column];
#pragma unroll
        for (int k = 0; k < N; k++) {
          const float d = widen(pack.at[k]) - pivot[k];
          sum[k] += d;
          square[k] += d * d;
        }
      }
    }
    // One lane after the other: an order that does not change.
    for (u32 turn = 0; turn < lanes; turn++) {
      if (mine && lane == turn) {
#pragma unroll
        for (int k = 0; k < N; k++) {
          float* place = shared + 2 * (column * N + k);
          place[0] = turn == 0 ? sum[k] : place[0] + sum[k];
          place[1] = turn == 0 ? square[k] : place[1] + square[k];
        }
      }
      __syncthreads();
    }
  }
  for (u32 group = threadIdx.x; group < groups; group += blockDim.x) {
    float sum = 0.f, square = 0.f;
    for (u32 k = group * wide; k < (group + 1) * wide; k++) {
      sum += shared[2 * k];
      square += shared[2 * k + 1];
    }
    float* place = partial + (((u64)blockIdx.y * gridDim.x + blockIdx.x) * groups + group) * 2;
    place[0] = sum;
    place[1] = square;
  }
}

// Second: moments[picture][group] = (mean, 1 / sqrt(variance + eps)) from the sums of `chunks`. A block for each group
// (x) of each picture (y), of 64 threads.
template <typename T>
__device__ void group_moments(const T* x, const float* partial, float* moments, u32 rows, u32 channels, u32 groups,
                              u32 chunks, float eps) {
  __shared__ double sums[64], squares[64];
  const u32 group = blockIdx.x, picture = blockIdx.y, me = threadIdx.x, wide = channels / groups;
  double sum = 0., square = 0.;
  for (u32 chunk = me; chunk < chunks; chunk += 64) {
    const float* place = partial + (((u64)picture * chunks + chunk) * groups + group) * 2;
    sum += place[0];
    square += place[1];
  }
  sums[me] = sum;
  squares[me] = square;
  __syncthreads();
  for (u32 half = 32; half > 0; half /= 2) {
    if (me < half) {
      sums[me] += sums[me + half];
      squares[me] += squares[me + half];
    }
    __syncthreads();
  }
  if (me == 0) {
    const double n = (double)rows * wide, shift = sums[0] / n;
    const double variance = squares[0] / n - shift * shift;
    const double pivot = widen(x[(u64)picture * rows * channels + group * wide]);
    float* place = moments + ((u64)picture * groups + group) * 2;
    place[0] = (float)(pivot + shift);
    place[1] = (float)(1. / sqrt((variance > 0. ? variance : 0.) + (double)eps));
  }
}

// Third: y = (x - mean) * inverse * weight + bias, and SiLU of it where `activate`. Grid as the first.
template <typename T, int N>
__device__ void group_apply(const T* x, const float* moments, const T* weight, const T* bias, T* y, u32 rows, u32 c,
                            u32 groups, u32 each, u32 lanes, u32 activate) {
  typedef Pack<T, N> P;
  const u32 wide = c * N / groups;
  const u64 start = (u64)blockIdx.y * rows * c;
  const u32 from = blockIdx.x * each, to = from + each < rows ? from + each : rows;
  for (u32 at = threadIdx.x; at < c * lanes; at += blockDim.x) {
    const u32 lane = at / c, column = at - lane * c;
    const P weights = ((const P*)weight)[column], biases = ((const P*)bias)[column];
    float mean[N], scale[N], shift[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
      const float* place = moments + ((u64)blockIdx.y * groups + (column * N + k) / wide) * 2;
      mean[k] = place[0];
      scale[k] = place[1] * widen(weights.at[k]);
      shift[k] = widen(biases.at[k]);
    }
    for (u32 row = from + lane; row < to; row += lanes) {
      const P in = ((const P*)x)[start + (u64)row * c + column];
      P out;
#pragma unroll
      for (int k = 0; k < N; k++) {
        const float value = (widen(in.at[k]) - mean[k]) * scale[k] + shift[k];
        out.at[k] = narrow<T>(activate ? silu(value) : value);
      }
      ((P*)y)[start + (u64)row * c + column] = out;
    }
  }
}

__device__ inline float warp_sum(float x) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) x += __shfl_xor_sync(0xffffffffu, x, apart);
  return x;
}

// Twin: cpu::LayerNorm. A warp for each row of c packs.
template <typename T, int N>
__device__ void layer_norm(const T* x, const T* weight, const T* bias, T* y, u32 rows, u32 c, float eps) {
  typedef Pack<T, N> P;
  const u32 row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const P* line = (const P*)x + (u64)row * c;
  const float pivot = widen(x[(u64)row * c * N]), n = (float)(c * N);
  float sum = 0.f;
  for (u32 i = lane; i < c; i += 32) {
    const P pack = line[i];
#pragma unroll
    for (int k = 0; k < N; k++) sum += widen(pack.at[k]) - pivot;
  }
  const float mean = pivot + warp_sum(sum) / n;
  float square = 0.f;
  for (u32 i = lane; i < c; i += 32) {
    const P pack = line[i];
#pragma unroll
    for (int k = 0; k < N; k++) {
      const float d = widen(pack.at[k]) - mean;
      square += d * d;
    }
  }
  const float inverse = 1.f / sqrtf(warp_sum(square) / n + eps);
  for (u32 i = lane; i < c; i += 32) {
    const P in = line[i], weights = ((const P*)weight)[i], biases = ((const P*)bias)[i];
    P out;
#pragma unroll
    for (int k = 0; k < N; k++)
      out.at[k] = narrow<T>((widen(in.at[k]) - mean) * inverse * widen(weights.at[k]) + widen(biases.at[k]));
    ((P*)y)[(u64)row * c + i] = out;
  }
}

#define MOMENTS(name, T)                                                                                              \
  extern "C" __global__ void group_moments_##name(const T* x, const float* partial, float* moments, u32 rows,         \
                                                  u32 channels, u32 groups, u32 chunks, float eps) {                  \
    group_moments<T>(x, partial, moments, rows, channels, groups, chunks, eps);                                       \
  }

#define NORMS(name, T, N)                                                                                             \
  extern "C" __global__ void group_sums_##name(const T* x, float* partial, u32 rows, u32 c, u32 groups, u32 each,     \
                                               u32 lanes) {                                                           \
    group_sums<T, N>(x, partial, rows, c, groups, each, lanes);                                                       \
  }                                                                                                                   \
  extern "C" __global__ void group_apply_##name(const T* x, const float* moments, const T* weight, const T* bias,     \
                                                T* y, u32 rows, u32 c, u32 groups, u32 each, u32 lanes,               \
                                                u32 activate) {                                                       \
    group_apply<T, N>(x, moments, weight, bias, y, rows, c, groups, each, lanes, activate);                           \
  }                                                                                                                   \
  extern "C" __global__ void layer_norm_##name(const T* x, const T* weight, const T* bias, T* y, u32 rows, u32 c,     \
                                               float eps) {                                                           \
    layer_norm<T, N>(x, weight, bias, y, rows, c, eps);                                                               \
  }

MOMENTS(f32, float)
MOMENTS(f16, __half)
NORMS(f32, float, 1)
NORMS(f32v, float, Wide<float>::N)
NORMS(f16, __half, 1)
NORMS(f16v, __half, Wide<__half>::N)
