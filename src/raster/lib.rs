//! Pixels of pictures.
//!
//! | file | what it does |
//! |---|---|
//! | [`decode`] | decodes pictures within limits |
//! | [`scale`] | picture sizes and resizing |

pub mod decode;
pub mod scale;
