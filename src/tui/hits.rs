//! Where a frame reacts to the mouse.
//!
//! Widgets declare it while they draw, so that no pane computes its layout a second time. A click
//! does what keys can do: it runs the actions that move the cursor there, or the one that opens what
//! is under it.

use std::cell::{Cell, RefCell};
use std::iter::repeat_n;

use ratatui::layout::{Position, Rect};

use crate::action::Action;

/// What an area does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reacts {
    /// A click runs these actions in order.
    Click(Vec<Action>),
    /// The wheel runs these actions in order: up, down.
    Wheel([Vec<Action>; 2]),
    /// A picture, or the visible part of it. Dragging selects a region.
    Picture,
    /// A horizontal scale. A press and dragging set a value on it.
    Slider,
}

/// What dragging acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dragged {
    /// A region of a picture.
    Picture,
    /// A value on a scale.
    Slider,
}

/// The areas of a frame. Of those that overlap, the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    is_on: Cell<bool>,
    /// Actions that focus the part that is being drawn.
    focus: RefCell<Vec<Action>>,
    areas: RefCell<Vec<(Rect, Reacts)>>,
}

/// The actions that move a cursor by so many steps: the first one back, the second one forward.
pub fn steps(by: i64, [back, forward]: [Action; 2]) -> impl Iterator<Item = Action> {
    let action = if by < 0 { back } else { forward };
    repeat_n(action, usize::try_from(by.unsigned_abs()).unwrap_or(0))
}

impl Hits {
    /// Starts a frame. While the mouse is off, nothing is recorded.
    pub fn begin(&self, is_on: bool) {
        self.is_on.set(is_on);
        self.clear();
    }

    /// Forgets the areas drawn so far, because something covers them.
    pub fn clear(&self) {
        self.areas.borrow_mut().clear();
        self.focus(None, 0);
    }

    /// The areas that follow belong to a part of the pane that `times` runs of an action focus.
    pub fn focus(&self, action: impl Into<Option<Action>>, times: usize) {
        let action = action.into().into_iter();
        *self.focus.borrow_mut() = action.flat_map(|action| repeat_n(action, times)).collect();
    }

    fn add(&self, area: Rect, reacts: impl FnOnce() -> Reacts) {
        if self.is_on.get() && !area.is_empty() {
            self.areas.borrow_mut().push((area, reacts()));
        }
    }

    /// A click runs an action.
    pub fn click(&self, area: Rect, action: Action) {
        self.add(area, || Reacts::Click(vec![action]));
    }

    /// A click moves the cursor there by these steps. Without any, it is there: the click opens it.
    pub fn go(&self, area: Rect, steps: impl IntoIterator<Item = Action>, open: Option<Action>) {
        self.add(area, || {
            let mut actions = self.focus.borrow().clone();
            actions.extend(steps);
            if actions.is_empty() {
                actions.extend(open);
            }
            Reacts::Click(actions)
        });
    }

    /// The wheel runs one of two actions, for up and down, this many times for each notch.
    pub fn wheel(&self, area: Rect, up_and_down: [Action; 2], times: usize) {
        self.add(area, || {
            Reacts::Wheel(up_and_down.map(|action| {
                let mut actions = self.focus.borrow().clone();
                actions.extend(repeat_n(action, times));
                actions
            }))
        });
    }

    /// A picture covers exactly this area.
    pub fn picture(&self, area: Rect) {
        self.add(area, || Reacts::Picture);
    }

    /// A scale from the left to the right edge of this area.
    pub fn slider(&self, area: Rect) {
        self.add(area, || Reacts::Slider);
    }

    fn find<T>(&self, at: Position, which: impl Fn(&(Rect, Reacts)) -> Option<T>) -> Option<T> {
        let areas = self.areas.borrow();
        let mut here = areas.iter().rev().filter(|(area, _)| area.contains(at));
        here.find_map(which)
    }

    /// The actions of a click.
    pub fn clicked(&self, at: Position) -> Option<Vec<Action>> {
        self.find(at, |(_, reacts)| match reacts {
            Reacts::Click(actions) => Some(actions.clone()),
            _ => None,
        })
    }

    /// The actions of a notch of the wheel.
    pub fn wheeled(&self, at: Position, down: bool) -> Option<Vec<Action>> {
        self.find(at, |(_, reacts)| match reacts {
            Reacts::Wheel(actions) => Some(actions[usize::from(down)].clone()),
            _ => None,
        })
    }

    /// The area of the picture or scale at a place that dragging acts on.
    pub fn dragged_at(&self, at: Position) -> Option<(Dragged, Rect)> {
        self.find(at, |(area, reacts)| match reacts {
            Reacts::Picture => Some((Dragged::Picture, *area)),
            Reacts::Slider => Some((Dragged::Slider, *area)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_area_counts_and_a_part_is_focused_first() {
        let hits = Hits::default();
        let at = Position::new(3, 3);
        hits.click(Rect::new(0, 0, 9, 9), Action::Help);
        assert_eq!(hits.clicked(at), None, "the mouse is off");
        hits.begin(true);
        hits.click(Rect::new(0, 0, 9, 9), Action::Help);
        hits.go(Rect::new(3, 3, 1, 1), [], Some(Action::Open));
        assert_eq!(hits.clicked(at), Some(vec![Action::Open]));
        assert_eq!(hits.clicked(Position::new(4, 3)), Some(vec![Action::Help]));
        hits.focus(Action::NextArea, 2);
        let rows = [Action::Up, Action::Down];
        hits.go(Rect::new(3, 3, 1, 1), steps(-1, rows), Some(Action::Open));
        hits.wheel(Rect::new(3, 3, 1, 1), rows, 1);
        assert_eq!(
            hits.clicked(at),
            Some(vec![Action::NextArea, Action::NextArea, Action::Up])
        );
        let down = vec![Action::NextArea, Action::NextArea, Action::Down];
        assert_eq!(hits.wheeled(at, true), Some(down));
        hits.clear();
        hits.go(Rect::new(3, 3, 1, 1), [], Some(Action::Open));
        assert_eq!(hits.clicked(at), Some(vec![Action::Open]));
        assert_eq!((hits.wheeled(at, true), hits.dragged_at(at)), (None, None));
        let scale = Rect::new(2, 2, 5, 5);
        hits.slider(scale);
        assert_eq!(hits.dragged_at(at), Some((Dragged::Slider, scale)));
    }
}
