//! The real program on a real pseudo-terminal.

mod ends;
mod keys;
pub mod pty;
mod slow;
