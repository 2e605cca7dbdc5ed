//! What every request declares: its reply, who may ask, whether it writes, what it does about a blind round, and what
//! runs it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::request::{self, AnyReply, AnyRequest};
use benchtop_model::{Error, ErrorKind, Result};

/// A request to the owner. The table in `request.rs` implements it, a row a request.
pub trait Request:
    Clone + std::fmt::Debug + Serialize + DeserializeOwned + Into<AnyRequest> + Send + 'static
{
    /// What is answered.
    type Reply: Send + 'static;
    /// Its name in the table.
    const NAME: &'static str;
    /// Who may ask.
    const ACCESS: Access;
    /// Whether it changes the project.
    const WRITES: Writes<Self>;
    /// How it keeps the secrets of a blind round.
    const BLIND: Blind;
    /// What runs it.
    const KIND: Kind;

    /// The reply, out of whatever the owner answered.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] for the reply to another request.
    fn reply(any: AnyReply) -> Result<Self::Reply>;

    /// The reply, on its way to a client.
    fn pack(reply: Self::Reply) -> AnyReply;
}

/// A request that may follow [`request::Agree`].
pub trait NeedsConsent: Request {
    /// As it is carried.
    fn then(self) -> AskNext;
}

macro_rules! consented {
    ($($name:ident),+) => {
        /// What is asked once somebody has agreed to what it sends.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AskNext {
            $(#[doc = concat!("[`request::", stringify!($name), "`].")] $name(request::$name),)+
        }

        $(impl NeedsConsent for request::$name {
            fn then(self) -> AskNext {
                AskNext::$name(self)
            }
        })+

        impl From<AskNext> for AnyRequest {
            fn from(next: AskNext) -> AnyRequest {
                match next {
                    $(AskNext::$name(request) => request.into(),)+
                }
            }
        }
    };
}

consented!(JobAct, ScoringAct, Generate, Score, Evaluate, Judge);

/// Who may ask. Whoever reaches the socket is a member of the project (`owner::access`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every member.
    Member,
    /// In a shared project only the user it belongs to; the words complete "only the project's owner may ...".
    Owner(&'static str),
    /// Every member, but only the user the project belongs to where it consents to what leaves the machine.
    OwnerToConsent,
}

impl Access {
    /// As `docs/wire.md` shows it.
    pub const fn label(self) -> &'static str {
        match self {
            Access::Member => "member",
            Access::Owner(_) => "owner",
            Access::OwnerToConsent => "member; owner to consent",
        }
    }
}

/// Whether a request is refused while the project can only be read.
pub enum Writes<R> {
    /// It reads, or changes what the owner holds in memory.
    Never,
    /// It writes.
    Always,
    /// It writes, except where it only asks what would happen.
    Unless(fn(&R) -> bool),
}

impl<R> Writes<R> {
    /// As `docs/wire.md` shows it.
    pub const fn label(&self) -> &'static str {
        match self {
            Writes::Never => "no",
            Writes::Always => "yes",
            Writes::Unless(_) => "unless dry",
        }
    }

    /// Whether this request does.
    pub fn holds(&self, request: &R) -> bool {
        match self {
            Writes::Never => false,
            Writes::Always => true,
            Writes::Unless(is_dry) => !is_dry(request),
        }
    }
}

/// How a request keeps from an annotator what a blind round keeps from them: verdicts and notes of others, the status
/// that follows, scores, and what models answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blind {
    /// Its reply holds nothing of the kind.
    Nothing,
    /// Its reply shows a veiled item as one that nobody has judged: it is made through an
    /// `owner::visibility::AnnotatorView`.
    Filtered,
    /// Its handler refuses it where the reply would tell of a veiled item.
    Guarded,
    /// It is refused while any open blind round keeps anything from the annotator, before its handler runs.
    Refused,
}

impl Blind {
    /// As `docs/wire.md` shows it.
    pub const fn label(self) -> &'static str {
        match self {
            Blind::Nothing => "nothing to hide",
            Blind::Filtered => "filtered",
            Blind::Guarded => "guarded",
            Blind::Refused => "refused",
        }
    }
}

/// What runs a request. For each kind there is a trait in `owner::dispatch` that its handler implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A thread that looks things up; cancellable.
    Query,
    /// A thread of its own, with word of its progress; cancellable.
    Task,
    /// The writer: the reply is the receipt.
    Decision,
    /// The conversation itself, at once.
    Control,
}

impl Kind {
    /// As `docs/wire.md` shows it.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Task => "task",
            Kind::Decision => "decision",
            Kind::Control => "control",
        }
    }
}

/// A row of the table, in words.
#[derive(Clone, Copy, Debug)]
pub struct RequestRow {
    /// The request's name.
    pub name: &'static str,
    /// What it asks; a line each.
    pub doc: &'static [&'static str],
    /// Names (empty for one without) and types of its fields.
    pub fields: &'static [(&'static str, &'static str)],
    /// The type of its reply.
    pub reply: &'static str,
    /// What runs it.
    pub kind: Kind,
    /// Who may ask.
    pub access: Access,
    /// Whether it writes.
    pub writes: &'static str,
    /// What it does about a blind round.
    pub blind: Blind,
}

/// A reply that does not belong to the request.
pub(super) fn unexpected(asked: &str, came: &str) -> Error {
    Error::new(
        ErrorKind::Unreachable,
        format!("protocol error: a reply to `{came}` came for `{asked}`"),
    )
}
