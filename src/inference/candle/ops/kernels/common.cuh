// What all kernels share. Each file is compiled three ways: by nvcc to PTX (build.sh), and by a C++ compiler against
// tests/kernels/host.h, which runs a grid on the CPU for the tests. Conventions, held by ../launch.rs: pointers come
// first and scalars (unsigned or float, 4 bytes each) after them; every array is contiguous and, where a name ends
// in `v`, begins at a multiple of 16 bytes.
#pragma once
#ifdef BENCHTOP_HOST
#include "host.h"
#else
#include <cuda_fp16.h>
#define DYNAMIC_SHARED(T, name) extern __shared__ T name[]
#endif

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// Arithmetic is f32 whatever an array holds.
__device__ inline float widen(float x) { return x; }
__device__ inline float widen(__half x) { return __half2float(x); }
template <typename T> __device__ inline T narrow(float x);
template <> __device__ inline float narrow<float>(float x) { return x; }
template <> __device__ inline __half narrow<__half>(float x) { return __float2half_rn(x); }

// N neighbours that are read and written at once: 16 bytes, or one.
template <typename T, int N> struct alignas(sizeof(T) * N) Pack { T at[N]; };
template <typename T> struct Wide { static const int N = 16 / sizeof(T); };

__device__ inline float silu(float x) { return x / (1.f + expf(-x)); }
