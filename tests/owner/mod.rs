//! The owner's socket: what it answers to the wrong words, who may speak, and what is left when it ends.

mod agreement;
mod blind;
mod generate;
mod latency;
pub mod life;
mod metadata;
mod requests;
mod rounds;
mod tap;
mod wire;
mod worker;
