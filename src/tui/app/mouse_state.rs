//! Whether the mouse is on.

use ratatui::layout::{Position, Rect};

use crate::hits::Dragged;

/// Whether the mouse is on, and what is being dragged.
#[derive(Debug, Default)]
pub(super) struct MouseState {
    pub(super) is_on: bool,
    /// Whether the terminal does not know yet.
    pub(super) is_changed: bool,
    /// What is being dragged, its area, and where dragging began.
    pub(super) drag: Option<(Dragged, Rect, Position)>,
}

impl MouseState {
    pub(super) fn new(is_on: bool) -> MouseState {
        MouseState {
            is_on,
            is_changed: is_on,
            drag: None,
        }
    }
}
