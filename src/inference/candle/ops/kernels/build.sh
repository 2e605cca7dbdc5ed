#!/usr/bin/env bash
# Compiles each kernel file to PTX beside it. Needs nvcc 13.0 and no GPU.
# compute_80: the matrix instructions and asynchronous copies of attention.cu begin there; the driver compiles PTX for
# whatever newer card it finds. Nothing in it is newer than PTX 7.0, so that is what it says, and drivers older than nvcc
# take it; ptxas refuses here what is not in 7.0. The first line names the sources' SHA-256, which a test compares.
set -euo pipefail
cd "$(dirname "$0")"
nvcc --version | grep -q 'release 13.0' || { echo "nvcc 13.0 is wanted" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
for source in *.cu; do
  name=${source%.cu}
  hash=$(cat common.cuh mma.cuh "$source" build.sh | sha256sum | cut -d' ' -f1)
  nvcc -std=c++17 -O3 -arch=compute_80 -ptx "$source" -o "$scratch/nvcc.ptx"
  {
    echo "// SHA-256 of common.cuh, mma.cuh, $source, build.sh: $hash"
    sed 's/^\.version 9\.0$/.version 7.0/' "$scratch/nvcc.ptx"
  } > "$scratch/$name.ptx"
  for arch in sm_80 sm_90; do
    ptxas -v -arch=$arch "$scratch/$name.ptx" -o "$scratch/cubin" 2> "$scratch/told" || { cat "$scratch/told" >&2; exit 1; }
    ! grep -v ' 0 bytes spill stores, 0 bytes spill loads' "$scratch/told" | grep 'spill' || { echo "$name spills registers" >&2; exit 1; }
  done
  mv "$scratch/$name.ptx" "$name.ptx"
done
