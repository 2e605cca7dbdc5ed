//! Turns picture files into what a pane can show, in the background. [`decode`] reads the pixels,
//! within limits that the import shares.
//!
//! | file | what it does |
//! |---|---|
//! | [`scale`] | picture sizes and resizing |
//! | [`pair`] | two pictures side by side or their difference, and regions |
//! | [`halfblock`] | pixels to text cells, at every color level |
//! | `cache` | prepared pictures, limited in bytes |
//! | [`worker`] | two threads that do all of this, newest request first |

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
