//! Actions of the review.

use super::ReviewPane;
use crate::action::{Action, Scope};
use crate::pane::{Context, PaneId, Target};
use benchtop_model::Verdict;

impl ReviewPane {
    pub(super) fn run(&mut self, action: Action, cx: &mut Context<'_>) {
        if self.remark(action, cx) || self.round_action(action, cx) {
            return;
        }
        match action {
            Action::Accept => self.judge(Verdict::Accept, cx),
            Action::Skip => self.judge(Verdict::Skip, cx),
            Action::Flag => self.judge(Verdict::Flag, cx),
            Action::Unsure => self.judge(Verdict::Unsure, cx),
            Action::Reject => self.reject(cx),
            Action::Note => self.ask_note(cx),
            Action::Find => self.ask_find(cx),
            Action::Next | Action::Previous | Action::FirstItem | Action::LastItem => {
                self.step(action, cx);
            }
            Action::NextPending => self.next_pending(cx),
            Action::ScrollDown | Action::ScrollUp => {
                let lines = if action == Action::ScrollDown { 5 } else { -5 };
                if !self.scroll(lines) {
                    cx.say("end of the text");
                }
            }
            Action::Pixels => cx.toggle_pixels(),
            Action::SelectRegion => self.select_region(cx),
            other if other.scope() == Scope::Region => self.selection_action(other, cx),
            Action::ZoomIn
            | Action::ZoomOut
            | Action::PanLeft
            | Action::PanDown
            | Action::PanUp
            | Action::PanRight
            | Action::Blink
            | Action::OtherPicture
            | Action::PictureDifference => self.view_action(action, cx),
            Action::ShowSamples => self.show_pictures("samples", Target::Samples, cx),
            Action::ShowScenario => self.show_pictures("scenarios", Target::Scenario, cx),
            Action::Explain => self.explain(cx),
            Action::ShowLineage => self.show_lineage(cx),
            Action::ShowTranscript => self.show_transcript(cx),
            Action::ReviewFlagged => self.ask_flagged(cx),
            Action::EditItem => self.edit_item(cx),
            Action::Back => self.back(cx),
            other => {
                let list = cx.key(Action::Go(PaneId::List));
                cx.say(format!(
                    "`{}` works in tables; {list} opens Items",
                    other.name()
                ));
            }
        }
    }

    fn step(&mut self, action: Action, cx: &mut Context<'_>) {
        self.cancel_going(cx);
        let position = self.position();
        let gone = match action {
            Action::Next => self.go(position + 1, cx),
            Action::Previous => match position.checked_sub(1) {
                Some(position) => self.go(position, cx),
                None => Err("this is the first item of the queue"),
            },
            Action::FirstItem => self.go(0, cx),
            _ => self.go(self.queue.len().saturating_sub(1), cx),
        };
        if let Err(why) = gone {
            cx.say(why);
        }
    }

    /// Shows other pictures of the item on screen.
    fn show_pictures(&self, what: &str, of: fn(u32) -> Target, cx: &mut Context<'_>) {
        match self.number() {
            Some(_) if self.work().is_some() => {
                cx.say(format!("{what} are not shown in a round"));
            }
            Some(number) => cx.open(of(number)),
            None => cx.say("no item on screen"),
        }
    }

    /// Returns to the pane that the item was opened from, then to all items.
    fn back(&mut self, cx: &mut Context<'_>) {
        if let Some(pane) = self.back_to.take() {
            return cx.open(Target::Back(pane));
        }
        if self.queue.is_all() {
            return cx.quit();
        }
        cx.say("showing all items");
        self.show_all(self.number(), cx);
    }
}
