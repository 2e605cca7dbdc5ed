//! Diffusion models in this process, on candle's tensors: encoders, U-Net, VAE, schedulers and noise are our own code,
//! checked against PyTorch (`tests/parity`).

pub mod noise;
pub mod scheduler;
pub mod text;
//! Models in this process, on candle's tensors: our own networks, because the ones that come with candle leave out or
//! miscompute parts (`docs/decisions.md`). Text encoders, U-Net and VAE follow diffusers' and transformers' semantics.
pub mod config;
pub mod layers;
pub mod ops;
pub mod generator;
pub mod pipeline;
pub mod tokenizer;
pub mod unet;
pub mod vae;
pub mod weights;
pub mod tokenizer;
