//! Making pictures: Dysca's P -> I for all items of a project.
//!
//! [`image_index`] knows which pictures the items name and from what they are made; [`work`] what of them is left to do for a
//! job; [`build`] the generator it is done with ([`fallback`] says where it is another than was preferred); [`generation_task`] turns one into a task for a generator; [`check`] looks at what came out; [`file`] makes it a file.
//! Who does this when, is the owner's business.

pub mod build;
pub mod check;
pub mod fallback;
pub mod file;
pub mod generation_task;
pub mod image_index;
pub mod work;

#[cfg(test)]
mod tests;
