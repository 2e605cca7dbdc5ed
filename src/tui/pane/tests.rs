use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::testing::{only, recorder};
use super::{Ask, Context, Pane, Scene, Timer};
use crate::action::Action;
use crate::keymap::Keymap;
use benchtop_protocol::wire::{Request, request};

/// Counts the replies that it gets.
#[derive(Default)]
struct Counting(u32);

impl Pane for Counting {
    fn help(&self, _keys: &Keymap) -> String {
        String::new()
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        cx.ask(request::Rounds, |pane: &mut Self, _, _| pane.0 += 1);
    }

    fn act(&mut self, _action: Action, cx: &mut Context<'_>) {
        let then = |pane: &mut Self, _, _: &mut Context<'_>| pane.0 += 1;
        cx.send(Ask::in_parts(request::Rounds, then));
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        false
    }

    fn draw(&mut self, _: Rect, _: &mut Buffer, _: &Scene<'_>) -> Option<Position> {
        None
    }
}

#[test]
fn a_reply_in_parts_is_received_part_by_part_and_any_other_once() {
    let rec = recorder();
    for (in_parts, received) in [(true, 2), (false, 1)] {
        let mut pane = Counting::default();
        let effects = match in_parts {
            true => rec.act(&mut pane, Action::Open),
            false => rec.open(&mut pane),
        };
        let super::Effect::Ask(ask) = only(effects) else {
            panic!("no request")
        };
        let (_, receiver) = ask.into_parts(super::PaneId::List);
        for _ in 0..2 {
            rec.call(&mut pane, |pane, cx| {
                receiver.receive(pane, Ok(request::Rounds::pack(Vec::new())), cx);
            });
        }
        assert_eq!(pane.0, received);
    }
}

#[test]
fn a_timer_is_over_once() {
    let mut timer = Timer::default();
    timer.start(10);
    timer.start(5);
    assert_eq!(timer.due(), Some(10), "it already runs");
    timer.restart(20);
    assert!(!timer.is_over(19));
    assert!(timer.is_over(20) && !timer.is_over(20));
}
