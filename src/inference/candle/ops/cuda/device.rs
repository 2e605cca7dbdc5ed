//! A card made ready for pictures.

use std::ffi::c_void;

use candle_core::cuda_backend::cudarc::cublas::sys::cublasGetVersion_v2;
use candle_core::cuda_backend::cudarc::driver::{result, sys};
use candle_core::{DType, Device, Error, Result, bail, cuda};

use super::super::kernels;

/// What a card is, as far as bytes depend on it, and what memory it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its name, as the driver has it.
    pub name: String,
    /// Its compute capability.
    pub capability: (i32, i32),
    /// blake3 (16 hex digits) of the kernels that it runs.
    pub kernels: String,
    /// Version of cuBLAS, which chooses how products are summed.
    pub cublas: i32,
    /// Bytes of its memory that nobody has taken.
    pub free: usize,
    /// Bytes of its memory.
    pub total: usize,
}

/// Lowest compute capability that the kernels run on: Ampere (see `kernels/build.sh`).
const LEAST: (i32, i32) = (8, 0);

fn driver(e: result::DriverError) -> Error {
    Error::wrap(e)
}

/// Opens card `ordinal` for one line of work: everything that uses the device, on whatever thread, is done in order.
///
/// Memory that is free stays with the process (see [`Memory`]): asking the driver for it again took a quarter of the speed
/// of large products. Tensors carry no events, which only several lines of work would need.
///
/// # Errors
/// No such card, one older than Ampere, a driver that does not take the kernels.
pub fn open(ordinal: usize) -> Result<Device> {
    let device = Device::new_cuda_with_stream(ordinal)?;
    let cuda = device.as_cuda_device()?;
    let card = card(&device)?;
    if card.capability < LEAST {
        let (major, minor) = card.capability;
        bail!(
            "{} has compute capability {major}.{minor}; 8.0 (Ampere) or later is wanted",
            card.name
        );
    }
    // SAFETY: the device has one stream, which all its clones share, so there is nothing to wait for between streams.
    unsafe { cuda.disable_event_tracking() };
    if let Some(pool) = pool(&device)? {
        let mut all = u64::MAX;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the pool is the card's own, and the attribute is a u64.
        unsafe {
            result::mem_pool::set_attribute(pool, threshold, (&raw mut all).cast::<c_void>())
        }
        .map_err(driver)?;
    }
    // Compiled here and not in the middle of the first picture, and a driver that is too old is told by name.
    for module in kernels::MODULES {
        let Some(first) = kernels::names(module).first().copied() else {
            bail!("no kernels in {}", module.name)
        };
        let loaded = cuda.get_or_load_custom_func(first, &super::loaded_as(module), module.ptx);
        loaded.map_err(|e| {
            e.context(format!(
                "the driver of {} does not take the kernels; a newer one may",
                card.name
            ))
        })?;
    }
    Ok(device)
}

/// What the card of `device` is.
///
/// # Errors
/// No CUDA device, or what the driver says.
pub fn card(device: &Device) -> Result<Card> {
    let cuda = device.as_cuda_device()?;
    let stream = cuda.cuda_stream();
    let context = stream.context();
    let mut cublas = 0;
    // SAFETY: the handle is that of the device, which is open; the version is an int.
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

/// What the card's memory comes from; none where the driver has no pools.
fn pool(device: &Device) -> Result<Option<sys::CUmemoryPool>> {
    let stream = device.as_cuda_device()?.cuda_stream();
    let context = stream.context();
    if !context.has_async_alloc() {
        return Ok(None);
    }
    // SAFETY: the card of a context that is open.
    unsafe { result::device::get_default_mem_pool(context.cu_device()) }
        .map(Some)
        .map_err(driver)
}

/// Gives the card's free memory back to others when it is dropped: to be dropped after the tensors.
#[derive(Debug)]
pub struct Memory(pub Device);

impl Drop for Memory {
    fn drop(&mut self) {
        // What cannot be given back now the driver takes at the end of the process.
        let _ = self.0.synchronize();
        if let Ok(Some(pool)) = pool(&self.0) {
            // SAFETY: only what no tensor holds is given back.
            let _ = unsafe { result::mem_pool::trim_to(pool, 0) };
        }
    }
}

/// Settles how candle's products round from here on in this process, for a model in `dtype`: sums are f32; f32 products
/// of a model in f16 (its VAE, where `force_upcast` asks for f32) may take TF32, as PyTorch's convolutions do by
/// default, and those of a model in f32 may not.
pub fn settle(dtype: DType) {
    cuda::set_gemm_reduced_precision_f16(false);
    cuda::set_gemm_reduced_precision_bf16(false);
    cuda::set_gemm_reduced_precision_f32(dtype == DType::F16);
}
