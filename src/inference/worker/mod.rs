//! An image generator in a process of its own: what a driver's fault or a lack of memory may end without ending the
//! owner. Both sides are here.
//!
//! | file | what is in it |
//! |---|---|
//! | `frames` | length-prefixed postcard over a pipe |
//! | `talk` | what the two sides say to each other |
//! | `tell` | a line on standard error |
//! | `serve` | the worker's side: its pipes, its first words, and a thread that hears |
//! | `painter` | its thread that computes |
//! | `fault` | faults that tests ask the worker for |
//! | `launch` | which program the worker is |
//! | `life` | the thread of a running worker: starting, hearing, collecting it |
//! | `loader` | what it means where the system's loader cannot start it |
//! | `process` | a running worker as its owner holds it |
//! | `remote` | the owner's side: [`ImageGenerator`](super::ImageGenerator) over a supervised worker |
//!
//! Frames travel over the worker's standard input and what was its standard output; it moves both away before anything
//! else, so that a library that prints harms nobody. It ends when its standard input does, and on Linux is killed with
//! the thread that started it, so that none outlives its owner.

mod fault;
mod frames;
mod launch;
mod life;
mod loader;
mod painter;
mod process;
mod remote;
mod serve;
mod talk;
mod tell;
#[cfg(test)]
mod tests;

pub use fault::{FAULT, Fault};
pub use launch::{Launch, PROGRAM_ENV};
pub use life::pids;
pub use process::{Patience, probe};
pub use remote::{Model, WorkerGenerator};
pub use serve::{FATAL, serve};
pub use talk::{About, Hello, PROTOCOL};
