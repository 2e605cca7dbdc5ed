//! Floor 3: the protocol between an owner process and its clients.
//!
//! [`wire`] declares the messages. [`client`] is a connection. [`start`] finds or starts the owner
//! of a project. [`lock`] defines the lock and socket. [`home`] detects that a project folder was
//! moved.

pub mod client;
pub mod home;
pub mod lock;
pub mod start;
pub mod wire;

pub use client::{Client, Incoming};
