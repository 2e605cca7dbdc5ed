//! Generates pictures for all items of a project (Dysca's P -> I).
//!
//! [`image_index`] lists the needed pictures and their prompts, [`work`] the remaining work of a
//! job. [`build`] selects the generator ([`fallback`] marks a substitute), [`generation_task`]
//! makes a task for it, [`check`] validates the result, and [`file`] writes it. The owner schedules
//! all of this.

pub mod build;
pub mod check;
pub mod fallback;
pub mod generation_task;
pub mod image_index;
pub mod png;
pub mod remaining;

#[cfg(test)]
mod tests;
