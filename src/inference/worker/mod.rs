//! An image generator in a separate process, so that a driver fault or a lack of memory does not
//! end the owner. This module has both sides.
//!
//! | file | contents |
//! |---|---|
//! | `frames` | length-prefixed postcard over a pipe |
//! | `protocol` | the messages |
//! | `messages` | lines on standard error |
//! | `serve` | the worker's side: pipes, greeting, and the thread that receives messages |
//! | `compute_thread` | the worker's thread that computes |
//! | `fault` | faults for tests |
//! | `launch` | finds the worker program |
//! | `supervisor` | the owner's thread of a worker: starts it, receives its messages, and reaps it |
//! | `loader` | explains errors of the dynamic loader |
//! | `process` | the owner's handle of a running worker |
//! | `remote` | the owner's side: [`ImageGenerator`](super::ImageGenerator) over a supervised worker |
//!
//! Frames go over the worker's standard input and output. The worker first moves both to other
//! descriptors, so that text that a library prints does not get between frames. It exits when its
//! standard input ends. On Linux it is also killed with the thread that started it, so it never
//! outlives the owner.

mod compute_thread;
mod fault;
mod frames;
mod launch;
mod loader;
mod messages;
mod process;
mod protocol;
mod remote;
mod serve;
mod supervisor;
#[cfg(test)]
mod tests;

pub use fault::{FAULT, Fault};
pub use launch::{Launch, PROGRAM_ENV};
pub use process::{Timeouts, probe};
pub use protocol::{About, Hello, PROTOCOL};
pub use remote::{Model, WorkerGenerator};
pub use serve::{FATAL, serve};
pub use supervisor::pids;
