//! From a picture file to what a pane can show, off the drawing thread.
//!
//! | file | what it does |
//! |---|---|
//! | [`decode`] | bytes to pixels, within limits, or a reason |
//! | [`scale`] | how large a picture is in a pane, and making it so |
//! | [`halfblock`] | pixels to ordinary cells, at every colour level |
//! | [`worker`] | all of that on two threads, newest first, remembered |

pub mod decode;
pub mod halfblock;
pub mod scale;
pub mod worker;

pub use decode::DecodedImage;
pub use halfblock::Cells;
pub use worker::{Previews, Ready, View};
