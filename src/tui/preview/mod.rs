//! Turns picture files into what a pane can show, in the background.
//!
//! | file | what it does |
//! |---|---|
//! | [`pair`] | two pictures side by side or their difference, in whole or in part |
//! | [`halfblock`] | pixels to text cells, at every color level |
//! | `cache` | prepared pictures, limited in bytes |
//! | [`worker`] | two threads that do all of this, newest request first |

mod cache;
pub mod halfblock;
pub mod pair;
pub mod worker;

pub use halfblock::Cells;
pub use pair::{Part, Show};
pub use worker::{Previews, Ready, View};
