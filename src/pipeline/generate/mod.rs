//! Making pictures: Dysca's P -> I for all items of a project.
//!
//! [`named`] knows which pictures the items name and from what they are made; [`work`] what of them is left to do for a
//! job; [`build`] the generator it is done with ([`instead`] says where it is another than was preferred); [`errand`] turns one into a task for a generator; [`check`] looks at what came out; [`file`] makes it a file.
//! Who does this when, is the owner's business.

pub mod build;
pub mod check;
pub mod errand;
pub mod file;
pub mod instead;
pub mod named;
pub mod work;

#[cfg(test)]
mod tests;
