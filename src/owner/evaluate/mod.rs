//! Evaluations: the kinds of jobs that ask models about the questions of a project, that have a judge
//! read answers, and that compare free-form answers. When a run has ended, its answers become
//! predictions of the project.
//!
//! | module | contents |
//! |---|---|
//! | `check` | checks the settings |
//! | `judge` | sends answers that no rule reads to a judge |
//! | `maker` | builds the clients of models |
//! | `run` | a run as the engine holds it |
//! | `session` | a run in progress |
//! | `report_job` | jobs that end with a report |
//! | `similarity` | compares free-form answers |
//! | `start` | starts runs |
//! | `work` | a step of a run, and its predictions |

mod check;
mod judge;
mod maker;
mod report_job;
mod run;
mod session;
mod similarity;
mod start;
mod work;

pub use judge::JUDGING;
pub use maker::{Evaluations, Maker};
pub use similarity::{SIMILARITY, Scores, edition};
pub use work::RUN;
