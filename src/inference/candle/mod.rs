//! Diffusion models in this process, on candle's tensors: encoders, U-Net, VAE, schedulers and noise are our own code,
//! checked against PyTorch (`tests/parity`).

pub mod noise;
pub mod scheduler;
pub mod text;
