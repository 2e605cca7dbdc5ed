//! The contact sheet as a pane of the program.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::SheetPane;
use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Painted, Pane, PaneId, Progress, Scene, Target};
use crate::preview::worker::Ready;
use crate::widgets::text;
use benchtop_model::Verdict;

impl SheetPane {
    /// The receipt: verdicts that wait, or those that were saved last.
    fn receipt(&self) -> String {
        match (self.pending.len(), &self.saved) {
            (0, Some(saved)) => format!("✓ {saved}"),
            (0, None) => String::new(),
            (1, _) => "saving".to_string(),
            (n, _) => format!("saving {n}"),
        }
    }

    fn select(&mut self, cx: &mut Context<'_>) {
        if self.samples.is_some() {
            return cx.say("pictures of one item cannot be selected");
        }
        if let Some(number) = self.number()
            && !self.selected.remove(&number)
        {
            self.selected.insert(number);
        }
    }
}

impl Pane for SheetPane {
    fn bar(&self) -> Option<&'static [Scope]> {
        // Verdicts are not given on the pictures of one item, nor in a round.
        (self.samples.is_some() || self.in_round).then_some(&[Scope::Global])
    }

    fn help(&self, keys: &Keymap) -> String {
        format!(
            "The pictures of the review's items at once. {} rejects the picture under the cursor, {} accepts all \
             others of the sheet that have no verdict and that your terminal has painted, and goes to the next \
             sheet; {} undoes them as one step. {} shows another queue, and {} shows what a scenario made in \
             labeled rows. A round serves one item at a time, so it \
             has no contact sheet. In true pixels, the picture under the cursor is shown.",
            keys.press(Action::SheetReject),
            keys.press(Action::AcceptSheet),
            keys.press(Action::Undo),
            keys.press(Action::Find),
            keys.press(Action::SheetScenario)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.who = cx.env.who.to_string();
        self.fetch(cx);
    }

    fn show(&mut self, target: Target, from: PaneId, cx: &mut Context<'_>) {
        self.who = cx.env.who.to_string();
        match target {
            Target::Samples(number) => {
                let from = Some(from).filter(|from| *from != PaneId::Sheet);
                self.show_samples(number, from, cx);
            }
            Target::Scenario(number) => {
                let from = Some(from).filter(|from| *from != PaneId::Sheet);
                (self.in_round, self.samples) = (false, None);
                self.show_scenario(number, from, cx);
            }
            Target::Sheet(None) => (self.in_round, self.samples) = (true, None),
            Target::Sheet(Some((queue, number))) => {
                (self.in_round, self.samples) = (false, None);
                match self.own {
                    true => self.fetch(cx),
                    false => self.follow(queue, number, cx),
                }
            }
            _ => self.fetch(cx),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        if self.in_round && self.samples.is_none() && action != Action::Back {
            let review = cx.key(Action::Go(PaneId::Review));
            return cx.say(format!(
                "no contact sheet in a round; {review} continues it"
            ));
        }
        match action {
            Action::SheetLeft | Action::SheetRight | Action::SheetUp | Action::SheetDown => {
                self.step(action, cx);
            }
            Action::NextSheet | Action::PreviousSheet | Action::FirstSheet | Action::LastSheet => {
                self.turn(action, cx)
            }
            Action::NextOpenSheet if self.samples.is_none() => self.next_pending(cx),
            Action::SheetAccept => self.judge(Verdict::Accept, cx),
            Action::SheetReject => self.reject(cx),
            Action::SheetRejectAgain => self.reject_again(cx),
            Action::SheetFlag => self.judge(Verdict::Flag, cx),
            Action::SheetSelect => self.select(cx),
            Action::SheetTag => self.ask_tags(cx),
            Action::SheetMark => self.mark_in_review(cx),
            Action::AcceptSheet => self.accept_rest(cx),
            Action::SheetOpen => self.open_item(cx),
            Action::SheetSamples => match self.number() {
                Some(number) if self.samples.is_none() => self.show_samples(number, None, cx),
                _ => {}
            },
            Action::SheetScenario => match self.number() {
                Some(number) if self.samples.is_none() => self.show_scenario(number, None, cx),
                _ => {}
            },
            Action::LargerPictures => self.scale(true, cx),
            Action::SmallerPictures => self.scale(false, cx),
            Action::SheetPixels => cx.toggle_pixels(),
            Action::Find if self.samples.is_none() => self.ask_filter(cx),
            Action::Back if self.search.is_some() => self.stop_search(cx),
            Action::Back => self.back(cx),
            // Undo comes here only while verdicts are being saved.
            Action::Undo | Action::Redo => cx.refuse("your verdicts are being saved; try again"),
            other => {
                let list = cx.key(Action::Go(PaneId::List));
                cx.say(format!(
                    "`{}` works in tables; {list} opens Items",
                    other.name()
                ));
            }
        }
    }

    /// Undoing now would take back one of the verdicts that are given together.
    fn has_undo(&self) -> bool {
        self.steps.iter().any(super::Step::is_bulk)
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Items(items) => self.queue.grow(items),
            Notice::Reconnected => self.resend(cx),
            Notice::Resync | Notice::Rules if cx.env.is_shown => self.refresh(cx),
            Notice::Resync | Notice::Rules => self.items.clear(),
            Notice::Item(number) if cx.env.is_shown => self.changed(number, cx),
            Notice::Item(number) => drop(self.items.remove(&number)),
            Notice::Pictures(numbers) => {
                let own = self.samples.as_ref().map(|samples| samples.number);
                if own.is_some_and(|own| numbers.contains(&own)) {
                    self.ask_samples(cx);
                }
            }
            Notice::TakenBack { receipt, .. } => self.taken_back(receipt.number, cx),
            Notice::UndoneMany(revs) => self.undone(revs, cx),
            Notice::Resized if cx.env.is_shown => self.fetch(cx),
            _ => {}
        }
    }

    fn item(&self) -> Option<u32> {
        self.number()
    }

    fn selected_item(&self) -> Option<&str> {
        let number = self.number().filter(|_| !self.own && !self.in_round)?;
        Some(&self.loaded(number)?.item.id)
    }

    fn painted(&self) -> Vec<Painted> {
        self.painted_items()
    }

    fn pixels(&self) -> Option<(Arc<Ready>, Rect)> {
        self.pixels.clone()
    }

    fn has_unsaved(&self) -> bool {
        !self.pending.is_empty()
    }

    fn progress(&self) -> Progress {
        if self.in_round || self.samples.is_some() || self.queue.is_empty() {
            return Progress::default();
        }
        let len = self.queue.len();
        let sheet = self.place.sheet(len, self.page());
        let grouped = |n: usize| text::grouped(n as u64);
        let place = format!(
            "{}–{} of {}",
            grouped(sheet.start + 1),
            grouped(sheet.end),
            grouped(len)
        );
        let place_room = 3 * text::width(&grouped(len)) + text::width("– of ");
        let filter = match self.queue.is_all() {
            true => String::new(),
            false => format!("  [{}]", self.queue.title()),
        };
        let receipt = self.receipt();
        let receipt_room = text::width(&receipt)
            .max(text::width("✓ # saved") + self.queue.items().to_string().len());
        Progress {
            place: (place, place_room),
            filter,
            receipt: (receipt, receipt_room),
        }
    }

    fn is_empty(&self, scene: &Scene<'_>) -> bool {
        scene.items == 0 && self.samples.is_none() && !self.in_round
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.draw_sheet(area, buf, scene);
        None
    }
}
