//! Verdicts, from the key to the receipt.

use uuid::Uuid;

use super::ReviewPane;
use super::reasons::{chosen_reasons, reason_menu};
use crate::action::Action;
use crate::pane::{Chosen, Context, Picked, Viewed};
use benchtop_model::{Error, ErrorKind, Judgement, Verdict};
use benchtop_protocol::wire::{Decide, Receipt, request};

impl ReviewPane {
    /// Calls back with the item as it was seen, or says why it cannot be judged.
    pub(super) fn when_seen(
        &self,
        cx: &mut Context<'_>,
        then: impl FnOnce(&mut Self, Viewed, &mut Context<'_>) + 'static,
    ) {
        if let Err(why) = self.work().map_or(Ok(()), |work| work.ready()) {
            return cx.refuse(why);
        }
        // A second verdict would be refused: the first one changes the item's revision.
        if self.number().is_some_and(|n| self.pending_on(n).is_some()) {
            return cx.refuse("your verdict on this item is being saved");
        }
        cx.when_seen(then);
    }

    pub(super) fn judge(&self, verdict: Verdict, cx: &mut Context<'_>) {
        self.when_seen(cx, move |_, viewed, cx| {
            cx.confirm(viewed, verdict, move |pane: &mut Self, viewed, cx| {
                let judgement = Judgement {
                    note: pane.take_note(viewed.number, cx),
                    ..viewed.judgement(verdict)
                };
                pane.give(&viewed, judgement, cx);
            });
        });
    }

    /// Gives a verdict on the item as it was seen.
    pub(super) fn give(&mut self, viewed: &Viewed, judgement: Judgement, cx: &mut Context<'_>) {
        // In a round, the verdicts of others raise the revision of the item.
        let rev = match self.work() {
            Some(_) => viewed.text_rev,
            None => viewed.rev,
        };
        let judgement = self.attach(viewed.number, judgement);
        self.decide(viewed.number, rev, judgement, cx);
    }

    /// Gives the verdict of a macro on the item on screen.
    pub(super) fn judge_with(&self, which: usize, cx: &mut Context<'_>) {
        let Some(made) = cx.env.keymap.macros().get(which).cloned() else {
            return;
        };
        self.when_seen(cx, move |_, viewed, cx| {
            cx.confirm(viewed, made.verdict, move |pane: &mut Self, viewed, cx| {
                let mut judgement = made.judgement(viewed.judgement(made.verdict));
                if let Some(note) = pane.take_note(viewed.number, cx) {
                    judgement.note = Some(match judgement.note {
                        Some(own) => format!("{note} {own}"),
                        None => note,
                    });
                }
                let undo = cx.key(Action::Undo);
                // One key did several things: say which, and how to undo them.
                cx.say(format!(
                    "#{} {}: {}; {undo} undoes it",
                    viewed.number,
                    made.name,
                    made.help()
                ));
                viewed.unconfirmed().into_iter().for_each(|why| cx.say(why));
                cx.tagged(judgement.note.as_deref().unwrap_or_default());
                pane.give(&viewed, judgement, cx);
            });
        });
    }

    /// Asks for the reasons. The menu warns if a picture was not shown.
    pub(super) fn reject(&self, cx: &mut Context<'_>) {
        self.when_seen(cx, |pane, viewed, cx| {
            if let Some(unseen) = viewed.unseen() {
                cx.refuse(unseen);
            }
            let number = viewed.number;
            let rule = pane
                .work()
                .and_then(|work| work.state.protocol.key_labels());
            let what = rule.map_or("reject", |keys| keys.reject);
            let begun = pane.unfinished_note(number);
            let menu = reason_menu(format!("{what} #{number}: why?"), cx).keeping(&begun);
            cx.menu_live(menu, move |pane: &mut Self, picked, cx| match picked {
                Picked::Noted(note) => pane.watch_note(number, note, cx),
                Picked::Chosen(chosen) => pane.reject_for(&viewed, &chosen, cx),
                Picked::Cancelled => pane.on_note(number, &begun, cx),
            });
        });
    }

    fn reject_for(&mut self, viewed: &Viewed, chosen: &Chosen, cx: &mut Context<'_>) {
        self.set_note(viewed.number, "");
        let (reasons, note) = chosen_reasons(chosen, cx);
        let judgement = Judgement {
            reasons,
            note,
            ..viewed.judgement(Verdict::Reject)
        };
        self.give(viewed, judgement, cx);
    }

    pub(super) fn send(&self, decide: Decide, cx: &mut Context<'_>) {
        let uuid = decide.uuid;
        cx.ask(
            request::Decide(decide),
            move |pane: &mut Self, receipt, cx| match receipt {
                Ok(receipt) => pane.decided(&receipt, cx),
                Err(problem) => pane.on_refused(uuid, &problem, cx),
            },
        );
    }

    /// Sends the verdicts without a receipt again. A repeated UUID counts once, whether or not the
    /// first attempt reached the disk.
    pub(super) fn resend(&self, cx: &mut Context<'_>) {
        for pending in &self.pending {
            self.send(pending.clone(), cx);
        }
    }

    fn decided(&mut self, receipt: &Receipt, cx: &mut Context<'_>) {
        if self.overrides(receipt) {
            let number = receipt.number;
            cx.say(format!("#{number} overrides the filter (false alarm)"));
        }
        if let Some(then) = self.acknowledged(receipt, cx) {
            self.judged_in_round(then, cx);
        }
        cx.saved(receipt.rev);
    }

    fn on_refused(&mut self, uuid: Uuid, problem: &Error, cx: &mut Context<'_>) {
        // Without an owner the verdict is kept and sent again.
        if !cx.env.is_connected || problem.kind == ErrorKind::Unreachable {
            return;
        }
        // Receipts and lists arrive in any order: a queue requested later must not hide the refused
        // item.
        self.forget_queues(cx);
        let refused = self.pending.iter().find(|p| p.uuid == uuid);
        if let Some(decide) = refused {
            let (number, judgement) = (decide.number, decide.judgement.clone());
            self.restore_note(number, judgement.note.clone());
            self.attach_again(number, judgement);
        }
        self.refused(uuid, cx);
        self.refresh_assignment(cx);
        cx.error(problem);
    }

    /// Somebody gave a verdict.
    pub(super) fn on_verdict(&mut self, who: &str, receipt: &Receipt, cx: &mut Context<'_>) {
        // Our own receipts are handled elsewhere, unless another of our terminals gave the verdict.
        let ours =
            self.is_settled(receipt.uuid) || self.pending.iter().any(|p| p.uuid == receipt.uuid);
        // In a round the verdicts of others stay hidden.
        if ours || self.work.is_some() {
            return;
        }
        self.changed(receipt.number, cx);
        let is_shown = cx.env.is_shown && self.number() == Some(receipt.number);
        if who != cx.env.who && is_shown {
            let status = receipt.status.name();
            cx.say(format!("#{} is now {status} ({who})", receipt.number));
        }
    }

    /// The annotator undid or redid a step.
    pub(super) fn taken_back(&mut self, redo: bool, receipt: &Receipt, cx: &mut Context<'_>) {
        self.receipt_came(receipt);
        let number = receipt.number;
        let what = match (receipt.edit, receipt.comment) {
            (true, _) => "edit of",
            (_, true) => "comment on",
            _ => "verdict on",
        };
        let (word, key) = match redo {
            true => ("redone", format!("{} undoes it", cx.key(Action::Undo))),
            false => ("undone", format!("{} redoes it", cx.key(Action::Redo))),
        };
        self.saved = Some(format!("#{number} {word}"));
        if self.work.is_some() {
            // The item's status would reveal the verdicts of others.
            cx.done(format!("{word} your {what} #{number}; {key}"));
            return self.refresh_assignment(cx);
        }
        let now = match receipt.comment {
            true => String::new(),
            false => format!(", now {}", receipt.status.name()),
        };
        cx.done(format!("{word} your {what} #{number}{now}; {key}"));
        if cx.env.is_shown {
            self.go_to_item(number, cx);
        }
        self.changed(number, cx);
    }
}
