//! Charts of a board as files: bars with intervals (`bars`) and shaded tables (`grid`). They are
//! laid out as [`Scene`]s and written as SVG or PNG.
//!
//! A scene unit is about one pixel. For PNG, a scene is at most [`LONGEST`] units wide and high, so
//! that its text stays readable. Larger charts are split into several scenes.

mod bars;
mod grid;
mod png;
mod scene;
mod svg;

use std::io::Write;

pub use self::bars::{Bar, Bars};
pub use self::grid::{Entry, Grid, Scales};
pub use self::scene::{Color, LONGEST, Scene};

use benchtop_model::Result;

impl Scene {
    /// Writes the scene as SVG.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn svg(&self, out: &mut dyn Write) -> Result<()> {
        svg::write(self, out)
    }

    /// Writes the scene as PNG with two pixels per unit, or fewer if its longer side would exceed
    /// 2,000 pixels. Characters missing in the built-in font are drawn as `?`.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Usage`] for a scene of more than 4 [`LONGEST`] units; errors of
    /// `out`.
    pub fn png(&self, out: &mut dyn Write) -> Result<()> {
        png::write(self, out)
    }
}

#[cfg(test)]
mod tests;
