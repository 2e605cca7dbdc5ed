//! Verdicts on pictures of the sheet, from the key to the receipt.

use std::collections::HashSet;

use uuid::Uuid;

use super::step::Step;
use super::{Pending, SheetPane};
use crate::action::Action;
use crate::pane::{Context, Viewed};
use crate::panes::review::{chosen_reasons, reason_menu};
use crate::widgets::text::counted;
use benchtop_model::{ErrorKind, Judgement, PictureSeen, Result, Status, Verdict};
use benchtop_protocol::wire::{Decide, Receipt, request};

/// Items in words, the first few by number.
fn named(numbers: &[u32]) -> String {
    const NAMED: usize = 4;
    let mut names: Vec<String> = numbers
        .iter()
        .take(NAMED)
        .map(|n| format!("#{n}"))
        .collect();
    if numbers.len() > NAMED {
        names.push(format!("{} more", numbers.len() - NAMED));
    }
    names.join(", ")
}

impl SheetPane {
    /// Whether an item has no verdict, and none of this person is on its way.
    pub(super) fn is_unjudged(&self, number: u32, who: &str) -> bool {
        let own = |loaded: &crate::item::Loaded| {
            let mut standing = loaded.standing.iter();
            loaded.status == Status::Pending && standing.all(|verdict| verdict.who != who)
        };
        self.loaded(number).is_some_and(own) && !self.is_pending(number)
    }

    pub(super) fn is_pending(&self, number: u32) -> bool {
        self.pending.iter().any(|p| p.decide.number == number)
    }

    /// The selected items, or the one under the cursor. Says why they cannot be judged.
    pub(super) fn targets(&self, cx: &mut Context<'_>) -> Option<Vec<u32>> {
        if self.samples.is_some() {
            let back = cx.key(Action::Back);
            cx.refuse(format!(
                "these are pictures of one item; {back} closes them"
            ));
            return None;
        }
        let numbers = match self.selected.is_empty() {
            true => self.number().into_iter().collect(),
            false => {
                let mut sheet = self.on_sheet();
                sheet.retain(|number| self.selected.contains(number));
                sheet
            }
        };
        // A second verdict would be refused: the first one changes the item's revision.
        let pending: Vec<u32> = numbers
            .iter()
            .copied()
            .filter(|n| self.is_pending(*n))
            .collect();
        if !pending.is_empty() {
            cx.refuse(format!("verdict on {} is being saved", named(&pending)));
            return None;
        }
        if numbers.is_empty() {
            cx.say("nothing to judge");
        }
        Some(numbers).filter(|numbers| !numbers.is_empty())
    }

    /// Calls back with the targets as they were seen, or says which were not.
    fn when_seen(
        &self,
        cx: &mut Context<'_>,
        then: impl FnOnce(&mut Self, Vec<Viewed>, &mut Context<'_>) + 'static,
    ) {
        let Some(numbers) = self.targets(cx) else {
            return;
        };
        cx.when_each_seen(numbers.clone(), move |pane: &mut Self, viewed, cx| {
            let seen: HashSet<u32> = viewed.iter().map(|v| v.number).collect();
            let unseen: Vec<u32> = numbers.into_iter().filter(|n| !seen.contains(n)).collect();
            if unseen.is_empty() {
                return then(pane, viewed, cx);
            }
            cx.refuse(format!(
                "your terminal has not shown {} yet; try again once you see it",
                named(&unseen)
            ));
        });
    }

    pub(super) fn judge(&self, verdict: Verdict, cx: &mut Context<'_>) {
        self.when_seen(cx, move |pane, viewed, cx| {
            let unseen: Vec<u32> = viewed
                .iter()
                .filter(|v| !is_whole(v))
                .map(|v| v.number)
                .collect();
            if verdict == Verdict::Accept && !unseen.is_empty() {
                let open = cx.key(Action::SheetOpen);
                return cx.refuse(format!(
                    "the sheet does not show all of {}; {open} opens it",
                    named(&unseen)
                ));
            }
            let judged = viewed.into_iter().map(|v| (v.judgement(verdict), v));
            pane.give(verdict, judged.collect(), cx);
        });
    }

    /// Asks for the reasons.
    pub(super) fn reject(&self, cx: &mut Context<'_>) {
        self.when_seen(cx, |_, viewed, cx| {
            let numbers: Vec<u32> = viewed.iter().map(|v| v.number).collect();
            let title = match numbers.as_slice() {
                [number] => format!("reject #{number}: why?"),
                several => format!("reject {}: why?", counted(several.len() as u64, "item")),
            };
            let menu = reason_menu(title, cx).with_note();
            cx.menu(menu, move |pane: &mut Self, chosen, cx| {
                pane.again = Some(chosen_reasons(&chosen, cx));
                pane.reject_for_same(viewed, cx);
            });
        });
    }

    /// Rejects for the reasons of the last rejection.
    pub(super) fn reject_again(&self, cx: &mut Context<'_>) {
        match &self.again {
            None => {
                let reject = cx.key(Action::SheetReject);
                cx.refuse(format!(
                    "no reason to repeat yet: {reject} rejects with one"
                ));
            }
            Some((reasons, note)) => {
                let words = cx.env.reasons.iter().filter(|r| reasons.contains(&r.key));
                let mut words: Vec<String> = words.map(|reason| reason.label.clone()).collect();
                words.extend(note.clone());
                let why = words.join(", ");
                self.when_seen(cx, move |pane, viewed, cx| {
                    let numbers: Vec<u32> = viewed.iter().map(|v| v.number).collect();
                    cx.say(format!("{} rejected again: {why}", named(&numbers)));
                    pane.reject_for_same(viewed, cx);
                });
            }
        }
    }

    fn reject_for_same(&mut self, viewed: Vec<Viewed>, cx: &mut Context<'_>) {
        let (reasons, note) = self.again.clone().unwrap_or_default();
        let rejected = |v: Viewed| {
            let judgement = Judgement {
                reasons: reasons.clone(),
                note: note.clone(),
                ..v.judgement(Verdict::Reject)
            };
            (judgement, v)
        };
        let judged = viewed.into_iter().map(rejected).collect();
        self.give(Verdict::Reject, judged, cx);
    }

    /// Accepts all pictures of the sheet without a verdict that were seen, and goes to the next
    /// sheet. Stays if some were not on screen yet.
    pub(super) fn accept_rest(&mut self, cx: &mut Context<'_>) {
        if self.samples.is_some() {
            let back = cx.key(Action::Back);
            return cx.refuse(format!(
                "these are pictures of one item; {back} closes them"
            ));
        }
        let sheet = self.on_sheet();
        if sheet.iter().any(|number| !self.items.contains_key(number)) {
            return cx.refuse("this sheet is not on screen yet");
        }
        let who = cx.env.who;
        let rest: Vec<u32> = sheet
            .into_iter()
            .filter(|number| self.is_unjudged(*number, who))
            .collect();
        cx.when_each_seen(rest.clone(), move |pane: &mut Self, viewed, cx| {
            pane.accept_seen(rest.len(), viewed, cx);
        });
    }

    fn accept_seen(&mut self, rest: usize, viewed: Vec<Viewed>, cx: &mut Context<'_>) {
        let unseen = rest - viewed.len();
        let (whole, partly): (Vec<Viewed>, Vec<Viewed>) = viewed.into_iter().partition(is_whole);
        let mut said: Vec<String> = Vec::new();
        if !whole.is_empty() {
            let undo = cx.key(Action::Undo);
            said.push(format!("{} accepted; {undo} undoes it", whole.len()));
        }
        if !partly.is_empty() {
            let numbers: Vec<u32> = partly.iter().map(|v| v.number).collect();
            let open = cx.key(Action::SheetOpen);
            said.push(format!(
                "{} left: the sheet does not show all of it, {open} opens it",
                named(&numbers)
            ));
        }
        if unseen > 0 {
            let key = cx.key(Action::AcceptSheet);
            let pictures = counted(unseen as u64, "picture");
            said.push(format!("{pictures} not on screen yet: {key} again"));
        }
        let judged = whole.into_iter().map(|v| (v.judgement(Verdict::Accept), v));
        self.give(Verdict::Accept, judged.collect(), cx);
        if unseen == 0 {
            let (len, page) = (self.queue.len(), self.page());
            match self.place.turn(true, len, page) {
                true => self.turned(cx),
                false => said.push("this is the last sheet".to_string()),
            }
        }
        if !said.is_empty() {
            cx.say(said.join("; "));
        }
    }

    /// Gives verdicts on items as they were seen, each as its own decision.
    fn give(&mut self, verdict: Verdict, judged: Vec<(Judgement, Viewed)>, cx: &mut Context<'_>) {
        if judged.is_empty() {
            return;
        }
        self.begun += 1;
        let (id, mut numbers) = (self.begun, Vec::new());
        if let Some(said) = judged.iter().find_map(|(_, viewed)| viewed.unconfirmed()) {
            cx.say(said);
        }
        for (judgement, viewed) in judged {
            let judgement = self.attach(viewed.number, judgement);
            let decide = Decide {
                uuid: Uuid::now_v7(),
                number: viewed.number,
                expected: Some(viewed.rev),
                // The time since the sheet was painted is not the time for one picture.
                judgement: Judgement {
                    ms: None,
                    ..judgement
                },
            };
            numbers.push(viewed.number);
            self.selected.remove(&viewed.number);
            self.send(decide.clone(), cx);
            self.pending.push(Pending { decide, step: id });
        }
        self.saved = None;
        self.steps.push(Step::new(id, verdict, self.place, numbers));
    }

    fn send(&self, decide: Decide, cx: &mut Context<'_>) {
        let uuid = decide.uuid;
        cx.ask(
            request::Decide(decide),
            move |pane: &mut Self, answer, cx| pane.answered(uuid, answer, cx),
        );
    }

    /// Sends the verdicts without a receipt again. A repeated UUID counts once.
    pub(super) fn resend(&self, cx: &mut Context<'_>) {
        for pending in &self.pending {
            self.send(pending.decide.clone(), cx);
        }
    }

    fn answered(&mut self, uuid: Uuid, answer: Result<Receipt>, cx: &mut Context<'_>) {
        // Without an owner the verdict is kept and sent again.
        let lost = |kind| !cx.env.is_connected || kind == ErrorKind::Unreachable;
        if answer.as_ref().is_err_and(|problem| lost(problem.kind)) {
            return;
        }
        let at = self.pending.iter().position(|p| p.decide.uuid == uuid);
        let Some(at) = at else { return };
        let Pending { decide, step } = self.pending.remove(at);
        match &answer {
            Ok(receipt) => self.on_receipt(receipt),
            Err(_) => {
                self.attach_again(decide.number, decide.judgement);
                self.changed(decide.number, cx);
            }
        }
        let Some(at) = self.steps.iter().position(|s| s.id == step) else {
            return;
        };
        let rev = answer.map(|receipt| receipt.rev);
        if let (Ok(rev), false) = (&rev, self.steps[at].is_bulk()) {
            cx.saved(*rev);
        }
        if self.steps[at].answered(decide.number, rev) {
            let step = self.steps.remove(at);
            self.finished(step, cx);
        }
    }

    /// Shows the new status at once. The item itself follows.
    fn on_receipt(&mut self, receipt: &Receipt) {
        if let Some(Ok(loaded)) = self.items.get_mut(&receipt.number) {
            loaded.view.status = receipt.status;
            loaded.view.rev = receipt.rev;
        }
    }

    fn finished(&mut self, step: Step, cx: &mut Context<'_>) {
        self.saved = step.receipt();
        if let Some(revs) = step.revs.filter(|_| step.is_bulk()) {
            self.judged.push((step.place, revs));
            cx.judged_many(Some(revs));
        }
        let Some((_, problem)) = step.refused.first() else {
            return;
        };
        if step
            .refused
            .iter()
            .any(|(_, p)| p.kind != ErrorKind::Conflict)
        {
            return cx.error(problem);
        }
        let numbers: Vec<u32> = step.refused.iter().map(|(number, _)| *number).collect();
        let (verdict, next) = (step.verdict.name(), cx.key(Action::NextOpenSheet));
        cx.refuse(format!(
            "no {verdict} of {}: changed while on screen; {next} goes to unjudged items",
            named(&numbers)
        ));
    }

    /// Goes to the item whose verdict was undone or redone.
    pub(super) fn taken_back(&mut self, number: u32, cx: &mut Context<'_>) {
        self.saved = None;
        let position = self.queue.position(number).filter(|_| cx.env.is_shown);
        if let Some(position) = position {
            self.go(position, cx);
        }
    }

    /// Goes back to the sheet whose verdicts were undone.
    pub(super) fn undone(&mut self, revs: (u64, u64), cx: &mut Context<'_>) {
        if let Some(at) = self.judged.iter().position(|(_, own)| *own == revs) {
            (self.place, _) = self.judged.remove(at);
            self.place.fit(self.queue.len(), self.page());
            self.saved = None;
            self.turned(cx);
        }
    }
}

/// Whether the sheet showed all pictures of an item, and there is one.
fn is_whole(viewed: &Viewed) -> bool {
    let painted = |seen: &PictureSeen| *seen == PictureSeen::Painted;
    !viewed.pictures.is_empty() && viewed.pictures.iter().all(painted)
}
