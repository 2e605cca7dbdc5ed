//! An image generator in a process of its own: what a driver's fault or a lack of memory may end without ending the
//! owner. Both sides are here.
//!
//! | file | what is in it |
//! |---|---|
//! | `frames` | length-prefixed postcard over a pipe |
//! | `protocol` | what the two sides say to each other |
//! | `tell` | a line on standard error |
//! | `serve` | the worker's side: its pipes, its first words, and a thread that hears |
//! | `compute_thread` | its thread that computes |
//! | `fault` | faults that tests ask the worker for |
//! | `launch` | which program the worker is |
//! | `supervisor` | the thread of a running worker: starting, hearing, collecting it |
//! | `loader` | what it means where the system's loader cannot start it |
//! | `process` | a running worker as its owner holds it |
//! | `remote` | the owner's side: [`ImageGenerator`](super::ImageGenerator) over a supervised worker |
//!
//! Frames travel over the worker's standard input and what was its standard output; it moves both away before anything
//! else, so that a library that prints harms nobody. It ends when its standard input does, and on Linux is killed with
//! the thread that started it, so that none outlives its owner.

mod compute_thread;
mod fault;
mod frames;
mod launch;
mod loader;
mod process;
mod protocol;
mod remote;
mod serve;
mod supervisor;
mod tell;
#[cfg(test)]
mod tests;

pub use fault::{FAULT, Fault};
pub use launch::{Launch, PROGRAM_ENV};
pub use process::{Timeouts, probe};
pub use protocol::{About, Hello, PROTOCOL};
pub use remote::{Model, WorkerGenerator};
pub use serve::{FATAL, serve};
pub use supervisor::pids;
