// What happens to each number by itself after a product.
#include "common.cuh"

// Twin: cpu::Bias and cpu::BiasInto. y = x + bias (+ residual) for `total` packs in rows of `n`; every `per` rows share
// a row of the bias, counted from row `first`. x may be y. y and residual begin at row `first` too. No residual: null.
template <typename T, int N>
__device__ void bias_rows(T* y, const T* x, const T* bias, const T* residual, u32 total, u32 n, u32 per, u32 first) {
  typedef Pack<T, N> P;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const u32 row = i / n, column = i - row * n;
    const P in = ((const P*)x)[i], add = ((const P*)bias)[(u64)((first + row) / per) * n + column];
    float sum[N];
#pragma unroll
    for (int k = 0; k < N; k++) sum[k] = widen(in.at[k]) + widen(add.at[k]);
    if (residual) {
      const P more = ((const P*)residual)[i];
#pragma unroll
      for (int k = 0; k < N; k++) sum[k] += widen(more.at[k]);
    }
    P out;
#pragma unroll
    for (int k = 0; k < N; k++) out.at[k] = narrow<T>(sum[k]);
    ((P*)y)[i] = out;
  }
}

// GELU with the error function, not its tanh approximation.
__device__ inline float gelu(float x) { return 0.5f * x * (1.f + erff(x * 0.70710678118654752f)); }

// Twin: cpu::Geglu. y[r, j] = (x[r, j] + bias[j]) * gelu(x[r, n + j] + bias[n + j]) for `total` packs in rows of `n`.
template <typename T, int N> __device__ void geglu(const T* x, const T* bias, T* y, u32 total, u32 n) {
  typedef Pack<T, N> P;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const u32 row = i / n, column = i - row * n;
    const P* line = (const P*)x + (u64)row * 2 * n;
    const P value = line[column], gate = line[n + column];
    const P up = ((const P*)bias)[column], down = ((const P*)bias)[n + column];
    P out;
#pragma unroll
    for (int k = 0; k < N; k++) {
      const float g = widen(gate.at[k]) + widen(down.at[k]);
      out.at[k] = narrow<T>((widen(value.at[k]) + widen(up.at[k])) * gelu(g));
    }
    ((P*)y)[i] = out;
  }
}

#define POINTWISE(name, T, N)                                                                                         \
  extern "C" __global__ void bias_##name(T* y, const T* x, const T* bias, const T* residual, u32 total, u32 n,        \
                                         u32 per, u32 first) {                                                        \
    bias_rows<T, N>(y, x, bias, residual, total, n, per, first);                                                      \
  }                                                                                                                   \
  extern "C" __global__ void geglu_##name(const T* x, const T* bias, T* y, u32 total, u32 n) {                        \
    geglu<T, N>(x, bias, y, total, n);                                                                                \
  }

POINTWISE(f32, float, 1)
POINTWISE(f32v, float, Wide<float>::N)
POINTWISE(f16, __half, 1)
POINTWISE(f16v, __half, Wide<__half>::N)
