//! Floor 5: the owner process of a project.
//!
//! [`server`] accepts connections. [`session`] serves one client. [`dispatch`] finds the handler of
//! a request. [`writer`] is the only thread that makes decisions. [`queries`] handles queries.
//! [`metadata`] watches the metadata files. [`jobs`] runs imports and other long requests.
//! [`generate`] generates pictures. [`evaluate`] queries models. [`trust`] decides what may be sent
//! where.

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
pub mod priority;
pub mod queries;
pub mod read_only;
mod rounds;
pub mod scoring;
pub mod search;
pub mod server;
mod server_outage;
pub mod session;
mod settings;
pub mod trust;
pub mod visibility;
pub mod writer;
