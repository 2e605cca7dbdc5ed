//! The review as a pane of the program.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

use super::{Phase, Queue, ReviewPane, selection};
use crate::action::{Action, Scope};
use crate::item::Picture;
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Painted, Pane, PaneId, Progress, Scene, Target};
use crate::preview::worker::Ready;
use crate::widgets::text;
use benchtop_model::{Item, Region, Result};
use benchtop_protocol::wire::ResumePoint;

impl ReviewPane {
    /// Resumes where the annotator left off.
    fn begin(&mut self, place: &ResumePoint, items: u32, cx: &mut Context<'_>) {
        self.resume_note(place.note.clone(), cx);
        let number = (place.number > 0).then_some(place.number);
        self.set_queue(Queue::all(items), number, cx);
        if !place.filter.is_empty() {
            self.find(&place.filter, number, cx);
        }
        if !place.round.is_empty() {
            self.resume(place.round.clone(), cx);
        }
    }
}

/// Shows the error of a request whose reply says nothing else.
pub(super) fn show_error<T>(_: &mut ReviewPane, reply: Result<T>, cx: &mut Context<'_>) {
    let _ = cx.ok_or_show(reply);
}

const THREAD: &[Scope] = &[Scope::Thread, Scope::Review, Scope::Global];
const THREAD_IN_ROUND: &[Scope] = &[Scope::Thread, Scope::Round, Scope::Review, Scope::Global];
const MARKING: &[Scope] = &[Scope::Mark, Scope::Review, Scope::Global];
const MARKING_IN_ROUND: &[Scope] = &[Scope::Mark, Scope::Round, Scope::Review, Scope::Global];

impl Pane for ReviewPane {
    fn scopes(&self) -> Option<&'static [Scope]> {
        if self.selection().is_some() {
            return Some(selection::SCOPES);
        }
        let in_round = self.work().is_some();
        match (&self.remarks.marking, &self.remarks.thread) {
            (Some(_), _) if in_round => return Some(MARKING_IN_ROUND),
            (Some(_), _) => return Some(MARKING),
            (None, Some(_)) if in_round => return Some(THREAD_IN_ROUND),
            (None, Some(_)) => return Some(THREAD),
            (None, None) => {}
        }
        let work = self.work()?;
        Some(if work.asks_answers() && work.phase == Phase::Item {
            &[Scope::Answers, Scope::Round, Scope::Review, Scope::Global]
        } else {
            &[Scope::Round, Scope::Review, Scope::Global]
        })
    }

    fn bar(&self) -> Option<&'static [Scope]> {
        if self.selection().is_some() {
            return None;
        }
        match (&self.remarks.marking, &self.remarks.thread) {
            (Some(_), _) => Some(&[Scope::Mark]),
            (None, Some(_)) => Some(&[Scope::Thread]),
            // The verdict keys are shown above the item.
            (None, None) => self.work().map(|_| &[Scope::Round][..]),
        }
    }

    fn help(&self, keys: &Keymap) -> String {
        format!(
            "One item per screen. A verdict moves on to the next item, and “saved” appears once it is on disk. \
             `{}` makes a queue from text or filters such as `status:pending subtask:animal`. \
             {} makes a queue of flagged items, and {} explains why an item is flagged.",
            keys.press(Action::Find),
            keys.press(Action::ReviewFlagged),
            keys.press(Action::Explain)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.back_to = None;
        self.fetch(cx);
    }

    fn show(&mut self, target: Target, from: PaneId, cx: &mut Context<'_>) {
        let back_to = self.back_to;
        self.open(cx);
        match target {
            Target::Item(number) => {
                self.go_to_item(number, cx);
                self.back_to = Some(from);
            }
            Target::ItemWithId(id) => self.ask_number(id, cx),
            Target::Queue {
                number,
                filter,
                sort,
            } => {
                self.leave_round(cx);
                self.back_to = Some(from);
                if filter.is_empty() && sort.is_empty() {
                    self.show_all(Some(number), cx);
                } else {
                    self.ask_queue(filter.to_text(), (filter, sort), Some(number), cx);
                }
            }
            Target::Round(round) => self.work_on(*round, cx),
            // Back from a pane that the review opened: its own way back stays.
            Target::Back(_) => self.back_to = back_to,
            Target::Review
            | Target::Pane(_)
            | Target::Items(_)
            | Target::Sheet(_)
            | Target::Samples(_)
            | Target::Scenario(_)
            | Target::Job(_)
            | Target::Form(..)
            | Target::Fields(..) => {}
        }
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        self.run(action, cx);
    }

    fn run_macro(&mut self, which: usize, cx: &mut Context<'_>) {
        self.judge_with(which, cx);
    }

    fn before_key(&mut self, key: KeyEvent, cx: &mut Context<'_>) -> bool {
        self.stop_blinking();
        self.renew(cx);
        self.blinked && key.code == KeyCode::Esc
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Started { place, items } => self.begin(place, items, cx),
            Notice::Items(items) => self.grow(items, cx),
            Notice::Reconnected => {
                self.resend(cx);
                self.resend_comments(cx);
            }
            Notice::Comment { who, number } => self.on_comment(who, number, cx),
            Notice::Resync => {
                self.refresh(cx);
                self.ask_next(cx);
            }
            Notice::Verdict { who, receipt } => self.on_verdict(who, receipt, cx),
            Notice::TakenBack { redo, receipt } => self.taken_back(redo, receipt, cx),
            Notice::Pictures(numbers) => {
                for number in numbers {
                    self.changed(*number, cx);
                }
            }
            // The outcomes of items follow rules and scores.
            Notice::Rules => self.all_changed(cx),
            Notice::Scoring(job) if job.phase.is_finished() => self.all_changed(cx),
            Notice::Stale if cx.env.is_shown => {
                if let Some(number) = self.number() {
                    self.changed(number, cx);
                }
            }
            Notice::Quitting => {
                self.give_back(cx);
                if self.note_due.due().is_some() {
                    self.remember(cx);
                }
            }
            _ => {}
        }
    }

    fn due(&self) -> Option<u64> {
        let timers = [
            self.round_due,
            self.note_due,
            self.blink_due,
            self.picture_due,
        ];
        timers.into_iter().filter_map(|timer| timer.due()).min()
    }

    fn tick(&mut self, cx: &mut Context<'_>) {
        let now = cx.env.now;
        if self.blink_due.is_over(now) {
            self.advance_blink(cx);
        }
        if self.round_due.is_over(now) {
            self.check_round(cx);
        }
        if self.note_due.is_over(now) {
            self.remember(cx);
        }
        if self.picture_due.is_over(now) {
            self.prioritize_picture(cx);
        }
    }

    fn drag(&mut self, part: Option<Region>, is_over: bool, cx: &mut Context<'_>) {
        self.drag_region(part, is_over, cx);
    }

    fn item(&self) -> Option<u32> {
        self.number()
    }

    fn paired_items(&self) -> Vec<Arc<Item>> {
        self.paired()
    }

    fn painted(&self) -> Vec<Painted> {
        self.on_screen().into_iter().collect()
    }

    fn queue(&self) -> Option<(Queue, Option<u32>)> {
        let served = self.work.is_some();
        (!served).then(|| (self.queue.clone(), self.number()))
    }

    fn pixels(&self) -> Option<(Arc<Ready>, Rect)> {
        match &self.picture {
            // Cells, so that the region can be drawn on them.
            _ if self.selection().is_some() => None,
            Picture::Ready(ready) if !self.queue.is_empty() => {
                (!self.shows_marks()).then(|| (ready.clone(), self.layout(self.area).picture))
            }
            _ => None,
        }
    }

    fn unsaved(&self) -> Vec<String> {
        let edits = self
            .drafts
            .keys()
            .map(|number| format!("edit of #{number}"));
        let notes = self
            .unsaved_notes()
            .map(|number| format!("note on #{number}"));
        let attached = self.remarks.attached.iter();
        let attached = attached
            .filter(|(_, attached)| !attached.marks.is_empty())
            .map(|(number, _)| format!("marks on #{number}"));
        edits.chain(notes).chain(attached).collect()
    }

    fn save_unsaved(&mut self, cx: &mut Context<'_>) {
        let (draft, note) = (
            self.drafts.keys().next().copied(),
            self.unsaved_notes().next(),
        );
        if let Some(number) = draft {
            self.go_to_item(number, cx);
            self.edit_item(cx);
        } else if let Some(number) = note {
            self.go_to_item(number, cx);
            self.ask_note(cx);
        } else if let Some(number) = self.remarks.attached.keys().next().copied() {
            self.go_to_item(number, cx);
        }
    }

    fn has_unsaved(&self) -> bool {
        !self.pending.is_empty() || self.remarks.has_unsaved()
    }

    fn hides_statuses(&self) -> bool {
        self.work()
            .is_some_and(|work| work.state.blind || work.asks_answers())
    }

    fn is_home(&self) -> bool {
        self.back_to.is_none() && self.queue.is_all()
    }

    fn progress(&self) -> Progress {
        let (place, filter) = self.position_text();
        let (place_room, receipt_room) = self.status_widths();
        let receipt = self.receipt();
        let receipt_room = receipt_room.max(text::width(&receipt));
        Progress {
            place: (place, place_room),
            filter,
            receipt: (receipt, receipt_room),
        }
    }

    fn is_empty(&self, scene: &Scene<'_>) -> bool {
        scene.items == 0 && self.work().is_none()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.area = area;
        self.remarks.key = scene.key(Action::Comments);
        let named = |(action, what)| format!("{} {what}", scene.key(action));
        let keys = [
            (Action::WriteComment, "write"),
            (Action::ReplyComment, "reply"),
            (Action::EditComment, "edit"),
            (Action::DeleteComment, "delete"),
            (Action::ResolveComment, "resolve"),
            (Action::CloseComments, "close"),
        ];
        self.remarks.hint = keys.map(named).join("  ");
        self.set_round_header(scene);
        self.prepare_picture(area, scene);
        self.draw_review(area, buf, scene.look);
        None
    }
}
