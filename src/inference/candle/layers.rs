//! Layers with weights, under their names in diffusers. Features are NHWC, as in [`super::ops`].

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;

use super::ops::{self, Added, Window, differentiable};

/// A linear layer. Over NHWC, a 1x1 convolution is the same.
#[derive(Clone, Debug)]
pub struct Linear {
    /// `[n, k]`.
    weight: Tensor,
    bias: Option<Tensor>,
}

impl Linear {
    fn of(weight: Tensor, bias: Option<Tensor>) -> Result<Linear> {
        Ok(Linear {
            weight: ops::kept(weight)?,
            bias,
        })
    }

    /// Loads `{weight: [n, k], bias: [n]}` below `vb`.
    pub fn new(k: usize, n: usize, vb: VarBuilder) -> Result<Linear> {
        Linear::of(vb.get((n, k), "weight")?, Some(vb.get(n, "bias")?))
    }

    /// Loads a 1x1 convolution: `{weight: [n, k, 1, 1], bias: [n]}`.
    pub fn pointwise(k: usize, n: usize, vb: VarBuilder) -> Result<Linear> {
        Linear::of(
            vb.get((n, k, 1, 1), "weight")?.reshape((n, k))?,
            Some(vb.get(n, "bias")?),
        )
    }

    /// Joins several matrices without bias below `vb` into one: `[k]` to `names.len() * n`.
    pub fn joined(k: usize, n: usize, vb: &VarBuilder, names: &[&str]) -> Result<Linear> {
        let weights = names
            .iter()
            .map(|name| vb.pp(name).get((n, k), "weight"))
            .collect::<Result<Vec<_>>>()?;
        Linear::of(Tensor::cat(&weights, 0)?, None)
    }

    /// Joins several matrices with their biases into one: `[k]` to `names.len() * n`.
    pub fn joined_with_bias(k: usize, n: usize, vb: &VarBuilder, names: &[&str]) -> Result<Linear> {
        let biases = names
            .iter()
            .map(|name| vb.pp(name).get(n, "bias"))
            .collect::<Result<Vec<_>>>()?;
        Ok(Linear {
            bias: Some(Tensor::cat(&biases, 0)?),
            ..Linear::joined(k, n, vb, names)?
        })
    }

    /// Loads a matrix without bias: `{weight: [n, k]}` below `vb`.
    pub fn plain(k: usize, n: usize, vb: VarBuilder) -> Result<Linear> {
        Linear::of(vb.get((n, k), "weight")?, None)
    }

    /// `[..., k]` to `[..., n]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        ops::linear(x, &self.weight, Added::new(self.bias.as_ref(), None))
    }

    /// As `forward`, plus a residual with the shape of the result.
    pub fn forward_onto(&self, x: &Tensor, residual: &Tensor) -> Result<Tensor> {
        ops::linear(
            x,
            &self.weight,
            Added::new(self.bias.as_ref(), Some(residual)),
        )
    }

    /// As `forward`, with a gradient.
    pub fn differentiable(&self, x: &Tensor) -> Result<Tensor> {
        differentiable::linear(x, &self.weight, self.bias.as_ref())
    }
}

#[derive(Clone, Debug)]
pub struct Conv3 {
    /// `[n, 9 c]`: rows, columns, channels.
    weight: Tensor,
    bias: Tensor,
    window: Window,
}

impl Conv3 {
    /// Loads `{weight: [n, c, 3, 3], bias: [n]}` below `vb`.
    pub fn new(c: usize, n: usize, window: Window, vb: VarBuilder) -> Result<Conv3> {
        let weight = vb
            .get((n, c, 3, 3), "weight")?
            .permute((0, 2, 3, 1))?
            .contiguous()?
            .reshape((n, 9 * c))?;
        Ok(Conv3 {
            weight: ops::kept(weight)?,
            bias: vb.get(n, "bias")?,
            window,
        })
    }

    /// `[b, h, w, c]` to `[b, h', w', n]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        ops::conv3x3(
            x,
            &self.weight,
            self.window,
            Added::new(Some(&self.bias), None),
        )
    }

    /// As `forward`, plus a residual with the shape of the result.
    pub fn forward_onto(&self, x: &Tensor, residual: &Tensor) -> Result<Tensor> {
        ops::conv3x3(
            x,
            &self.weight,
            self.window,
            Added::new(Some(&self.bias), Some(residual)),
        )
    }

    /// As `forward`, plus a vector per picture, `[b, n]`.
    pub fn forward_with(&self, x: &Tensor, vector: &Tensor) -> Result<Tensor> {
        let bias = vector.broadcast_add(&self.bias)?;
        ops::conv3x3(x, &self.weight, self.window, Added::new(Some(&bias), None))
    }
}

#[derive(Clone, Debug)]
pub struct GroupNorm {
    weight: Tensor,
    bias: Tensor,
    groups: usize,
    eps: f64,
}

impl GroupNorm {
    /// Loads `{weight: [c], bias: [c]}` below `vb`.
    pub fn new(c: usize, groups: usize, eps: f64, vb: VarBuilder) -> Result<GroupNorm> {
        Ok(GroupNorm {
            weight: vb.get(c, "weight")?,
            bias: vb.get(c, "bias")?,
            groups,
            eps,
        })
    }

    /// Normalizes `[b, ..., c]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        ops::group_norm(x, &self.weight, &self.bias, self.groups, self.eps, false)
    }

    /// As `forward`, followed by SiLU.
    pub fn forward_silu(&self, x: &Tensor) -> Result<Tensor> {
        ops::group_norm(x, &self.weight, &self.bias, self.groups, self.eps, true)
    }
}

#[derive(Clone, Debug)]
pub struct LayerNorm {
    weight: Tensor,
    bias: Tensor,
    eps: f64,
}

impl LayerNorm {
    /// Loads `{weight: [c], bias: [c]}` below `vb`, with PyTorch's eps of 1e-5.
    pub fn new(c: usize, vb: VarBuilder) -> Result<LayerNorm> {
        LayerNorm::with_eps(c, 1e-5, vb)
    }

    /// As `new`, with another eps.
    pub fn with_eps(c: usize, eps: f64, vb: VarBuilder) -> Result<LayerNorm> {
        Ok(LayerNorm {
            weight: vb.get(c, "weight")?,
            bias: vb.get(c, "bias")?,
            eps,
        })
    }

    /// Normalizes `[..., c]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        ops::layer_norm(x, &self.weight, &self.bias, self.eps)
    }

    /// As `forward`, with a gradient.
    pub fn differentiable(&self, x: &Tensor) -> Result<Tensor> {
        differentiable::layer_norm(x, &self.weight, &self.bias, self.eps)
    }
}

/// diffusers' `ResnetBlock2D`: two convolutions with norms before them and a residual connection.
#[derive(Clone, Debug)]
pub struct ResNet {
    norm1: GroupNorm,
    conv1: Conv3,
    time: Option<Linear>,
    norm2: GroupNorm,
    conv2: Conv3,
    shortcut: Option<Linear>,
}

/// Sizes of a [`ResNet`].
#[derive(Clone, Copy, Debug)]
pub struct ResNetSizes {
    pub from: usize,
    pub to: usize,
    /// Length of the time embedding, if there is one.
    pub time: Option<usize>,
    /// Groups of the norms.
    pub groups: usize,
    pub eps: f64,
}

impl ResNet {
    pub fn new(sizes: ResNetSizes, vb: VarBuilder) -> Result<ResNet> {
        let (from, to, same) = (sizes.from, sizes.to, Window::SAME);
        let norm = |c: usize, vb: VarBuilder| GroupNorm::new(c, sizes.groups, sizes.eps, vb);
        Ok(ResNet {
            norm1: norm(from, vb.pp("norm1"))?,
            conv1: Conv3::new(from, to, same, vb.pp("conv1"))?,
            time: sizes
                .time
                .map(|time| Linear::new(time, to, vb.pp("time_emb_proj")))
                .transpose()?,
            norm2: norm(to, vb.pp("norm2"))?,
            conv2: Conv3::new(to, to, same, vb.pp("conv2"))?,
            shortcut: (from != to)
                .then(|| Linear::pointwise(from, to, vb.pp("conv_shortcut")))
                .transpose()?,
        })
    }

    /// `[b, h, w, from]` to `[b, h, w, to]`; `time` is SiLU of the time embedding, `[b, time]`.
    pub fn forward(&self, x: &Tensor, time: Option<&Tensor>) -> Result<Tensor> {
        // Each result replaces the one before, because it may have a gigabyte in a VAE.
        let mut y = self.norm1.forward_silu(x)?;
        y = match (&self.time, time) {
            (Some(layer), Some(time)) => self.conv1.forward_with(&y, &layer.forward(time)?)?,
            _ => self.conv1.forward(&y)?,
        };
        y = self.norm2.forward_silu(&y)?;
        match &self.shortcut {
            Some(shortcut) => self.conv2.forward_onto(&y, &shortcut.forward(x)?),
            None => self.conv2.forward_onto(&y, x),
        }
    }
}

/// Two linear layers with SiLU between them: diffusers' `TimestepEmbedding`.
#[derive(Clone, Debug)]
pub struct Embedding {
    first: Linear,
    second: Linear,
}

impl Embedding {
    /// Loads `linear_1` and `linear_2` below `vb`.
    pub fn new(k: usize, n: usize, vb: VarBuilder) -> Result<Embedding> {
        Ok(Embedding {
            first: Linear::new(k, n, vb.pp("linear_1"))?,
            second: Linear::new(n, n, vb.pp("linear_2"))?,
        })
    }

    /// `[b, k]` to `[b, n]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.second.forward(&self.first.forward(x)?.silu()?)
    }
}

/// Sinusoidal embedding of numbers: diffusers' `Timesteps` (Vaswani et al. 2017).
#[derive(Clone, Copy, Debug)]
pub struct Sinusoid {
    /// Length of a vector; even.
    pub dim: usize,
    /// Cosines first.
    pub flip: bool,
    /// `downscale_freq_shift`.
    pub shift: f64,
}

impl Sinusoid {
    /// The embeddings `[values.len(), dim]` in `dtype`. Angles reach 1000 radians, so they are
    /// computed in f32; in f16 they would be off by half a radian.
    pub fn of(&self, values: &[f32], dtype: DType, device: &Device) -> Result<Tensor> {
        let half = self.dim / 2;
        let slope = -(10_000f64.ln()) as f32;
        let frequency = |i: usize| (slope * i as f32 / (half as f32 - self.shift as f32)).exp();
        let frequencies: Vec<f32> = (0..half).map(frequency).collect();
        let mut all = Vec::with_capacity(values.len() * self.dim);
        for value in values {
            let angles = frequencies.iter().map(|f| value * f);
            let functions: [fn(f32) -> f32; 2] = if self.flip {
                [f32::cos, f32::sin]
            } else {
                [f32::sin, f32::cos]
            };
            for function in functions {
                all.extend(angles.clone().map(function));
            }
        }
        Tensor::from_vec(all, (values.len(), 2 * half), device)?.to_dtype(dtype)
    }
}
