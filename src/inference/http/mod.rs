//! Clients for pools of servers with OpenAI's HTTP APIs: pictures ([`HttpGenerator`]) and questions
//! about pictures ([`ChatModel`]).
//!
//! | file | contents |
//! |---|---|
//! | [`images`], [`chat`] | one API each: builds the requests and parses the responses |
//! | `model_list` | the models that a server offers |
//! | `caller` | sends many tasks from code that is not async, and cancels them |
//! | `queue` | picks the next task, and schedules retries |
//! | `pool` | the servers: picks one for the next request, and suspends failing ones |
//! | `exchange` | one request to one server: keys, limits, and status codes |
//! | `retry`, `client`, `error_body` | backoff times, the HTTP client, error messages of servers |
//! | `multipart` | forms with files as the body of a request |
//! | `token_counts` | the token counts of responses |

mod caller;
pub mod chat;
pub(crate) mod client;
mod error_body;
mod exchange;
pub mod images;
mod model_list;
mod multipart;
mod pool;
mod queue;
mod retry;
mod token_counts;

#[cfg(test)]
mod tests;

pub use self::chat::ChatModel;
pub use self::images::HttpGenerator;
pub use self::model_list::model_list;
pub use self::pool::Timeouts;
