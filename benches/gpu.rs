//! SDXL at 1024 x 1024 on a GPU, with random weights of its real shapes made in the card's memory: one step of the U-Net, the
//! VAE, and pictures a minute at 50 steps with guidance. Texts are not encoded. `benches/gpu_diffusers.py` prints the
//! same lines for diffusers on the same card:
//!
//! ```text
//! cargo bench --features cuda --bench gpu
//! python benches/gpu_diffusers.py
//! ```
//! Without the feature a small model goes through the same on the CPU: that shows that the bench works, and no speed.

use std::path::Path;
use std::time::Instant;

use benchtop::inference::candle::config::Config;
use benchtop::inference::candle::noise::{Generator, stacked};
use benchtop::inference::candle::scheduler::{Sampler, SchedulerConfig};
use benchtop::inference::candle::unet::{Condition, UNet, UNetConfig};
use benchtop::inference::candle::vae::{Vae, VaeConfig};
use benchtop::model::generation::Scheduler;
use candle_core::{DType, Device, Shape, Tensor};
use candle_nn::var_builder::{SimpleBackend, VarBuilder};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Weights that keep what goes through them about as large as it was.
struct Random;

impl SimpleBackend for Random {
    fn get(
        &self,
        shape: Shape,
        name: &str,
        _: candle_nn::Init,
        dtype: DType,
        device: &Device,
    ) -> candle_core::Result<Tensor> {
        let inputs: usize = shape.dims().iter().skip(1).product();
        match shape.rank() {
            1 if name.ends_with("weight") => Tensor::ones(shape, dtype, device),
            1 => Tensor::zeros(shape, dtype, device),
            _ => Tensor::randn(0f32, (inputs as f32).powf(-0.5), shape, device)?.to_dtype(dtype),
        }
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> candle_core::Result<Tensor> {
        candle_core::bail!("{name} has no shape")
    }

    fn contains_tensor(&self, _: &str) -> bool {
        true
    }
}

/// What is measured.
struct Sizes {
    dtype: DType,
    /// Side of a latent.
    side: usize,
    steps: usize,
    /// Calls that are measured, after as many that are not.
    calls: usize,
    /// Changes to the configurations.
    unet: Value,
    vae: Value,
}

#[cfg(feature = "cuda")]
fn place() -> Result<(Device, String, Sizes)> {
    use benchtop::inference::candle::ops::cuda;
    let device = cuda::open(0)?;
    cuda::settle(DType::F16);
    let name = cuda::card(&device)?.name;
    let sizes = Sizes {
        dtype: DType::F16,
        side: 128,
        steps: 50,
        calls: 10,
        unet: json!({}),
        vae: json!({}),
    };
    Ok((device, name, sizes))
}

#[cfg(not(feature = "cuda"))]
fn place() -> Result<(Device, String, Sizes)> {
    let unet = json!({
        "block_out_channels": [32, 64, 64], "attention_head_dim": [2, 4, 4], "transformer_layers_per_block": [1, 1, 1],
    });
    let vae = json!({ "block_out_channels": [32, 32, 32, 32], "sample_size": 64 });
    Ok((
        Device::Cpu,
        "CPU, a small model".into(),
        Sizes {
            dtype: DType::F16,
            side: 8,
            steps: 2,
            calls: 1,
            unet,
            vae,
        },
    ))
}

/// A configuration of `sdxl/` with `changes`.
fn config(dir: &Path, name: &str, text: &str, changes: &Value) -> Result<Config> {
    let mut fields: Value = serde_json::from_str(text)?;
    for (field, value) in changes.as_object().into_iter().flatten() {
        fields[field] = value.clone();
    }
    let file = dir.join(name);
    std::fs::write(&file, fields.to_string())?;
    Ok(Config::read(&file)?)
}

/// Milliseconds of a call, on average over `calls` after as many.
fn timed(device: &Device, calls: usize, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    (0..calls).try_for_each(|_| call())?;
    device.synchronize()?;
    let began = Instant::now();
    (0..calls).try_for_each(|_| call())?;
    device.synchronize()?;
    Ok(began.elapsed().as_secs_f64() * 1e3 / calls as f64)
}

/// A text and sizes for `rows`, as SDXL takes them.
fn condition(unet: &UNet, rows: usize, dtype: DType, device: &Device) -> Result<Condition> {
    let text = Tensor::randn(0f32, 1., (rows, 77, 2048), device)?.to_dtype(dtype)?;
    let pooled = Tensor::randn(0f32, 1., (rows, 1280), device)?.to_dtype(dtype)?;
    let sizes = vec![[1024., 1024., 0., 0., 1024., 1024.]; rows];
    Ok(unet.condition(&text, Some((&pooled, &sizes)))?)
}

/// `n` pictures together from noise to bytes.
fn pictures(
    unet: &UNet,
    vae: &Vae,
    scheduler: &SchedulerConfig,
    n: usize,
    sizes: &Sizes,
    device: &Device,
) -> Result<()> {
    let condition = condition(unet, 2 * n, sizes.dtype, device)?;
    let mut sampler = Sampler::new(scheduler, Scheduler::Euler, sizes.steps)?;
    let mut generators: Vec<Generator> = (0..n as u64).map(Generator::new).collect();
    let noise = stacked(&mut generators, &[4, sizes.side, sizes.side], device)?;
    let mut latents = (noise * sampler.init_noise_sigma())?;
    for (i, t) in sampler.timesteps.clone().into_iter().enumerate() {
        let one = sampler.scale_model_input(&latents, i)?;
        let output = unet
            .forward(&Tensor::cat(&[&one, &one], 0)?, t, &condition)?
            .to_dtype(DType::F32)?;
        let halves = output.chunk(2, 0)?;
        let output = (&halves[0] + ((&halves[1] - &halves[0])? * 5.)?)?;
        latents = sampler.step(&output, i, &latents, None)?;
    }
    for row in 0..n {
        let picture = vae.decode(&latents.narrow(0, row, 1)?)?;
        let values: Vec<f32> = picture.flatten_all()?.to_vec1()?;
        if values.iter().any(|v| !v.is_finite()) {
            return Err("a picture of numbers that are none".into());
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let (device, name, sizes) = place()?;
    println!("benchtop on {name}");
    let dir = tempfile::TempDir::new()?;
    let weights = |dtype: DType| VarBuilder::from_backend(Box::new(Random), dtype, device.clone());
    let unet = config(
        dir.path(),
        "unet.json",
        include_str!("sdxl/unet.json"),
        &sizes.unet,
    )?;
    let unet = UNet::new(UNetConfig::new(&unet)?, weights(sizes.dtype))?;
    let vae = VaeConfig::new(&config(
        dir.path(),
        "vae.json",
        include_str!("sdxl/vae.json"),
        &sizes.vae,
    )?)?;
    let scheduler = SchedulerConfig::parse(include_str!("sdxl/scheduler.json"))?;
    for n in [1, 4] {
        let condition = condition(&unet, 2 * n, sizes.dtype, &device)?;
        let latents = Tensor::randn(0f32, 1., (2 * n, 4, sizes.side, sizes.side), &device)?;
        let step = timed(&device, sizes.calls, || {
            unet.forward(&latents, 981., &condition)?;
            Ok(())
        })?;
        println!("{n} together: a step of the U-Net {step:.1} ms");
    }
    // f16 as a VAE made for it goes, f32 as SDXL's own has to.
    for dtype in [sizes.dtype, DType::F32] {
        let vae = Vae::new(vae.clone(), 1024 * 1024, weights(dtype))?;
        let latents = Tensor::randn(0f32, 1., (1, 4, sizes.side, sizes.side), &device)?;
        let decode = timed(&device, sizes.calls, || {
            vae.decode(&latents)?;
            Ok(())
        })?;
        println!("VAE in {}: {decode:.1} ms", dtype.as_str());
        for n in [1, 4] {
            pictures(&unet, &vae, &scheduler, n, &sizes, &device)?;
            let began = Instant::now();
            pictures(&unet, &vae, &scheduler, n, &sizes, &device)?;
            let minutes = began.elapsed().as_secs_f64() / 60.;
            println!(
                "VAE in {}, {n} together: {:.1} pictures a minute",
                dtype.as_str(),
                n as f64 / minutes
            );
        }
    }
    Ok(())
}
