// Kernels that only move: gathered rows for a convolution, and nearest-neighbour scaling. They know no number format;
// the number in their name is the bytes that move at once.
#include "common.cuh"

struct alignas(16) Sixteen { u32 part[4]; };

// Twin: cpu::Patches. Row `first + i` of the output positions gets its 9 * c inputs; c is in units of V. A block takes
// `each` whole rows.
template <typename V>
__device__ void patches(const V* x, V* y, u32 h, u32 w, u32 c, u32 high, u32 wide, u32 stride, u32 before, u32 first,
                        u32 rows, u32 each) {
  const u32 taps = 9 * c;
  for (u32 i = threadIdx.x; i < each * taps; i += blockDim.x) {
    const u32 local = i / taps, inside = i - local * taps, out = blockIdx.x * each + local;
    if (out >= rows) return;
    const u32 tap = inside / c, channel = inside - tap * c, row = first + out;
    const u32 line = row / wide, at = row - line * wide, picture = line / high, top = line - picture * high;
    // One more than the position, so that what lies before the picture is no negative number.
    const u32 iy = top * stride + tap / 3, ix = at * stride + tap % 3;
    V value = {};
    if (iy >= before && iy < h + before && ix >= before && ix < w + before)
      value = x[(((u64)picture * h + (iy - before)) * w + (ix - before)) * c + channel];
    y[(u64)out * taps + inside] = value;
  }
}

// Twin: cpu::Upsample. One block of the grid's x axis writes one line; the y axis shares a line out.
template <typename V>
__device__ void upsample(const V* x, V* y, u32 h, u32 w, u32 c, u32 high, u32 wide, float down, float across) {
  const u32 picture = blockIdx.x / high, row = blockIdx.x - picture * high;
  // torch rounds the ratio to f32 before it multiplies.
  u32 from_row = (u32)((float)row * down);
  if (from_row > h - 1) from_row = h - 1;
  for (u32 i = blockIdx.y * blockDim.x + threadIdx.x; i < wide * c; i += gridDim.y * blockDim.x) {
    const u32 column = i / c, channel = i - column * c;
    u32 from = (u32)((float)column * across);
    if (from > w - 1) from = w - 1;
    y[(u64)blockIdx.x * wide * c + i] = x[(((u64)picture * h + from_row) * w + from) * c + channel];
  }
}

#define COPIES(bytes, V)                                                                                              \
  extern "C" __global__ void patches_##bytes(const V* x, V* y, u32 h, u32 w, u32 c, u32 high, u32 wide, u32 stride,   \
                                             u32 before, u32 first, u32 rows, u32 each) {                             \
    patches<V>(x, y, h, w, c, high, wide, stride, before, first, rows, each);                                         \
  }                                                                                                                   \
  extern "C" __global__ void upsample_##bytes(const V* x, V* y, u32 h, u32 w, u32 c, u32 high, u32 wide, float down,  \
                                              float across) {                                                         \
    upsample<V>(x, y, h, w, c, high, wide, down, across);                                                             \
  }

COPIES(16, Sixteen)
COPIES(4, u32)
COPIES(2, u16)
