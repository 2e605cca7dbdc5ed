//! The engine: jobs of all kinds in one queue.
//!
//! A job is a value ([`Job`]) that works in steps, and its kind a row of [`kinds::KINDS`]. The engine
//! does everything else, once: numbers, files, the order, pause and resume, waiting for servers,
//! trust, progress, and rates. Each resource in use, such as a device, has one thread ([`runner`]),
//! which works on the first job in the order that needs the resource, step by step. A new order, a
//! pause, or an urgent job takes effect at the next step. What is left to do follows from the job
//! and from the journals of results, so an interrupted job continues where they end.
//!
//! | module | contents |
//! |---|---|
//! | `budget` | budgets of jobs |
//! | `command` | imports and other commands in the list of jobs |
//! | `control` | starts jobs and acts on them |
//! | `follow` | commands that wait for a job |
//! | `job` | what a kind of job implements |
//! | `job_meter` | counts what a job sends, and stops it when its budget is spent |
//! | `kinds` | the table of kinds |
//! | `live` | the state of a job that all kinds share |
//! | `load` | loads the stored jobs |
//! | `queue` | the list of jobs, their order, and access to each |
//! | `runner` | the threads |
//! | `state` | what the engine holds |
//! | `transition` | the table of actions and statuses |

mod budget;
mod command;
mod control;
mod follow;
mod job;
mod job_meter;
mod kinds;
mod live;
mod load;
mod queue;
mod runner;
mod state;
#[cfg(test)]
mod tests;
mod transition;

pub use job::{Counts, Job, Kind, Slot, Step};
pub use job_meter::JobMeter;
pub use live::Live;
pub use load::start;
pub use state::Engine;
