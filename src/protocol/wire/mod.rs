//! Messages between an owner and its clients.
//!
//! A frame is a 4-byte big-endian length and a postcard body of at most [`FRAME_LIMIT`] bytes. The
//! client starts with [`ToOwner::Hello`]. The owner replies [`FromOwner::Welcome`], or
//! [`FromOwner::Refused`] and closes the connection. Every [`ToOwner::Request`] carries a number that
//! its reply repeats. postcard is not self-describing, so any change of these types needs a new
//! [`PROTOCOL`] version: a new request changes it, other changes raise its `LAYOUT`.
//!
//! | file | contents |
//! |---|---|
//! | `request` | the table of requests: one row each, with reply, access, blindness, and kind |
//! | `contract` | what a row declares, and which requests may follow a consent |
//! | `declare` | the types generated from the table |
//! | `payload` | payloads of requests |
//! | `reference` | the table as `docs/wire.md` |
//! | `response` | replies and events |
//! | `items` | items as sent to clients |
//! | `reading` | answers that another model reads or compares |
//! | `waits` | latency of decisions |

mod contract;
mod declare;
mod items;
mod payload;
mod reading;
mod reference;
pub mod request;
mod response;
mod waits;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use contract::{
    Access, Blind, ConsentedRequest, Kind, NeedsConsent, Request, RequestRow, Writes,
};
pub use items::*;
pub use payload::*;
pub use reading::*;
pub use reference::wire_reference;
pub use request::{AnyReply, AnyRequest, Name as RequestName, PROTOCOL};
pub use response::*;
pub use waits::StepLatency;

use benchtop_model::Error;
use benchtop_model::config::Reason;
use benchtop_model::import::Progress;

/// First bytes of a greeting.
pub const MAGIC: [u8; 8] = *b"benchtop";
/// Maximum size of a frame body, in bytes.
pub const FRAME_LIMIT: usize = 16 << 20;

/// Messages from a client.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToOwner {
    Hello(Hello),
    /// A request, numbered by the client.
    Request(u64, AnyRequest),
    /// Cancels the request with this number.
    Cancel(u64),
}

/// Greeting of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    pub magic: [u8; 8],
    pub protocol: u16,
    /// Version of the client program.
    pub version: String,
    /// Annotator who decides over this connection.
    pub who: String,
}

/// Where an annotator left off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    /// Item number, from 1; 0 for none.
    pub number: u32,
    /// Filter of the queue, as text.
    pub filter: String,
    /// Name of the round; empty for none.
    #[serde(default)]
    pub round: String,
    /// Unsaved note: the item it belongs to, and its text.
    #[serde(default)]
    pub note: Option<(u32, String)>,
}

/// Messages from the owner.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromOwner {
    /// The owner accepts the client.
    Welcome(Box<Welcome>),
    /// The owner refuses the client and closes the connection.
    Refused(Error),
    /// Reply to a request.
    Reply(u64, Box<Result<AnyReply, Error>>),
    /// Progress of a task.
    Progress(u64, Progress),
    Event(Event),
}

/// First message to an accepted client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// Process id of the owner.
    pub pid: u32,
    /// Version of the owner program.
    pub version: String,
    pub project: String,
    /// The project folder.
    pub root: PathBuf,
    /// Revision of the last decision.
    pub rev: u64,
    pub items: u64,
    /// Reasons for a rejection, as declared in `benchtop.toml`.
    pub reasons: Vec<Reason>,
    /// Tags of verdicts, as declared in `benchtop.toml`.
    pub tags: Vec<Reason>,
    /// Taxonomy of errors in answers, as declared in `benchtop.toml`.
    pub errors: Vec<Reason>,
    /// Where this annotator left off.
    pub place: Option<ResumePoint>,
    /// Messages for the person, such as damaged lines in a journal.
    pub notices: Vec<String>,
}
