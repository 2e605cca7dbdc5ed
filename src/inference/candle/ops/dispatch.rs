//! Each operation as candle calls it: with the CPU side of `cpu`, or the CUDA side of `cuda`.

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::backend::BackendStorage;
use candle_core::{
    CpuStorage, CustomOp1, CustomOp2, CustomOp3, DType, InplaceOp2, InplaceOp3, Layout, Result,
    Shape, bail,
};
use half::f16;

#[cfg(feature = "cuda")]
use super::cuda;
use super::operations::{Bias, Geglu, GroupNorm, LayerNorm, Patches, Upsample};

/// Calls `Self::run` with the element type of `$storage`.
macro_rules! typed {
    ($storage:expr, $name:expr, ($($arg:expr),*)) => {
        match $storage.dtype() {
            DType::F32 => Self::run::<f32>($($arg),*),
            DType::F16 => Self::run::<f16>($($arg),*),
            other => bail!("{}: {} tensors are not supported, only f32 and f16", $name, other.as_str()),
        }
    };
}

impl CustomOp1 for Patches {
    fn name(&self) -> &'static str {
        "patches"
    }
    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        typed!(s, self.name(), (self, s, l))
    }
    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, s: &CudaStorage, l: &Layout) -> Result<(CudaStorage, Shape)> {
        cuda::patches(self, s, l)
    }
}

impl CustomOp1 for Upsample {
    fn name(&self) -> &'static str {
        "upsample"
    }
    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        typed!(s, self.name(), (self, s, l))
    }
    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, s: &CudaStorage, l: &Layout) -> Result<(CudaStorage, Shape)> {
        cuda::upsample(self, s, l)
    }
}

impl InplaceOp2 for Bias<'_> {
    fn name(&self) -> &'static str {
        "bias"
    }
    fn cpu_fwd(&self, y: &mut CpuStorage, l: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<()> {
        typed!(y, "bias", (self, y, l, None, (s2, l2)))
    }
    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        y: &mut CudaStorage,
        l: &Layout,
        s2: &CudaStorage,
        l2: &Layout,
    ) -> Result<()> {
        cuda::bias(self, y, l, None, (s2, l2))
    }
}

impl InplaceOp3 for Bias<'_> {
    fn name(&self) -> &'static str {
        "bias"
    }
    fn cpu_fwd(
        &self,
        y: &mut CpuStorage,
        l: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<()> {
        typed!(y, "bias", (self, y, l, Some((s2, l2)), (s3, l3)))
    }
    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        y: &mut CudaStorage,
        l: &Layout,
        s2: &CudaStorage,
        l2: &Layout,
        s3: &CudaStorage,
        l3: &Layout,
    ) -> Result<()> {
        cuda::bias(self, y, l, Some((s2, l2)), (s3, l3))
    }
}

impl CustomOp2 for Geglu {
    fn name(&self) -> &'static str {
        "geglu"
    }
    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        typed!(s1, self.name(), (self, (s1, l1), (s2, l2)))
    }
    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        s1: &CudaStorage,
        l1: &Layout,
        s2: &CudaStorage,
        l2: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        cuda::geglu((s1, l1), (s2, l2))
    }
}

/// Implements a norm as an operation on a tensor, a weight, and a bias.
macro_rules! norm {
    ($norm:ty, $name:literal, $cuda:ident) => {
        impl CustomOp3 for $norm {
            fn name(&self) -> &'static str {
                $name
            }
            fn cpu_fwd(
                &self,
                s1: &CpuStorage,
                l1: &Layout,
                s2: &CpuStorage,
                l2: &Layout,
                s3: &CpuStorage,
                l3: &Layout,
            ) -> Result<(CpuStorage, Shape)> {
                typed!(s1, $name, (self, [(s1, l1), (s2, l2), (s3, l3)]))
            }
            #[cfg(feature = "cuda")]
            fn cuda_fwd(
                &self,
                s1: &CudaStorage,
                l1: &Layout,
                s2: &CudaStorage,
                l2: &Layout,
                s3: &CudaStorage,
                l3: &Layout,
            ) -> Result<(CudaStorage, Shape)> {
                cuda::$cuda(self, (s1, l1), (s2, l2), (s3, l3))
            }
        }
    };
}

norm!(GroupNorm, "group_norm", group_norm);
norm!(LayerNorm, "layer_norm", layer_norm);
