//! Models in this process, on candle's tensors. Encoders, U-Net, VAE, schedulers, and noise are
//! benchtop's own code, checked against PyTorch (`tests/parity`), because candle's own models omit
//! or miscompute parts.

pub mod adversarial;
pub mod clip;
pub mod config;
pub mod device;
pub mod dual_encoder;
pub mod encoder;
pub mod generator;
pub mod layers;
pub mod minilm;
pub mod noise;
pub mod ops;
pub mod pipeline;
pub mod safety;
pub mod scheduler;
pub mod scorer;
pub mod siglip;
pub mod text;
pub mod tokenizer;
pub mod unet;
pub mod vae;
pub mod weights;
