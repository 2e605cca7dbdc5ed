//! Scenarios: the kind of jobs that make the pictures of a scenario and, when they have ended, the
//! items with them.
//!
//! | module | contents |
//! |---|---|
//! | `job` | a job as the engine holds it |
//! | `start` | starts jobs, and counts what they would do |
//! | `work` | a step of a job, and its items |

mod job;
mod start;
mod work;

pub use work::SCENARIO;
