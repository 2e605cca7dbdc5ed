//! Floor 2: from metadata to pictures and questions.

pub mod sample;
