//! Everything that can happen to the program, on one channel.

use std::sync::Arc;

use crate::pane::work::WorkMessage;
use crate::panes::metadata::worker;
use crate::preview::worker::Done;
use crate::terminal::Input;
use crate::terminal::signals::Signal;
use benchtop_model::Result;
use benchtop_protocol::{Client, Incoming};

#[derive(Debug)]
pub enum Message {
    /// A key, paste, or terminal reply, with its time in milliseconds of the program's clock.
    Input(Input, u64),
    HungUp,
    Signal(Signal),
    /// A message from the owner on the connection of this generation.
    Owner(u64, Incoming),
    /// A connection attempt of this generation ended.
    Linked(u64, Result<Connected>),
    /// A picture is ready.
    Picture(Done),
    /// A preview of metadata edits is ready.
    Preview(worker::Done),
    /// The work of this number goes on, or is over.
    Work(u64, WorkMessage),
}

/// A connection. The wrapper adds `Debug`, which a client does not have.
#[derive(Clone)]
pub struct Connected(pub Arc<Client>);

impl std::fmt::Debug for Connected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "connected to pid {}", self.0.welcome().pid)
    }
}
