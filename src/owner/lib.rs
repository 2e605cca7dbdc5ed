//! Floor 5: the one process that owns a project.
//!
//! [`server`] accepts, [`session`] serves one client, [`dispatch`] finds the handler of a request, [`writer`] is the only thread that decides,
//! [`answers`] reads, [`metadata`] watches the metadata files, [`jobs`] runs imports,
//! [`generate`] makes pictures, [`evaluate`] asks models, [`trust`] says what may be sent where.

pub mod access;
pub mod clock;
pub mod context;
mod conversation;
pub mod dispatch;
pub mod evaluate;
mod file_watch;
pub mod generate;
pub mod jobs;
pub mod latency;
pub mod log;
pub mod metadata;
mod outage;
pub mod priority;
pub mod queries;
pub mod read_only;
mod rounds;
pub mod scoring;
pub mod search;
pub mod server;
pub mod session;
mod settings;
pub mod trust;
pub mod visibility;
pub mod writer;
