//! The integration tests, one module a folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attacks;
mod bad_input;
mod conformance;
mod durability;
mod flows;
mod frames;
mod house;
mod inference;
mod owner;
mod parity;
mod support;
mod terminal;
mod tui;
