//! The lease of a ticket, the answer to a request for the next one, and whether an item has room.

use crate::round::order::Ticket;

/// A ticket that is reserved for one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    pub ticket: Ticket,
    /// Expiry in milliseconds, on the clock that is passed in.
    pub until: i64,
}

/// The next ticket of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTicket {
    /// A leased ticket.
    Ticket(Lease),
    /// Nothing now: others have leased the remaining items. The first lease expires at this time.
    Wait(i64),
    /// Nothing is left, unless a verdict is undone.
    Finished,
    /// The round is closed.
    Closed,
}

/// Whether an item can be served to a person.
pub(super) enum Room {
    Free,
    Held,
    Gone,
}
