//! Maps requests to handlers. Each kind of request has a trait, and `dispatch` is generated from
//! the table of requests, so a request without a handler does not compile.

mod controls;
mod kinds;

pub use kinds::{Decision, Outbox, Query, Task, TaskContext, Watch, answer, caught, run};

use super::access;
use super::conversation::Conversation;
use benchtop_protocol::wire::{AnyRequest, Request};

/// A request that the connection handles itself.
pub(super) trait Control: Request {
    /// Handles the request and replies to `number`. Returns `false` to close the connection.
    fn control(self, conversation: &mut Conversation, number: u64) -> bool;
}

macro_rules! hand_over {
    (Query $conversation:ident $number:ident $request:ident) => {
        $conversation.look_up($number, $request)
    };
    (Task $conversation:ident $number:ident $request:ident) => {
        $conversation.start($number, $request)
    };
    (Decision $conversation:ident $number:ident $request:ident) => {
        $conversation.decide($number, $request)
    };
    (Control $conversation:ident $number:ident $request:ident) => {
        $request.control($conversation, $number)
    };
}

macro_rules! dispatcher {
    ($(
        $(#[$doc:meta])+
        $name:ident $(( $($tuple:tt)* ))? $({ $($field:tt)* })? => $reply:ty,
        kind: $kind:ident, access: $access:ident $(($may:literal))?, writes: $writes:ident $(($dry:expr))?, blind: $blind:ident;
    )+) => {
        /// Passes an authorized request to its handler. Returns `false` to close the connection.
        pub(super) fn dispatch(conversation: &mut Conversation, number: u64, request: AnyRequest) -> bool {
            match request {
                $(AnyRequest::$name(request) => hand_over!($kind conversation number request),)+
            }
        }
    };
}

benchtop_protocol::requests!(dispatcher);

impl Conversation {
    /// Starts a request. Returns `false` to close the connection.
    pub(super) fn ask(&mut self, number: u64, ask: AnyRequest) -> bool {
        match access::authorize(&self.shared, self.peer, &ask) {
            Ok(()) => dispatch(self, number, ask),
            Err(problem) => self.answer(number, Err(problem)),
        }
    }
}
