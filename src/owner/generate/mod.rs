//! Generation of pictures: the kind of its jobs, and requests about pictures.
//!
//! | module | contents |
//! |---|---|
//! | `job` | the job as the engine holds it |
//! | `prioritize` | requests about single pictures |
//! | `requested` | the pictures that items request, and the states of their files |
//! | `session` | a job in progress: remaining work, batches, and retries |
//! | `start` | starts jobs |
//! | `step` | one batch |

mod job;
mod prioritize;
mod requested;
mod session;
mod start;
mod step;
#[cfg(test)]
mod tests;

pub use job::{GENERATION, GenerationJob};
pub use prioritize::{pictures_of_item, request_picture};
pub use requested::{GeneratorFactory, PictureStates, Requested};
pub use start::begin;
