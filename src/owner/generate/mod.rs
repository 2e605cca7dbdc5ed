//! Generation of pictures: the kind of its jobs, and requests about pictures.
//!
//! | module | contents |
//! |---|---|
//! | `check` | checks the settings |
//! | `job` | the job as the engine holds it |
//! | `picture_states` | the pictures that items request, and the states of their files |
//! | `prioritize` | requests about single pictures |
//! | `requested` | what the owner holds of them |
//! | `session` | a job in progress: remaining work, batches, and retries |
//! | `start` | starts jobs |
//! | `step` | one batch |

mod check;
mod job;
mod picture_states;
mod prioritize;
mod requested;
mod session;
mod start;
mod step;
#[cfg(test)]
mod tests;

pub use job::GenerationJob;
pub use prioritize::{pictures_of_item, request_picture};
pub use requested::{GeneratorFactory, PictureStates, Requested};
pub use step::GENERATION;
