//! Editing parts of pictures: what a painter gets, and how its picture comes back.
//!
//! An edit has a mask of the pixels to repaint ([`Mask`]) and weights that soften its edge
//! ([`Weights`]). A painter accepts few sizes, so it gets a [`Canvas`]: the picture and its mask, scaled
//! down and padded. [`Canvas::paste`] puts the painted pixels back at the picture's own size. Bytes with
//! weight 0 stay those of the source. Outpainting ([`outpaint`]) makes the source the middle of a larger
//! picture, with the frame around it as the mask.
//!
//! Boxes are [`Region`](benchtop_model::region::Region)s: shares of width and height.
//!
//! | file | what it does |
//! |---|---|
//! | `mask` | masks from boxes, their union and coverage |
//! | `soften` | distances to a mask, and the weights of its soft edge |
//! | `canvas` | pictures and masks in sizes that painters accept, and back |
//! | `numbers` | boxes with numbers, for models that name objects |
//! | `outpaint` | larger pictures with a frame to repaint |
//! | `pad` | repeats the edge of a picture around it |

mod canvas;
mod mask;
mod numbers;
mod outpaint;
mod pad;
mod soften;
#[cfg(test)]
mod tests;

pub use canvas::{Canvas, PainterSizes};
pub use mask::Mask;
pub use numbers::numbered;
pub use outpaint::{Outpainted, Ratio, outpaint};
pub use soften::Weights;
