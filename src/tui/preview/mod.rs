//! From a picture file to what a pane can show, off the drawing thread.
//!
//! | file | what it does |
//! |---|---|
//! | [`decode`] | bytes to pixels, within limits, or a reason (import checks by the same function) |
//! | [`scale`] | how large a picture is in a pane, and making it so |
//! | [`pair`] | two pictures beside each other or where they differ, and a region of them |
//! | [`halfblock`] | pixels to ordinary cells, at every colour level |
//! | `cache` | what was made, up to a number of bytes |
//! | [`worker`] | all of that on two threads, newest first, remembered |

mod cache;
pub mod halfblock;
pub mod pair;
pub mod scale;
pub mod worker;

pub use benchtop_formats::picture as decode;
pub use benchtop_formats::picture::DecodedImage;
pub use halfblock::Cells;
pub use pair::{Part, Region, Show};
pub use worker::{Previews, Ready, View};
