//! Pixels of pictures.
//!
//! | file | what it does |
//! |---|---|
//! | [`corrupt`] | corruptions of pictures, as ImageNet-C defines them |
//! | [`decode`] | decodes pictures within limits |
//! | [`scale`] | picture sizes and resizing |

pub mod corrupt;
pub mod decode;
pub mod scale;
