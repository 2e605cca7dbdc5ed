//! Adjudicating an item: from a key to a saved verdict with its note.

use uuid::Uuid;

use super::{AdjudicateEffect as Effect, AdjudicatePane, ReplyFor};
use crate::panes::review::Viewed;
use crate::widgets::page::Page;
use benchtop_model::round::state::AdjudicationContext;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{Judgement, Verdict};
use benchtop_protocol::wire::{Decide, Receipt, request};

/// The note tag of a disagreement that the guidelines leave open.
pub const GAP: &str = "#guideline-gap";
/// Width of a version on the page of earlier guidelines.
const LABEL: u16 = 12;

/// A verdict that adjudicates an item, before its note is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// The item as it was on the screen.
    pub viewed: Viewed,
    /// The verdict. For a gap it is chosen together with the note.
    pub verdict: Verdict,
    /// Whether the guidelines have a gap. The note gets [`GAP`], and the guidelines open after the
    /// save.
    pub gap: bool,
}

impl AdjudicatePane {
    /// Sends the verdict and goes to the next open dispute.
    pub fn settle(&mut self, settle: Adjudication, reasons: Vec<String>, why: &str) -> Vec<Effect> {
        let Adjudication {
            viewed,
            verdict,
            gap,
        } = settle;
        let number = viewed.number;
        let text_rev = self
            .shown()
            .find(|dispute| dispute.number == number)
            .map(|dispute| dispute.text_rev);
        let (Some(round), Some(text_rev)) = (self.round.clone(), text_rev) else {
            return super::refuse(format!("#{number} is no longer in dispute"));
        };
        let why = why.trim();
        self.whys.retain(|note| note != why);
        self.whys.push(why.to_string());
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
            ..viewed.judgement(verdict)
        };
        let decide = Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: Some(text_rev),
            judgement,
        };
        if gap {
            self.gap = Some(decide.uuid);
        }
        self.saved = None;
        self.pending.push(decide.clone());
        let mut effects = vec![Effect::Ask(
            ReplyFor::Settled(decide.uuid),
            request::Decide(decide).into(),
        )];
        let place = self.place();
        let next = self
            .shown()
            .skip(place + 1)
            .find(|dispute| self.is_open(dispute))
            .map(|dispute| dispute.number);
        effects.extend(next.map_or(Vec::new(), |number| self.go_to(number)));
        effects
    }

    /// Notes of earlier adjudications, oldest first.
    pub fn whys(&self) -> &[String] {
        &self.whys
    }

    /// Verdicts that await their receipts, oldest first.
    pub fn pending(&self) -> &[Decide] {
        &self.pending
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
    pub fn acknowledged(&mut self, receipt: &Receipt) -> Vec<Effect> {
        self.pending.retain(|decide| decide.uuid != receipt.uuid);
        self.saved = Some(format!("#{} saved", receipt.number));
        let mut effects = self.refresh();
        if self.gap == Some(receipt.uuid) {
            self.gap = None;
            effects.push(match &self.about.guidelines {
                Some(path) => Effect::Edit(path.clone()),
                None => Effect::Say(format!("saved with {GAP}; this round has no guidelines")),
            });
        }
        effects
    }

    /// Handles a refused verdict and returns to its item.
    pub fn refused(&mut self, uuid: Uuid) -> Vec<Effect> {
        let Some(at) = self.pending.iter().position(|decide| decide.uuid == uuid) else {
            return Vec::new();
        };
        let decide = self.pending.remove(at);
        self.gap = self.gap.filter(|gap| *gap != uuid);
        let mut effects = self.go_to(decide.number);
        effects.extend(self.changed(decide.number));
        effects.extend(self.refresh());
        effects
    }
}

/// The verdicts given under earlier guidelines, as a page.
pub(super) fn earlier(about: &AdjudicationContext) -> Vec<Effect> {
    let Some(path) = &about.guidelines else {
        return super::refuse("no guidelines; `benchtop round new --guidelines PATH` sets them");
    };
    let Some(version) = &about.version else {
        return super::refuse(format!(
            "cannot read {path}, so its earlier versions are unknown"
        ));
    };
    if about.earlier.is_empty() {
        return vec![Effect::Say(format!(
            "all verdicts used the present {path} (version {version})"
        ))];
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
    vec![Effect::Show(Box::new(page))]
}
