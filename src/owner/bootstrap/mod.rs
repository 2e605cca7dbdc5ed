//! Bootstrapping: the kind of jobs that have models write, paint, and judge variants of questions and, when
//! they have ended, add the items.
//!
//! | module | contents |
//! |---|---|
//! | `asking` | the next requests of a job |
//! | `job` | a job as the engine holds it |
//! | `painter` | the generator of the project as a painter |
//! | `painting` | paints candidates |
//! | `preview` | the request that an edited prompt file makes for an item |
//! | `recent_pictures` | the pictures that a job read last |
//! | `roles` | the models of the roles, and where they are |
//! | `sending` | sends requests beside the work on the next ones |
//! | `session` | a job in progress: its steps, and their journal |
//! | `start` | starts jobs, and counts what they would do |
//! | `step_indexes` | indexes of the journals of jobs |
//! | `transcript` | the requests and answers behind an item |
//! | `work` | a step of a job, and its items |

mod asking;
mod job;
mod painter;
mod painting;
mod preview;
mod recent_pictures;
mod roles;
mod sending;
mod session;
mod start;
mod step_indexes;
mod transcript;
mod work;

pub use step_indexes::StepIndexes;
pub use work::BOOTSTRAP;
