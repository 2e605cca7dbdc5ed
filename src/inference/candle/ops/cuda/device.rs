//! Opens and describes GPUs.

use std::ffi::c_void;

use candle_core::cuda_backend::cudarc::cublas::sys::cublasGetVersion_v2;
use candle_core::cuda_backend::cudarc::driver::{result, sys};
use candle_core::{DType, Device, Error, Result, bail, cuda};

use super::super::kernels;

/// The properties of a GPU that affect results, and its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The driver's name of the GPU.
    pub name: String,
    /// Compute capability.
    pub capability: (i32, i32),
    /// blake3 hash of the kernels, 16 hex digits.
    pub kernels: String,
    /// Version of cuBLAS, which decides how products are summed.
    pub cublas: i32,
    /// Free memory in bytes.
    pub free: usize,
    /// Total memory in bytes.
    pub total: usize,
}

/// Minimum compute capability of the kernels: Ampere (see `kernels/build.sh`).
const LEAST: (i32, i32) = (8, 0);

fn driver(e: result::DriverError) -> Error {
    Error::wrap(e)
}

/// Opens the GPU `ordinal` with one stream: all work on the device, from any thread, is done in
/// order.
///
/// Free memory stays with the process (see [`Memory`]), because allocating it again made large
/// products a quarter slower. Tensors carry no events, which only several streams would need.
///
/// # Errors
/// If there is no such GPU, it is older than Ampere, or its driver rejects the kernels.
pub fn open(ordinal: usize) -> Result<Device> {
    let device = Device::new_cuda_with_stream(ordinal)?;
    let cuda = device.as_cuda_device()?;
    let card = card(&device)?;
    if card.capability < LEAST {
        let (major, minor) = card.capability;
        bail!(
            "{} has compute capability {major}.{minor}; 8.0 (Ampere) or later is required",
            card.name
        );
    }
    // SAFETY: the device has one stream, shared by its clones, so no synchronization is needed.
    unsafe { cuda.disable_event_tracking() };
    if let Some(pool) = pool(&device)? {
        let mut all = u64::MAX;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the pool belongs to the GPU, and the attribute is a u64.
        unsafe {
            result::mem_pool::set_attribute(pool, threshold, (&raw mut all).cast::<c_void>())
        }
        .map_err(driver)?;
    }
    // Compiled here, not during the first picture, so that an old driver is reported at once.
    for module in kernels::MODULES {
        let Some(first) = kernels::names(module).first().copied() else {
            bail!("no kernels in {}", module.name)
        };
        let loaded = cuda.get_or_load_custom_func(first, &super::loaded_as(module), module.ptx);
        loaded.map_err(|e| {
            e.context(format!(
                "the driver of {} rejects the kernels; a newer driver may accept them",
                card.name
            ))
        })?;
    }
    Ok(device)
}

/// Describes the GPU of `device`.
pub fn card(device: &Device) -> Result<Card> {
    let cuda = device.as_cuda_device()?;
    let stream = cuda.cuda_stream();
    let context = stream.context();
    let mut cublas = 0;
    // SAFETY: the handle belongs to the open device; the version is an int.
    unsafe { cublasGetVersion_v2(*cuda.cublas_handle().handle(), &raw mut cublas) }
        .result()
        .map_err(Error::wrap)?;
    let (free, total) = context.mem_get_info().map_err(driver)?;
    Ok(Card {
        name: context.name().map_err(driver)?,
        capability: context.compute_capability().map_err(driver)?,
        kernels: kernels::hash(),
        cublas,
        free,
        total,
    })
}

/// The memory pool of the GPU. `None` if the driver has no pools.
fn pool(device: &Device) -> Result<Option<sys::CUmemoryPool>> {
    let stream = device.as_cuda_device()?.cuda_stream();
    let context = stream.context();
    if !context.has_async_alloc() {
        return Ok(None);
    }
    // SAFETY: the GPU of an open context.
    unsafe { result::device::get_default_mem_pool(context.cu_device()) }
        .map(Some)
        .map_err(driver)
}

/// Returns the free memory of the GPU to the driver when dropped. Drop it after the tensors.
#[derive(Debug)]
pub struct Memory(pub Device);

impl Drop for Memory {
    fn drop(&mut self) {
        // The driver takes the rest at the end of the process.
        let _ = self.0.synchronize();
        if let Ok(Some(pool)) = pool(&self.0) {
            // SAFETY: only memory that no tensor uses is returned.
            let _ = unsafe { result::mem_pool::trim_to(pool, 0) };
        }
    }
}

/// Sets the precision of candle's products in this process, for a model in `dtype`. Sums are f32.
/// f32 products of an f16 model (its VAE with `force_upcast`) may use TF32, as PyTorch's
/// convolutions by default; those of an f32 model may not.
pub fn settle(dtype: DType) {
    cuda::set_gemm_reduced_precision_f16(false);
    cuda::set_gemm_reduced_precision_bf16(false);
    cuda::set_gemm_reduced_precision_f32(dtype == DType::F16);
}
