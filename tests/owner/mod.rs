//! The owner's socket: wrong messages, permissions, and cleanup.

mod agreement;
mod blind;
mod comments;
mod generate;
mod latency;
pub mod life;
mod metadata;
mod requests;
mod rounds;
mod tap;
mod wire;
mod worker;
