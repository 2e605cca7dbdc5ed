//! The mouse: what a click, the wheel, and dragging do.
//!
//! A frame says where it reacts ([`crate::hits`]). A click then runs the actions of keys, so that
//! the rules for keys hold: a verdict needs an item that was seen, and a menu takes what is meant for
//! it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};

use super::App;
use super::message::Message;
use super::mouse_state::MouseState;
use crate::action::Action;
use crate::hits::Dragged;
use crate::terminal::{Input, Mouse, MouseKind};
use crate::widgets::toast::Toast;
use benchtop_model::Region;

/// The region of a picture from one cell to another one, both included.
fn region(picture: Rect, a: Position, b: Position) -> Region {
    let share = |at: u16, start: u16, length: u16| {
        f64::from(at.saturating_sub(start).min(length)) / f64::from(length.max(1))
    };
    let across = |at| share(at, picture.x, picture.width);
    let down = |at| share(at, picture.y, picture.height);
    Region::between(
        (across(a.x.min(b.x)), down(a.y.min(b.y))),
        (across(a.x.max(b.x) + 1), down(a.y.max(b.y) + 1)),
    )
}

impl App {
    /// Whether the mouse was turned on or off since the last call.
    pub fn wants_mouse(&mut self) -> Option<bool> {
        std::mem::take(&mut self.mouse.is_changed).then_some(self.mouse.is_on)
    }

    pub(super) fn toggle_mouse(&mut self) {
        self.mouse = MouseState {
            is_on: !self.mouse.is_on,
            is_changed: !self.mouse.is_changed,
            drag: None,
        };
        let key = self.keymap.press(Action::Mouse);
        self.say(Toast::info(match self.mouse.is_on {
            true => format!("mouse on: most terminals select text with shift; {key} turns it off"),
            false => "mouse off".to_string(),
        }));
    }

    /// Whether this is a click, and the screen has changed since the last frame. What is under the
    /// mouse is then known only after another frame.
    pub fn is_click_on_old_frame(&self, message: &Message) -> bool {
        let is_click = matches!(message, Message::Input(Input::Mouse(mouse), _)
            if mouse.kind == MouseKind::Press);
        is_click && self.dirty && self.mouse.is_on
    }

    pub(super) fn mouse(&mut self, mouse: Mouse, at: u64) {
        if !self.mouse.is_on {
            return;
        }
        let place = Position::from(mouse.at);
        let hits = &self.setting.look.hits;
        match mouse.kind {
            MouseKind::Press => {
                let actions = hits.clicked(place);
                let dragged = hits.dragged_at(place);
                self.mouse.drag = dragged.map(|(what, area)| (what, area, place));
                match dragged {
                    Some((Dragged::Slider, area)) => self.press_slider(place, area, at),
                    _ => self.run_actions(actions, at),
                }
            }
            MouseKind::WheelUp | MouseKind::WheelDown => {
                let actions = hits.wheeled(place, mouse.kind == MouseKind::WheelDown);
                self.run_actions(actions, at);
            }
            MouseKind::Drag => self.drag(place, false, at),
            MouseKind::Release => {
                self.drag(place, true, at);
                self.mouse.drag = None;
            }
        }
    }

    /// Runs the actions of a click, as their keys do.
    fn run_actions(&mut self, actions: Option<Vec<Action>>, at: u64) {
        let Some(actions) = actions.filter(|actions| !actions.is_empty()) else {
            return;
        };
        if !self.begin_click(at) {
            return;
        }
        for action in actions {
            match self.overlay.is_some() {
                true => self.overlay_action(action, at),
                false => {
                    self.act(action, at);
                    self.watch_refusal(action, None, at);
                }
            }
        }
    }

    /// What every click does first. Returns whether it counts.
    fn begin_click(&mut self, at: u64) -> bool {
        // A key that no pane has: it stops blinking, and is held back as other keys are.
        let key = KeyEvent::new(KeyCode::Null, KeyModifiers::NONE);
        if self.begin_key(key, at) {
            return false;
        }
        if self.link.opens().is_some() {
            self.say(Toast::info("wait for the menu; the click is ignored"));
            return false;
        }
        // No text was meant for a prompt that was refused.
        self.refused = None;
        self.toast = None;
        self.chord.clear();
        true
    }

    /// Sets the value of a scale by a press. Dragging then moves it.
    fn press_slider(&mut self, place: Position, scale: Rect, at: u64) {
        match self.overlay.is_none() && self.begin_click(at) {
            true => self.slide(place, scale, true, at),
            false => self.mouse.drag = None,
        }
    }

    fn slide(&mut self, to: Position, scale: Rect, begins: bool, at: u64) {
        let column = to.x.clamp(scale.left(), scale.right() - 1) - scale.x;
        self.dirty = true;
        self.with_pane_at(self.at, at, |pane, cx| {
            pane.slide((column, scale.width), begins, cx);
        });
    }

    /// Selects a region of a picture, or moves the value of a scale.
    fn drag(&mut self, to: Position, is_over: bool, at: u64) {
        let Some((what, area, from)) = self.mouse.drag.filter(|_| self.overlay.is_none()) else {
            return;
        };
        if what == Dragged::Slider {
            // The report before the release has moved it.
            if !is_over {
                self.slide(to, area, false, at);
            }
            return;
        }
        let picture = area;
        let clamped = Position {
            x: to.x.clamp(picture.left(), picture.right() - 1),
            y: to.y.clamp(picture.top(), picture.bottom() - 1),
        };
        // A click is no region.
        let region = (clamped != from).then(|| region(picture, from, clamped));
        self.true_pixels.key(at);
        self.dirty = true;
        self.with_pane_at(self.at, at, |pane, cx| pane.drag(region, is_over, cx));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_covers_the_cells_from_press_to_release() {
        let picture = Rect::new(10, 5, 20, 10);
        let (a, b) = (Position::new(10, 5), Position::new(19, 9));
        assert_eq!(
            region(picture, a, b),
            Region::between((0.0, 0.0), (0.5, 0.5))
        );
        assert_eq!(region(picture, a, b), region(picture, b, a));
        let last = Position::new(29, 14);
        assert_eq!(
            region(picture, last, last),
            Region::between((0.95, 0.9), (1.0, 1.0))
        );
    }
}
