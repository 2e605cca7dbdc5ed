//! Floor 3: what an owner process and its clients share: the messages, and how a client reaches an owner.
//!
//! [`wire`] declares the messages. [`client`] is a connection; [`start`] finds the owner of a project or starts one;
//! [`lock`] knows where lock and socket are; [`home`] notices that a project folder was moved.

pub mod client;
pub mod home;
pub mod lock;
pub mod start;
pub mod wire;

pub use client::{Client, Incoming};
