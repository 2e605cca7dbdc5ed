//! What is said between an owner and its clients.
//!
//! Frames are a 4-byte big-endian length and a postcard body, at most [`FRAME_LIMIT`]. The client begins with
//! [`ToOwner::Hello`]; the owner answers [`FromOwner::Welcome`] or [`FromOwner::Refused`] and, in the latter case,
//! hangs up. Every [`ToOwner::Ask`] carries a number that its answer echoes. postcard is not self-describing: any
//! change of these types raises [`PROTOCOL`].
//!
//! | file | what is in it |
//! |---|---|
//! | `request` | the table of requests: a row each, with reply, access, blindness and kind |
//! | `contract` | what a row declares, and which requests may follow a consent |
//! | `declare` | the types that are made from the table |
//! | `payload` | what requests carry |
//! | `reference` | the table as `docs/wire.md` |
//! | `response` | what replies hold, and what is told unasked |
//! | `items` | items as they are shown |
//! | `reading` | answers that another model reads or compares |
//! | `waits` | where decisions wait |

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

pub use contract::{Access, AskNext, Blind, Kind, NeedsConsent, Request, RequestRow, Writes};
pub use items::*;
pub use payload::*;
pub use reading::*;
pub use reference::wire_reference;
pub use request::{AnyReply, AnyRequest, Name as RequestName};
pub use response::*;
pub use waits::Waits;

use benchtop_model::Error;
use benchtop_model::config::Reason;
use benchtop_model::import::Progress;

/// First word of a conversation.
pub const MAGIC: [u8; 8] = *b"benchtop";
/// Version of this language; owner and client must agree.
pub const PROTOCOL: u16 = 13;
/// Largest frame in bytes.
pub const FRAME_LIMIT: usize = 16 << 20;

/// From a client.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToOwner {
    /// Who is there.
    Hello(Hello),
    /// A question or a command, numbered by the client.
    Ask(u64, AnyRequest),
    /// The answer to this number is no longer wanted.
    Cancel(u64),
}

/// Who is there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`PROTOCOL`].
    pub protocol: u16,
    /// Version of the client's program.
    pub version: String,
    /// The annotator in whose name it decides.
    pub who: String,
}

/// Where an annotator left off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    /// Item number, from 1; 0 for none.
    pub number: u32,
    /// The queue's filter as words.
    pub filter: String,
    /// The round that is worked on; empty for none.
    #[serde(default)]
    pub round: String,
    /// The item that a note is being typed on, and the note so far.
    #[serde(default)]
    pub note: Option<(u32, String)>,
}

/// From the owner.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromOwner {
    /// The conversation may begin.
    Welcome(Box<Welcome>),
    /// It may not.
    Refused(Error),
    /// The answer to a question.
    Answer(u64, Box<Result<AnyReply, Error>>),
    /// How far a long command is.
    Progress(u64, Progress),
    /// Something happened.
    Event(Event),
}

/// What a client must know first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// Owner's process id.
    pub pid: u32,
    /// Version of the owner's program.
    pub version: String,
    /// Name of the project.
    pub project: String,
    /// The project's folder.
    pub root: PathBuf,
    /// Revision of the last decision.
    pub rev: u64,
    /// Number of items.
    pub items: u64,
    /// Reasons a reject can give.
    pub reasons: Vec<Reason>,
    /// Where this annotator left off.
    pub place: Option<ResumePoint>,
    /// What a person should know: rebuilt, damaged lines.
    pub notices: Vec<String>,
}
