//! Floor 3: the protocol between an owner process and its clients.
//!
//! | module | contents |
//! |---|---|
//! | [`client`] | the connection from a client to an owner |
//! | [`home`] | detects that an open project folder was moved or replaced |
//! | [`lock`] | the lock and the socket of an owner; `owner` takes the lock |
//! | [`start`] | finds the owner of a project, or starts one |
//! | [`wire`] | the messages, and the table of requests |

pub mod client;
pub mod home;
pub mod lock;
pub mod start;
pub mod wire;

pub use client::{Client, Incoming};
