//! What every request declares: its reply, who may send it, whether it writes, how it treats blind
//! rounds, and how it runs.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::request::{self, AnyReply, AnyRequest};
use benchtop_model::{Error, Result};

/// A request to the owner. The table in `request.rs` implements this trait, one row per request.
pub trait Request:
    Clone + std::fmt::Debug + Serialize + DeserializeOwned + Into<AnyRequest> + Send + 'static
{
    type Reply: Send + 'static;
    /// Name in the table.
    const NAME: &'static str;
    /// Who may send it.
    const ACCESS: Access;
    /// Whether it changes the project.
    const WRITES: Writes<Self>;
    /// How it hides what a blind round keeps from an annotator.
    const BLIND: Blind;
    /// How it runs.
    const KIND: Kind;

    /// Unpacks the reply.
    ///
    /// # Errors
    /// [`Error::unreachable`] if `any` replies to another request.
    fn reply(any: AnyReply) -> Result<Self::Reply>;

    /// Packs the reply for the wire.
    fn pack(reply: Self::Reply) -> AnyReply;
}

/// A request that may follow [`request::Agree`].
pub trait NeedsConsent: Request {
    /// Wraps the request for [`request::Agree`].
    fn then(self) -> ConsentedRequest;
}

macro_rules! consented {
    ($($name:ident),+) => {
        /// Request that follows the consent.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum ConsentedRequest {
            $(#[doc = concat!("[`request::", stringify!($name), "`].")] $name(request::$name),)+
        }

        $(impl NeedsConsent for request::$name {
            fn then(self) -> ConsentedRequest {
                ConsentedRequest::$name(self)
            }
        })+

        impl From<ConsentedRequest> for AnyRequest {
            fn from(next: ConsentedRequest) -> AnyRequest {
                match next {
                    $(ConsentedRequest::$name(request) => request.into(),)+
                }
            }
        }
    };
}

consented!(JobAct, Generate, Score, Evaluate, Judge, Bootstrap);

/// Who may send a request. Everybody who can reach the socket is a member of the project
/// (`owner::access`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every member.
    Member,
    /// In a shared project, only the project's owner. The text completes "only the project's owner
    /// may ...".
    Owner(&'static str),
    /// Every member. But only the project's owner if the request consents to sending data off this
    /// machine.
    OwnerToConsent,
}

impl Access {
    /// Label in `docs/wire.md`.
    pub const fn label(self) -> &'static str {
        match self {
            Access::Member => "member",
            Access::Owner(_) => "owner",
            Access::OwnerToConsent => "member; owner to consent",
        }
    }
}

/// Whether a request is refused in a read-only project.
pub enum Writes<R> {
    /// It reads, or changes only the owner's memory.
    Never,
    /// It writes.
    Always,
    /// It writes, unless it is a dry run.
    Unless(fn(&R) -> bool),
}

impl<R> Writes<R> {
    /// Label in `docs/wire.md`.
    pub const fn label(&self) -> &'static str {
        match self {
            Writes::Never => "no",
            Writes::Always => "yes",
            Writes::Unless(_) => "unless dry",
        }
    }

    /// Whether this request writes.
    pub fn holds(&self, request: &R) -> bool {
        match self {
            Writes::Never => false,
            Writes::Always => true,
            Writes::Unless(is_dry) => !is_dry(request),
        }
    }
}

/// How a request hides what a blind round keeps from an annotator: verdicts and notes of others,
/// the resulting status, scores, and model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blind {
    /// The reply contains nothing to hide.
    Nothing,
    /// The reply shows a blind item as pending. It is made through an
    /// `owner::visibility::AnnotatorView`.
    Filtered,
    /// The handler refuses the request if the reply would reveal something about a blind item.
    Guarded,
    /// The request is refused, before its handler runs, while any open blind round hides something
    /// from the annotator.
    Refused,
}

impl Blind {
    /// Label in `docs/wire.md`.
    pub const fn label(self) -> &'static str {
        match self {
            Blind::Nothing => "nothing to hide",
            Blind::Filtered => "filtered",
            Blind::Guarded => "guarded",
            Blind::Refused => "refused",
        }
    }
}

/// How a request runs. `owner::dispatch` has one trait per kind, which the handler implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On a lookup thread; cancelable.
    Query,
    /// On its own thread, with progress; cancelable.
    Task,
    /// On the writer thread. The reply is a receipt.
    Decision,
    /// In the connection itself, at once.
    Control,
}

impl Kind {
    /// Label in `docs/wire.md`.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Task => "task",
            Kind::Decision => "decision",
            Kind::Control => "control",
        }
    }
}

/// A row of the table, as text.
#[derive(Clone, Copy, Debug)]
pub struct RequestRow {
    pub name: &'static str,
    /// Documentation, line by line.
    pub doc: &'static [&'static str],
    /// Names (empty for tuple fields) and types of the fields.
    pub fields: &'static [(&'static str, &'static str)],
    /// Type of the reply.
    pub reply: &'static str,
    pub kind: Kind,
    pub access: Access,
    pub writes: &'static str,
    pub blind: Blind,
}

/// Error for a reply to another request.
pub(super) fn unexpected(expected: &str, got: &str) -> Error {
    Error::unreachable(format!(
        "protocol error: got a reply to `{got}` for `{expected}`"
    ))
}
