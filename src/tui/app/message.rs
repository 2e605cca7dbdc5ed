//! Everything that can happen to the program, on one channel.

use std::sync::Arc;

use crate::panes::metadata::worker;
use crate::preview::worker::Done;
use crate::terminal::Input;
use crate::terminal::signals::Signal;
use benchtop_model::Result;
use benchtop_protocol::{Client, Incoming};

/// Something happened.
#[derive(Debug)]
pub enum Message {
    /// A key, a paste or a reply of the terminal, read at this time (milliseconds of the program's clock).
    Input(Input, u64),
    /// The terminal is gone.
    HungUp,
    /// A signal came.
    Signal(Signal),
    /// The owner said something on the connection of this generation.
    Owner(u64, Incoming),
    /// A try to connect ended, for this generation.
    Linked(u64, Result<Connected>),
    /// A picture is ready.
    Picture(Done),
    /// What an edit of the metadata makes of the questions.
    Preview(worker::Done),
}

/// A connection; a wrapper because a client has nothing to print.
#[derive(Clone)]
pub struct Connected(pub Arc<Client>);

impl std::fmt::Debug for Connected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "connected to pid {}", self.0.welcome().pid)
    }
}
