//! The real program on a real pseudo-terminal.

mod begin;
mod ends;
mod first_minute;
mod keys;
mod looks;
mod mouse;
mod pixels;
pub mod pty;
mod slow;
