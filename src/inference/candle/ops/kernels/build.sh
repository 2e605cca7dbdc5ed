#!/usr/bin/env bash
# Compiles each kernel file to PTX beside it. Needs nvcc 13.0 (PTX 9.0, which drivers from 580 on take) and no GPU.
# compute_80: the matrix instructions and asynchronous copies of attention.cu begin there; the driver compiles PTX for
# whatever newer card it finds. The first line names the sources' SHA-256, which a test compares.
set -euo pipefail
cd "$(dirname "$0")"
nvcc --version | grep -q 'release 13.0' || { echo "nvcc 13.0 is wanted" >&2; exit 1; }
for source in *.cu; do
  name=${source%.cu}
  nvcc -std=c++17 -O3 -arch=compute_80 -ptx "$source" -o "$name.tmp"
  hash=$(cat common.cuh mma.cuh "$source" build.sh | sha256sum | cut -d' ' -f1)
  { echo "// SHA-256 of common.cuh, mma.cuh, $source, build.sh: $hash"; cat "$name.tmp"; } > "$name.ptx"
  rm "$name.tmp"
done
