//! Floor 2: from metadata to pictures and questions.
//!
//! | room | what it does |
//! |---|---|
//! | [`metadata`] | vocabularies, styles and templates, read and edited |
//! | [`grammar`] | metadata made ready: slots resolved, what cannot work found |
//! | [`plan`], [`course`] | how many pictures of what; every question in its place |
//! | [`draw`] | seeded draws, the same on every machine and in any order |
//! | [`near`] | when two terms can both be right |
//! | [`sample`] | the sample set, drawn by the program |

pub mod course;
pub mod draw;
pub mod engine;
pub mod grammar;
pub mod metadata;
pub mod near;
pub mod plan;
pub mod sample;
