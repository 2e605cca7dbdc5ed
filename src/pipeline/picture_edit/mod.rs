//! Edits of pictures with a painter: VLB's V1, V2, and V3.
//!
//! [`edit_pictures`] is the entry: it paints a list of edits, puts what was painted back into each
//! picture, and stores the results durably. The painter is any
//! [`ImageGenerator`](benchtop_inference::ImageGenerator) that respects masks: the storyboard, a server
//! with `/v1/images/edits`, or a model of this machine.
//!
//! | file | what it does |
//! |---|---|
//! | `edit` | what is done to a picture, and its strategy |
//! | `layers` | a picture without its alpha, and the way back |
//! | `prepared` | the task of a painter, and the picture with what it painted |
//! | `paint` | paints and stores edits |
//! | `record` | what a derivation records |

mod edit;
mod layers;
mod paint;
mod prepared;
mod record;
#[cfg(test)]
mod tests;

pub use edit::Edit;
pub use paint::{EditEvent, EditedPicture, PictureEdit, edit_pictures};
pub use prepared::Prepared;
pub use record::chained;
