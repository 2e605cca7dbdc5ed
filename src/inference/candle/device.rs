//! Devices: opens a device by name, describes it, and checks that benchtop's operations compute the
//! right results on it. All code for CUDA that is not a kernel is here.

#[cfg(test)]
mod tests;

use candle_core::{DType, Device, Result, Tensor};

use super::ops::{self, Added, KeysValues, Window};
use benchtop_model::error::Error;

/// The name of a device: `cpu`, or `cuda:N` with N from 0 in the order of the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceName {
    Cpu,
    /// A GPU through CUDA.
    Cuda(usize),
}

impl DeviceName {
    /// Parses the name of a device.
    pub fn from_name(name: &str) -> Option<DeviceName> {
        match name.split_once(':') {
            None if name == "cpu" => Some(DeviceName::Cpu),
            Some(("cuda", ordinal)) if ordinal.bytes().all(|b| b.is_ascii_digit()) => {
                ordinal.parse().ok().map(DeviceName::Cuda)
            }
            _ => None,
        }
    }

    /// Opens the device.
    ///
    /// # Errors
    /// The driver's error, or an error if this program was built without CUDA.
    pub fn open(self) -> std::result::Result<Device, Error> {
        match self {
            DeviceName::Cpu => Ok(Device::Cpu),
            #[cfg(feature = "cuda")]
            DeviceName::Cuda(ordinal) => ops::cuda::open(ordinal).map_err(|error| {
                let problem = Error::from(error);
                explained(&problem.what).unwrap_or(problem)
            }),
            #[cfg(not(feature = "cuda"))]
            DeviceName::Cuda(_) => Err(Error::input("this program was built without CUDA")
                .help("use `benchtop-gpu`, or the device `cpu`")),
        }
    }
}

impl std::fmt::Display for DeviceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DeviceName::Cpu => f.write_str("cpu"),
            DeviceName::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// An explanation of common driver errors, with a remedy.
#[cfg(any(feature = "cuda", test))]
fn explained(words: &str) -> Option<Error> {
    let known = [
        (
            "CUDA_ERROR_NO_DEVICE",
            "the driver finds no GPU",
            "run `nvidia-smi -L` to list the GPUs; CUDA_VISIBLE_DEVICES may hide some",
        ),
        (
            "CUDA_ERROR_INVALID_DEVICE",
            "no GPU has this number",
            "run `nvidia-smi -L` to list the GPUs, numbered from 0",
        ),
        (
            "CUDA_ERROR_STUB_LIBRARY",
            "found the toolkit's stub library instead of the driver",
            "remove its folder `stubs` from LD_LIBRARY_PATH",
        ),
        (
            "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
            "the driver's library does not match the running driver",
            "restart the machine",
        ),
        (
            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
            "the driver is older than the toolkit that this program was built with",
            "update the driver, or build with an older toolkit",
        ),
    ];
    let (name, what, help) = known.into_iter().find(|(name, ..)| words.contains(name))?;
    Some(Error::input(format!("{what} ({name})")).help(help))
}

/// The properties of a device that affect results. Its number is not among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Its name: `CPU`, or a GPU's such as `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// The CPU's instruction sets, or the compute capability such as `sm_90`. Others round
    /// differently.
    pub architecture: String,
    /// Free and total memory in bytes; `None` for the CPU.
    pub memory: Option<(u64, u64)>,
    /// Hash of the kernels; `None` for the CPU.
    pub kernels: Option<String>,
}

impl Described {
    /// The text for a fingerprint.
    pub fn print(&self) -> String {
        format!("{} {}", self.name, self.architecture)
    }
}

pub fn describe(device: &Device) -> Result<Described> {
    match device {
        Device::Cpu => Ok(Described {
            name: "CPU".into(),
            architecture: instructions(),
            memory: None,
            kernels: None,
        }),
        other => describe_gpu(other),
    }
}

#[cfg(feature = "cuda")]
fn describe_gpu(device: &Device) -> Result<Described> {
    let ops::cuda::Card {
        name,
        capability: (major, minor),
        kernels,
        cublas,
        free,
        total,
    } = ops::cuda::card(device)?;
    let architecture = format!("sm_{major}{minor}");
    // cuBLAS decides how products are summed, so its version matters as much as the kernels.
    let kernels = Some(format!("{kernels}, cuBLAS {cublas}"));
    Ok(Described {
        name,
        architecture,
        memory: Some((free as u64, total as u64)),
        kernels,
    })
}

#[cfg(not(feature = "cuda"))]
fn describe_gpu(device: &Device) -> Result<Described> {
    candle_core::bail!(
        "{:?} requires a program that was built with it",
        device.location()
    )
}

/// The instruction sets that matrix products use on this CPU.
fn instructions() -> String {
    let mut found = vec![std::env::consts::ARCH];
    #[cfg(target_arch = "x86_64")]
    {
        let has = [
            ("avx512f", std::is_x86_feature_detected!("avx512f")),
            ("avx2", std::is_x86_feature_detected!("avx2")),
            ("fma", std::is_x86_feature_detected!("fma")),
        ];
        found.extend(has.iter().filter(|(_, has)| *has).map(|(name, _)| *name));
    }
    found.join(" ")
}

/// Maximum difference from the CPU's results, which are about 1.
fn tolerance(dtype: DType) -> f32 {
    match dtype {
        DType::F32 => 1e-3,
        _ => 3e-2,
    }
}

/// Runs every operation of the networks on `device` in f32 and f16 with small inputs, and compares
/// the results with the CPU in f32. Returns a summary.
///
/// # Errors
/// An operation that fails or computes wrong results, by name.
pub fn device_check(device: &Device) -> Result<String> {
    let (mut right, mut worst) = (0, 0f32);
    for dtype in [DType::F32, DType::F16] {
        let expected = results(&Device::Cpu, DType::F32)?;
        for ((name, found), (_, expected)) in results(device, dtype)?.into_iter().zip(expected) {
            let off = difference(&found, &expected)?;
            if off.is_nan() || off > tolerance(dtype) {
                candle_core::bail!(
                    "{name} in {} computes wrong results, off by {off:.1e}",
                    dtype.as_str()
                );
            }
            (right, worst) = (right + 1, worst.max(off));
        }
    }
    Ok(format!("{right} operations right, {worst:.0e} off at most"))
}

/// The name and the result of each operation, on fixed inputs.
fn results(device: &Device, dtype: DType) -> Result<Vec<(&'static str, Tensor)>> {
    let numbers = |shape: &[usize], seed: u32| -> Result<Tensor> {
        let count: usize = shape.iter().product();
        let number = |i: usize| ((i as f32 + 1.0) * (0.37 + seed as f32 * 0.11)).sin();
        let all: Vec<f32> = (0..count).map(number).collect();
        Tensor::from_vec(all, shape, &Device::Cpu)?
            .to_dtype(dtype)?
            .to_device(device)
    };
    let (x, bias, weight) = (
        numbers(&[2, 5, 6, 64], 1)?,
        numbers(&[64], 2)?,
        numbers(&[64], 3)?,
    );
    let kernel = (numbers(&[64, 9 * 64], 4)? * 0.05)?;
    let square = (numbers(&[64, 64], 5)? * 0.2)?;
    let tokens = x.reshape((2, 30, 64))?;
    let kv = KeysValues::new(&numbers(&[2, 9, 64], 6)?, &numbers(&[2, 9, 64], 7)?, 2)?;
    let residual = numbers(&[2, 30, 64], 8)?;
    let added = Added {
        bias: Some(&bias),
        residual: Some(&residual),
    };
    Ok(vec![
        ("a linear layer", ops::linear(&tokens, &square, added)?),
        (
            "a convolution",
            ops::conv3x3(
                &x,
                &kernel,
                Window::HALF,
                Added {
                    bias: Some(&bias),
                    residual: None,
                },
            )?,
        ),
        (
            "group norm",
            ops::group_norm(&x, &weight, &bias, 8, 1e-5, true)?,
        ),
        ("layer norm", ops::layer_norm(&x, &weight, &bias, 1e-5)?),
        ("geglu", ops::geglu(&x, &bias)?),
        ("upsampling", ops::upsample(&x, 10, 12)?),
        ("attention", ops::attention(&tokens, &kv)?),
    ])
}

/// Maximum difference of two tensors. NaN if one of them has a NaN.
fn difference(found: &Tensor, expected: &Tensor) -> Result<f32> {
    let flat = |t: &Tensor| {
        t.to_dtype(DType::F32)?
            .to_device(&Device::Cpu)?
            .flatten_all()?
            .to_vec1::<f32>()
    };
    if found.dims() != expected.dims() {
        candle_core::bail!(
            "got the shape {:?}, expected {:?}",
            found.dims(),
            expected.dims()
        );
    }
    let offs = flat(found)?
        .into_iter()
        .zip(flat(expected)?)
        .map(|(a, b)| (a - b).abs());
    Ok(offs.fold(0f32, |most, off| {
        if most.is_nan() || off <= most {
            most
        } else {
            off
        }
    }))
}
