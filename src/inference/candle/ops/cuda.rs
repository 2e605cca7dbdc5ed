//! The operations on an NVIDIA GPU, with the kernels of `kernels/` and the arguments of `launch`.
//! The only module of benchtop with unsafe code, because the compiler cannot check the start of a
//! kernel. The CPU emulation of the tests starts the same kernels in the same way.
#![allow(unsafe_code)]

mod attention;
mod device;
#[cfg(test)]
mod tests;

use candle_core::backend::BackendStorage;
use candle_core::cuda_backend::CudaDevice;
use candle_core::cuda_backend::cudarc::driver::{
    CudaSlice, CudaStream, DevicePtr, DevicePtrMut, LaunchConfig,
};
use candle_core::cuda_backend::cudarc::driver::{PushKernelArg, SyncOnDrop};
use candle_core::{CudaStorage, DType, Error, Layout, Result, Shape, Storage, Tensor, bail};
use half::f16;

pub(super) use attention::{attention, fuses};
pub use device::{Card, Memory, card, open, settle};

use super::kernels::{MODULES, Module};
use super::launch::{self, Launch, Scalar};
use super::operations::{Bias, GroupNorm, LayerNorm, Patches, Upsample};

/// The input of an operation.
type Given<'a> = (&'a CudaStorage, &'a Layout);

/// A pointer into the GPU's memory, valid while this value lives.
struct Place<'a> {
    at: u64,
    _until: Option<SyncOnDrop<'a>>,
}

impl Place<'_> {
    /// For a missing array.
    const NULL: Place<'static> = Place {
        at: 0,
        _until: None,
    };

    fn aligned(&self) -> bool {
        self.at.is_multiple_of(16)
    }
}

/// True if kernels may access each array in units of 16 bytes.
fn aligned(places: &[&Place]) -> bool {
    places.iter().all(|place| place.aligned())
}

/// The start of a tensor, whatever its strides.
fn start<'a>((storage, layout): Given<'a>, stream: &'a CudaStream) -> Result<Place<'a>> {
    let offset = (layout.start_offset() * storage.dtype().size_in_bytes()) as u64;
    let (at, until) = match storage.dtype() {
        DType::F32 => storage.as_cuda_slice::<f32>()?.device_ptr(stream),
        DType::F16 => storage.as_cuda_slice::<f16>()?.device_ptr(stream),
        other => bail!(
            "{} tensors are not supported, only f32 and f16",
            other.as_str()
        ),
    };
    Ok(Place {
        at: at + offset,
        _until: Some(until),
    })
}

/// The start of a contiguous tensor of `dtype`.
fn place<'a>(given: Given<'a>, dtype: DType, stream: &'a CudaStream) -> Result<Place<'a>> {
    if !given.1.is_contiguous() {
        bail!(
            "expected a contiguous tensor, got strides {:?}",
            given.1.stride()
        );
    }
    if given.0.dtype() != dtype {
        bail!(
            "got a tensor of {}, expected {}",
            given.0.dtype().as_str(),
            dtype.as_str()
        );
    }
    start(given, stream)
}

/// The start of an output tensor.
fn target<'a>(
    storage: &'a mut CudaStorage,
    layout: &Layout,
    stream: &'a CudaStream,
) -> Result<Place<'a>> {
    if !layout.is_contiguous() {
        bail!(
            "expected a contiguous tensor, got strides {:?}",
            layout.stride()
        );
    }
    let offset = (layout.start_offset() * storage.dtype().size_in_bytes()) as u64;
    let (at, until) = match storage.dtype() {
        DType::F32 => storage.as_cuda_slice_mut::<f32>()?.device_ptr_mut(stream),
        DType::F16 => storage.as_cuda_slice_mut::<f16>()?.device_ptr_mut(stream),
        other => bail!(
            "{} tensors are not supported, only f32 and f16",
            other.as_str()
        ),
    };
    Ok(Place {
        at: at + offset,
        _until: Some(until),
    })
}

/// Allocates `count` numbers, which a kernel fills.
fn room(device: &CudaDevice, dtype: DType, count: usize) -> Result<CudaStorage> {
    // SAFETY: nothing reads the memory before the kernel has written all of it.
    Ok(unsafe {
        match dtype {
            DType::F32 => CudaStorage::wrap_cuda_slice(device.alloc::<f32>(count)?, device.clone()),
            DType::F16 => CudaStorage::wrap_cuda_slice(device.alloc::<f16>(count)?, device.clone()),
            other => bail!(
                "{} tensors are not supported, only f32 and f16",
                other.as_str()
            ),
        }
    })
}

fn floats(device: &CudaDevice, count: usize) -> Result<CudaSlice<f32>> {
    // SAFETY: as in `room`.
    unsafe { device.alloc::<f32>(count) }
}

/// candle's key of a loaded module.
fn loaded_as(module: &Module) -> String {
    format!("benchtop {}", module.name)
}

/// Starts a kernel with the arrays at `places`.
///
/// # Safety
/// The arrays must be those that the function of `launch` documents, in its order, with the sizes
/// that it was called with.
unsafe fn start_kernel(device: &CudaDevice, launch: &Launch, places: &[&Place]) -> Result<()> {
    let Launch {
        module,
        name,
        grid,
        block,
        shared,
        scalars,
    } = launch;
    if grid.contains(&0) {
        return Ok(());
    }
    let Some(module) = MODULES.iter().find(|m| m.name == *module) else {
        bail!("no kernels {module}")
    };
    let function = device.get_or_load_custom_func(name, &loaded_as(module), module.ptx)?;
    let mut builder = function.builder();
    for place in places {
        builder.arg(&place.at);
    }
    for scalar in scalars {
        match scalar {
            Scalar::Whole(n) => builder.arg(n),
            Scalar::Real(x) => builder.arg(x),
        };
    }
    let config = LaunchConfig {
        grid_dim: (grid[0], grid[1], 1),
        block_dim: (*block, 1, 1),
        shared_mem_bytes: *shared,
    };
    // SAFETY: the caller guarantees the arrays; the tests start the same kernel with scalars of the
    // same kinds, number, and order.
    unsafe { builder.launch(config) }
        .map_err(|e| Error::wrap(e).context(format!("starting the kernel {name}")))?;
    Ok(())
}

/// [`Patches`] on the GPU.
pub(super) fn patches(
    op: &Patches,
    storage: &CudaStorage,
    layout: &Layout,
) -> Result<(CudaStorage, Shape)> {
    let (device, dtype) = (&storage.device, storage.dtype());
    let (b, h, w, c) = layout.shape().dims4()?;
    if op.rows.end > b * op.window.out(h) * op.window.out(w) {
        bail!("patches: rows {:?} of {:?}", op.rows, layout.dims());
    }
    let shape = (op.rows.len(), 9 * c);
    let mut out = room(device, dtype, shape.0 * shape.1)?;
    let stream = device.cuda_stream();
    {
        let x = place((storage, layout), dtype, &stream)?;
        let y = target(&mut out, &Layout::contiguous(shape), &stream)?;
        let launch = launch::patches(dtype, aligned(&[&x, &y]), (h, w, c), op.window, &op.rows)?;
        // SAFETY: x is [b, h, w, c] and holds the rows, y is [rows, 9 c].
        unsafe { start_kernel(device, &launch, &[&x, &y]) }?;
    }
    Ok((out, shape.into()))
}

/// [`Upsample`] on the GPU.
pub(super) fn upsample(
    op: &Upsample,
    storage: &CudaStorage,
    layout: &Layout,
) -> Result<(CudaStorage, Shape)> {
    let (device, dtype) = (&storage.device, storage.dtype());
    let (b, h, w, c) = layout.shape().dims4()?;
    let shape = (b, op.high, op.wide, c);
    let mut out = room(device, dtype, b * op.high * op.wide * c)?;
    let stream = device.cuda_stream();
    {
        let x = place((storage, layout), dtype, &stream)?;
        let y = target(&mut out, &Layout::contiguous(shape), &stream)?;
        let launch = launch::upsample(dtype, aligned(&[&x, &y]), (b, h, w, c), (op.high, op.wide))?;
        // SAFETY: x is [b, h, w, c] and y [b, high, wide, c].
        unsafe { start_kernel(device, &launch, &[&x, &y]) }?;
    }
    Ok((out, shape.into()))
}

/// [`Bias`] on the GPU.
pub(super) fn bias(
    op: &Bias,
    storage: &mut CudaStorage,
    layout: &Layout,
    part: Option<Given>,
    bias: Given,
) -> Result<()> {
    let (device, dtype) = (storage.device.clone(), storage.dtype());
    let (rows, n) = layout.shape().dims2()?;
    let count = match part {
        Some((_, part)) => part.shape().dims2()?.0,
        None => rows,
    };
    let biases = bias.1.shape().elem_count() / n.max(1);
    let whole = part.is_none_or(|(_, part)| part.dims()[1] == n);
    if !whole || op.first + count > rows || biases == 0 || rows % biases != 0 {
        bail!(
            "bias: {count} rows from row {} with {biases} biases do not fit {:?}",
            op.first,
            layout.dims()
        );
    }
    let residual = op.residual.map(Tensor::storage_and_layout);
    let stream = device.cuda_stream();
    let skip = (op.first * n * dtype.size_in_bytes()) as u64;
    let more = match &residual {
        Some((storage, layout)) => match &**storage {
            Storage::Cuda(storage) if layout.shape().elem_count() == rows * n => {
                let all = place((storage, layout), dtype, &stream)?;
                Place {
                    at: all.at + skip,
                    ..all
                }
            }
            _ => bail!("bias: the residual is on another device, or has another size"),
        },
        None => Place::NULL,
    };
    let bias = place(bias, dtype, &stream)?;
    let part = part.map(|part| place(part, dtype, &stream)).transpose()?;
    let y = target(storage, layout, &stream)?;
    let y = Place {
        at: y.at + skip,
        ..y
    };
    let x = part.as_ref().unwrap_or(&y);
    let launch = launch::bias(
        dtype,
        aligned(&[&y, x, &bias, &more]),
        (count, n),
        rows / biases,
        op.first,
    )?;
    // SAFETY: y, x, and more have `count` rows of n, and bias has one row per `per` rows. x may be
    // y: each number is read before it is written, by the same thread.
    unsafe { start_kernel(&device, &launch, &[&y, x, &bias, &more]) }
}

/// [`Geglu`](super::operations::Geglu) on the GPU.
pub(super) fn geglu(x: Given, bias: Given) -> Result<(CudaStorage, Shape)> {
    let (device, dtype) = (&x.0.device, x.0.dtype());
    let mut dims = x.1.dims().to_vec();
    let n = dims.pop().unwrap_or_default() / 2;
    if n == 0 || bias.1.shape().elem_count() != 2 * n {
        bail!(
            "geglu: rows of 2 x {n} do not match {:?} biases",
            bias.1.dims()
        );
    }
    let rows: usize = dims.iter().product();
    dims.push(n);
    let mut out = room(device, dtype, rows * n)?;
    let stream = device.cuda_stream();
    {
        let (x, bias) = (place(x, dtype, &stream)?, place(bias, dtype, &stream)?);
        let y = target(&mut out, &Layout::contiguous(rows * n), &stream)?;
        let launch = launch::geglu(dtype, aligned(&[&x, &bias, &y]), rows, n)?;
        // SAFETY: x is [rows, 2 n], bias [2 n], y [rows, n].
        unsafe { start_kernel(device, &launch, &[&x, &bias, &y]) }?;
    }
    Ok((out, dims.into()))
}

/// [`GroupNorm`] on the GPU.
pub(super) fn group_norm(
    op: &GroupNorm,
    x: Given,
    weight: Given,
    bias: Given,
) -> Result<(CudaStorage, Shape)> {
    let (device, dtype, shape) = (&x.0.device, x.0.dtype(), x.1.shape().clone());
    let (b, c) = (shape.dims()[0], shape.dims()[shape.rank() - 1]);
    if weight.1.shape().elem_count() != c || bias.1.shape().elem_count() != c {
        bail!(
            "group norm: {c} channels do not match {:?} weights",
            weight.1.dims()
        );
    }
    let rows = shape.elem_count() / (b * c).max(1);
    let mut out = room(device, dtype, shape.elem_count())?;
    let stream = device.cuda_stream();
    {
        let x = place(x, dtype, &stream)?;
        let (weight, bias) = (place(weight, dtype, &stream)?, place(bias, dtype, &stream)?);
        let y = target(&mut out, &Layout::contiguous(shape.clone()), &stream)?;
        let fits = aligned(&[&x, &weight, &bias, &y]);
        let all = launch::group_norm(dtype, fits, (b, rows, c), op.groups, op.eps, op.silu)?;
        let (mut partial, mut moments) = (floats(device, all.partial)?, floats(device, all.kept)?);
        let (at, until) = partial.device_ptr_mut(&stream);
        let partial = Place {
            at,
            _until: Some(until),
        };
        let (at, until) = moments.device_ptr_mut(&stream);
        let moments = Place {
            at,
            _until: Some(until),
        };
        // SAFETY: x and y are [b, rows, c], weight and bias [c]; the two intermediate arrays have
        // the sizes of `launch`. They are freed in stream order, after the last kernel.
        unsafe {
            start_kernel(device, &all.sums, &[&x, &partial])?;
            start_kernel(device, &all.moments, &[&x, &partial, &moments])?;
            start_kernel(device, &all.apply, &[&x, &moments, &weight, &bias, &y])?;
        }
    }
    Ok((out, shape))
}

/// [`LayerNorm`] on the GPU.
pub(super) fn layer_norm(
    op: &LayerNorm,
    x: Given,
    weight: Given,
    bias: Given,
) -> Result<(CudaStorage, Shape)> {
    let (device, dtype, shape) = (&x.0.device, x.0.dtype(), x.1.shape().clone());
    let c = shape.dims()[shape.rank() - 1];
    if weight.1.shape().elem_count() != c || bias.1.shape().elem_count() != c {
        bail!(
            "layer norm: {c} values do not match {:?} weights",
            weight.1.dims()
        );
    }
    let mut out = room(device, dtype, shape.elem_count())?;
    let stream = device.cuda_stream();
    {
        let x = place(x, dtype, &stream)?;
        let (weight, bias) = (place(weight, dtype, &stream)?, place(bias, dtype, &stream)?);
        let y = target(&mut out, &Layout::contiguous(shape.clone()), &stream)?;
        let rows = shape.elem_count() / c.max(1);
        let launch =
            launch::layer_norm(dtype, aligned(&[&x, &weight, &bias, &y]), (rows, c), op.eps)?;
        // SAFETY: x and y are [rows, c], weight and bias [c].
        unsafe { start_kernel(device, &launch, &[&x, &weight, &bias, &y]) }?;
    }
    Ok((out, shape))
}
