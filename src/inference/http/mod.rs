//! Servers that speak OpenAI's HTTP APIs, used as one pool: pictures ([`HttpGenerator`]) and questions about pictures
//! ([`ChatModel`]).
//!
//! | file | what it does |
//! |---|---|
//! | [`images`], [`chat`] | one API each: what is sent for a task, how its answer is read |
//! | `caller` | asks for many tasks from code that is not async; cancels |
//! | `queue` | which task is asked next, which waits to be tried again |
//! | `pool` | the servers: who takes the next request, who is busy, who is set aside |
//! | `exchange` | one exchange with one server: keys, limits, and what a status means |
//! | `retry`, `client`, `error_body` | waiting times, the HTTP client, what a server says in one line |

mod caller;
pub mod chat;
pub(crate) mod client;
mod error_body;
mod exchange;
pub mod images;
mod pool;
mod queue;
mod retry;

#[cfg(test)]
mod tests;

pub use self::chat::ChatModel;
pub use self::images::HttpGenerator;
pub use self::pool::Timeouts;
