//! Floor 5: the terminal program.
//!
//! Panes hold state and turn [`action::Action`]s into effects; they do no I/O. [`terminal`] is the only code that
//! touches the tty.

pub mod action;
pub mod keymap;
pub mod palette;
pub mod panes;
pub mod preview;
pub mod terminal;
pub mod theme;
pub mod widgets;

pub fn run(
    _p: &crate::store::project::Project,
    _w: &str,
    _c: Option<terminal::ColourLevel>,
) -> crate::model::Result<()> {
    Ok(())
}
