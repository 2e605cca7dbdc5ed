//! From a request to its handler. Each kind of request has a trait, and `dispatch` is made from the table: a request
//! without the handler of its kind does not compile.

mod controls;
mod kinds;

pub use kinds::{Decision, Outbox, Query, Task, TaskContext, Tell, Watch, answer, run};

use super::access;
use super::conversation::Conversation;
use benchtop_protocol::wire::{AnyRequest, Request};

/// A request to the conversation itself.
pub(super) trait Control: Request {
    /// Does it and replies to `number`; false ends the conversation.
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
        /// Hands a request that is allowed to what runs its kind; false ends the conversation.
        pub(super) fn dispatch(conversation: &mut Conversation, number: u64, request: AnyRequest) -> bool {
            match request {
                $(AnyRequest::$name(request) => hand_over!($kind conversation number request),)+
            }
        }
    };
}

benchtop_protocol::requests!(dispatcher);

impl Conversation {
    /// Sets a request going; false ends the conversation.
    pub(super) fn ask(&mut self, number: u64, ask: AnyRequest) -> bool {
        match access::authorize(&self.shared, self.peer, &ask) {
            Ok(()) => dispatch(self, number, ask),
            Err(problem) => self.answer(number, Err(problem)),
        }
    }
}
