//! Adjudicating an item: from a key to a saved verdict with its note.

use uuid::Uuid;

use super::AdjudicatePane;
use crate::pane::{Chosen, Context, EditAt, Viewed};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::page::Page;
use crate::widgets::prompt::Prompt;
use benchtop_model::round::state::AdjudicationContext;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{ErrorKind, Judgement, Result, Verdict};
use benchtop_protocol::wire::{Decide, Receipt, request};

/// The note tag of a disagreement that the guidelines leave open.
const GAP: &str = "#guideline-gap";
/// The verdicts that can settle an item.
const SETTLES: [Verdict; 3] = [Verdict::Accept, Verdict::Reject, Verdict::Fix];
/// Width of a version on the page of earlier guidelines.
const LABEL: u16 = 12;

/// A verdict that adjudicates an item, before its note is known.
#[derive(Clone, Debug)]
pub(super) struct Adjudication {
    /// The item as it was on the screen.
    pub viewed: Viewed,
    /// The verdict. For a gap it is chosen together with the note.
    pub verdict: Verdict,
    /// Whether the guidelines have a gap. The note gets [`GAP`], and the guidelines open after the
    /// save.
    pub gap: bool,
}

impl AdjudicatePane {
    /// Asks for the note that every adjudication requires, once the item was seen.
    pub(super) fn judge(&mut self, verdict: Verdict, gap: bool, cx: &mut Context<'_>) {
        let Some(dispute) = self.current() else {
            return cx.say("nothing to settle");
        };
        // As in the review: a second verdict would be refused.
        if self.pending_on(dispute.number).is_some() {
            return cx.refuse("your verdict on this item is being saved");
        }
        let ask = move |pane: &mut Self, viewed: Viewed, cx: &mut Context<'_>| {
            let settle = Adjudication {
                viewed,
                verdict,
                gap,
            };
            pane.ask_note(settle, cx);
        };
        cx.when_seen(move |pane: &mut Self, viewed, cx| {
            if verdict != Verdict::Reject {
                return cx.confirm(viewed, verdict, ask);
            }
            // As in the review, the menu warns if a picture was not shown.
            if let Some(unseen) = viewed.unseen() {
                cx.refuse(unseen);
            }
            ask(pane, viewed, cx);
        });
    }

    fn ask_note(&self, settle: Adjudication, cx: &mut Context<'_>) {
        let number = settle.viewed.number;
        let menu = match (settle.gap, settle.verdict) {
            (true, _) => {
                let choices = SETTLES.map(|v| Choice::new(v.name()).wants_note()).to_vec();
                Menu::new(
                    format!("#{number}, guideline gap: choose a verdict and describe the gap"),
                    choices,
                )
            }
            (_, Verdict::Reject) => {
                let choice =
                    |r: &benchtop_model::config::Reason| Choice::new(r.label.clone()).wants_note();
                let choices = cx.env.reasons.iter().map(choice).collect();
                Menu::new(format!("#{number} rejected: reasons and note"), choices).several()
            }
            (_, verdict) => {
                let label = if verdict == Verdict::Fix {
                    "to fix: write a note"
                } else {
                    "accepted: write a note"
                };
                let prompt = Prompt::new(format!("#{number} {label}"), "", self.whys.clone());
                return cx.prompt(prompt, move |pane: &mut Self, why, cx| {
                    if why.trim().is_empty() {
                        return Err("write a note: it is recorded with the verdict".into());
                    }
                    pane.settle(settle.clone(), Vec::new(), why, cx)
                });
            }
        };
        let menu = menu.with_note().with_tags(cx.env.tags.to_vec());
        cx.menu(menu, move |pane: &mut Self, Chosen { picks, note }, cx| {
            let (mut settle, mut reasons) = (settle, Vec::new());
            if settle.gap {
                let verdict = picks.first().and_then(|pick| SETTLES.get(*pick));
                settle.verdict = verdict.copied().unwrap_or(settle.verdict);
            } else {
                let chosen = picks.iter().filter_map(|pick| cx.env.reasons.get(*pick));
                reasons.extend(chosen.map(|reason| reason.key.clone()));
            }
            if let Err(why) = pane.settle(settle, reasons, &note, cx) {
                cx.refuse(why);
            }
        });
    }

    /// Sends the verdict and goes to the next open dispute. Prompts offer the note again.
    fn settle(
        &mut self,
        settle: Adjudication,
        reasons: Vec<String>,
        why: &str,
        cx: &mut Context<'_>,
    ) -> std::result::Result<(), String> {
        let Adjudication {
            viewed,
            verdict,
            gap,
        } = settle;
        cx.tagged(if gap { GAP } else { why });
        let (number, why) = (viewed.number, why.trim());
        self.whys.retain(|note| note != why);
        self.whys.push(why.to_string());
        let open = self.shown().any(|dispute| dispute.number == number);
        let Some(round) = self.round.clone().filter(|_| open) else {
            return Err(format!("#{number} is no longer in dispute"));
        };
        let tagged = why.split_whitespace().any(|word| word == GAP);
        let note = if gap && !tagged {
            format!("{GAP} {why}")
        } else {
            why.to_string()
        };
        let asked = RoundContext {
            round,
            part: Part::Adjudication,
            guidelines: None,
            revealed: true,
        };
        let judgement = Judgement {
            reasons,
            note: Some(note),
            round: Some(asked),
            tags: self.tags.remove(&number).unwrap_or_default(),
            ..viewed.judgement(verdict)
        };
        let decide = Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: Some(viewed.text_rev),
            judgement,
        };
        if gap {
            self.gap = Some(decide.uuid);
        }
        self.saved = None;
        self.pending.push(decide.clone());
        send(decide, cx);
        let place = self.place();
        let next = self
            .shown()
            .skip(place + 1)
            .find(|dispute| self.is_open(dispute))
            .map(|dispute| dispute.number);
        if let Some(number) = next {
            self.go_to(number, cx);
        }
        Ok(())
    }

    /// Sends verdicts without a receipt again. A repeated uuid counts once.
    pub(super) fn resend(&self, cx: &mut Context<'_>) {
        for decide in &self.pending {
            send(decide.clone(), cx);
        }
    }

    /// The verdict on an item that awaits its receipt.
    pub(super) fn pending_on(&self, number: u32) -> Option<Verdict> {
        self.pending
            .iter()
            .rev()
            .find(|decide| decide.number == number)
            .map(|decide| decide.judgement.verdict)
    }

    /// Handles a receipt. After a gap, opens the guidelines.
    fn acknowledged(&mut self, receipt: &Receipt, cx: &mut Context<'_>) {
        cx.saved(receipt.rev);
        self.pending.retain(|decide| decide.uuid != receipt.uuid);
        self.saved = Some(format!("#{} saved", receipt.number));
        self.refresh(cx);
        if self.gap == Some(receipt.uuid) {
            self.gap = None;
            match &self.about.guidelines {
                Some(path) => cx.edit(path, EditAt::Line(1)),
                None => cx.say(format!("saved with {GAP}; this round has no guidelines")),
            }
        }
    }

    /// Handles a refused verdict and returns to its item.
    fn refused(&mut self, uuid: Uuid, cx: &mut Context<'_>) {
        let Some(at) = self.pending.iter().position(|decide| decide.uuid == uuid) else {
            return;
        };
        let decide = self.pending.remove(at);
        self.gap = self.gap.filter(|gap| *gap != uuid);
        if !decide.judgement.tags.is_empty() {
            let tags = decide.judgement.tags;
            self.tags.entry(decide.number).or_insert(tags);
        }
        self.go_to(decide.number, cx);
        self.changed(decide.number, cx);
        self.refresh(cx);
    }
}

/// Sends a verdict. The pane keeps it until its receipt.
fn send(decide: Decide, cx: &mut Context<'_>) {
    let uuid = decide.uuid;
    let then = move |pane: &mut AdjudicatePane, receipt: Result<Receipt>, cx: &mut Context<'_>| {
        match receipt {
            Ok(receipt) => pane.acknowledged(&receipt, cx),
            // Without an owner the verdict is kept and sent again.
            Err(problem) if !cx.env.is_connected || problem.kind == ErrorKind::Unreachable => {}
            Err(problem) => {
                cx.error(&problem);
                pane.refused(uuid, cx);
            }
        }
    };
    cx.ask(request::Decide(decide), then);
}

/// The verdicts given under earlier guidelines, as a page.
pub(super) fn earlier(about: &AdjudicationContext, cx: &mut Context<'_>) {
    let Some(path) = &about.guidelines else {
        return cx.refuse("no guidelines; `benchtop round new --guidelines PATH` sets them");
    };
    let Some(version) = &about.version else {
        return cx.refuse(format!(
            "cannot read {path}, so its earlier versions are unknown"
        ));
    };
    if about.earlier.is_empty() {
        return cx.say(format!(
            "all verdicts used the present {path} (version {version})"
        ));
    }
    let all: usize = about.earlier.iter().map(|(_, numbers)| numbers.len()).sum();
    let page = Page::new(format!("{all} verdicts under earlier guidelines"));
    let page = page.paragraph(format!(
        "{path} is now version {version}. If its meaning changed, check these again."
    ));
    let page = about
        .earlier
        .iter()
        .fold(page.paragraph(""), |page, (stamp, numbers)| {
            let mut items = numbers.clone();
            items.dedup();
            let list: Vec<String> = items.iter().map(|number| format!("#{number}")).collect();
            let line = format!(
                "{} verdicts on {} items: {}",
                numbers.len(),
                items.len(),
                list.join(" ")
            );
            let label = stamp.clone().unwrap_or_else(|| "no version".into());
            page.entry(label, LABEL, line, crate::theme::Role::Text)
        });
    cx.page(page);
}
