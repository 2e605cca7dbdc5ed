//! Floor 5: the owner process of a project.
//!
//! | module | contents |
//! |---|---|
//! | [`access`] | authenticates clients and authorizes requests |
//! | `bootstrap` | jobs that have models write, paint, and judge variants of questions |
//! | [`clock`] | the clock that stamps decisions |
//! | [`context`] | the state that the threads share, in parts |
//! | `conversation` | the requests of one client, and the routes of the replies |
//! | [`dispatch`] | the handler of each request, generated from the table of requests |
//! | [`engine`] | jobs of all kinds: files, order, actions, and the threads that work on them |
//! | [`evaluate`] | evaluations, judges of answers, and similarity of answers |
//! | `file_watch` | keeps the inventory and warns about changed files |
//! | [`generate`] | generation of pictures |
//! | [`jobs`] | imports, edits, and other long requests, each on its own thread |
//! | [`latency`] | durations of the steps between a decision and its receipt |
//! | [`log`] | the log of the owner |
//! | [`metadata`] | the metadata in memory, and the watch over its files |
//! | `outgoing` | sends messages to one client, receipts without waking its session |
//! | [`priority`] | lowers the priority of background threads |
//! | [`queries`] | handlers of queries: items, metadata, jobs, and boards |
//! | [`read_only`] | when a read-only owner must be replaced, and whether the project was moved |
//! | [`releases`] | which items are in the releases of the project |
//! | `rounds` | running rounds: leases, the purpose of each verdict, and adjudication |
//! | `sample` | the sample: adds it to an empty project, and removes it |
//! | `scenario` | jobs that make the pictures and items of scenarios |
//! | [`scoring`] | scores, rules, and outcomes |
//! | [`search`] | filtered, sorted, and searched lists of items |
//! | [`server`] | the process: lock, opening of the project, connections, and shutdown |
//! | [`session`] | one client connection: greeting and frames |
//! | `settings` | rereads `benchtop.toml` when it changes |
//! | [`trust`] | consent to sending data, and trust in jobs |
//! | [`visibility`] | what a blind round hides from an annotator |
//! | [`writer`] | the thread that records decisions |

pub mod access;
mod bootstrap;
pub mod clock;
pub mod context;
mod conversation;
pub mod dispatch;
pub mod engine;
pub mod evaluate;
mod file_watch;
pub mod generate;
pub mod jobs;
pub mod latency;
pub mod log;
pub mod metadata;
mod outgoing;
pub mod priority;
pub mod queries;
pub mod read_only;
pub mod releases;
mod rounds;
mod sample;
mod scenario;
pub mod scoring;
pub mod search;
pub mod server;
pub mod session;
mod settings;
pub mod trust;
pub mod visibility;
pub mod writer;
