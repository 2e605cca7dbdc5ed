//! Work for adjudicators: disputed items, and verdicts under earlier guidelines.

use std::collections::{BTreeMap, HashMap};

use super::start;
use super::verdicts::{each, part, snapshot};
use crate::visibility::AnnotatorView;
use benchtop_model::round::Round;
use benchtop_model::round::state::{AdjudicationContext, Dispute, OthersVerdict};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::verdict::{EffectiveVerdict, Part};
use benchtop_model::{Result, Verdict};
use benchtop_store::Ledger;

/// The name of adjudicators in rounds that hide names.
const NAMELESS: &str = "adjudicator";

/// The items with different verdicts, a flag, or an unsure, open ones first. The annotator counts
/// as having seen their verdicts from then on.
pub(super) fn disputes(view: &AnnotatorView, name: &str) -> Result<Vec<Dispute>> {
    let snapshot = snapshot(view, name)?;
    let one = |ledger: &Ledger, row: u32| {
        if view.hides(row) {
            None
        } else {
            dispute(view, &snapshot.round, ledger, row)
        }
    };
    let mut list: Vec<Dispute> = each(view, &snapshot, one).into_iter().flatten().collect();
    let catalog = view.items.catalog();
    for dispute in &mut list {
        let row = dispute.number - 1;
        dispute.item = catalog.item(row as usize)?.id;
        view.shared().rounds.shown(view.who(), row);
    }
    let path = snapshot.round.guidelines.as_ref().map(|g| &g.path);
    let version = path.and_then(|path| start::version(view.shared(), path).ok());
    view.shared().rounds.settling(view.who(), name, version);
    sort_by_key(&mut list, |dispute| {
        (dispute.settled.is_some(), dispute.number)
    });
    Ok(list)
}

/// The rounds with disputes that are not settled, oldest first, and their number. Only a count: the
/// annotator has not seen the verdicts.
pub fn open_disputes(view: &AnnotatorView) -> Vec<(String, u64)> {
    let glances = view.shared().rounds.glances(view.who()).into_iter();
    let open = glances
        .filter(|snapshot| snapshot.state.judged > 0)
        .map(|snapshot| {
            let one = |ledger: &Ledger, row: u32| {
                let found = (!view.hides(row)).then(|| dispute(view, &snapshot.round, ledger, row));
                found.flatten().is_some_and(|found| found.settled.is_none())
            };
            let open = each(view, &snapshot, one).into_iter().filter(|open| *open);
            let number = open.count() as u64;
            (snapshot.state.name, number)
        });
    open.filter(|(_, open)| *open > 0).collect()
}

/// The verdicts on a row that count in a round, in the order they were given.
fn in_round(ledger: &Ledger, row: u32, round: &Round) -> Vec<EffectiveVerdict> {
    let mut all = ledger.effective_verdicts(row);
    all.retain(|s| {
        s.judgement
            .round
            .as_ref()
            .is_some_and(|asked| asked.round == round.name)
    });
    all
}

/// The names that adjudicators see: `annotator 1`, `annotator 2` in order of appearance, unless the
/// round shows names.
pub(super) fn called(round: &Round) -> impl FnMut(String) -> String + use<> {
    let (names_shown, mut names) = (round.adjudication.names, HashMap::<String, String>::new());
    move |who| {
        let next = names.len() + 1;
        if names_shown {
            who
        } else {
            names
                .entry(who)
                .or_insert_with(|| format!("annotator {next}"))
                .clone()
        }
    }
}

fn dispute(view: &AnnotatorView, round: &Round, ledger: &Ledger, row: u32) -> Option<Dispute> {
    let (settled, given): (Vec<EffectiveVerdict>, Vec<EffectiveVerdict>) =
        in_round(ledger, row, round)
            .into_iter()
            .partition(|s| part(&s.judgement) == Part::Adjudication);
    let verdicts: Vec<Verdict> = given
        .iter()
        .map(|s| s.judgement.verdict)
        .filter(|v| *v != Verdict::Skip)
        .collect();
    let differ = verdicts.windows(2).any(|two| two[0] != two[1]);
    let doubt = verdicts
        .iter()
        .any(|v| matches!(v, Verdict::Flag | Verdict::Unsure));
    if !differ && !doubt {
        return None;
    }
    let own = given.iter().any(|s| s.who == view.who());
    let mut called = called(round);
    let settled = settled.into_iter().next_back().map(|s| {
        let names_shown = round.adjudication.names || s.who == view.who();
        OthersVerdict {
            who: if names_shown { s.who } else { NAMELESS.into() },
            at: s.at,
            judgement: s.judgement,
        }
    });
    Some(Dispute {
        number: row + 1,
        item: String::new(),
        status: round.protocol.status(&verdicts),
        verdicts: given
            .into_iter()
            .map(|s| OthersVerdict {
                who: called(s.who),
                at: s.at,
                judgement: s.judgement,
            })
            .collect(),
        own,
        settled,
        text_rev: ledger.text_rev(row),
    })
}

/// The context of an adjudication.
pub(super) fn adjudicating(view: &AnnotatorView, name: &str) -> Result<AdjudicationContext> {
    let shared = view.shared();
    let snapshot = snapshot(view, name)?;
    let Some(guidelines) = &snapshot.round.guidelines else {
        return Ok(AdjudicationContext {
            sees: snapshot.round.adjudication,
            ..AdjudicationContext::default()
        });
    };
    // Without the current file, no version can be called earlier.
    let version = start::version(shared, &guidelines.path).ok();
    let stamps = |ledger: &Ledger, row: u32| -> Vec<(Option<String>, u32)> {
        if view.hides(row) {
            return Vec::new();
        }
        let stamp = |s: EffectiveVerdict| {
            (
                s.judgement.round.and_then(|asked| asked.guidelines),
                row + 1,
            )
        };
        in_round(ledger, row, &snapshot.round)
            .into_iter()
            .map(stamp)
            .collect()
    };
    let mut earlier: BTreeMap<Option<String>, Vec<u32>> = BTreeMap::new();
    if version.is_some() {
        for (stamp, number) in each(view, &snapshot, stamps).into_iter().flatten() {
            if stamp != version {
                earlier.entry(stamp).or_default().push(number);
            }
        }
    }
    for numbers in earlier.values_mut() {
        numbers.sort_unstable();
    }
    Ok(AdjudicationContext {
        sees: snapshot.round.adjudication,
        guidelines: Some(guidelines.path.clone()),
        version,
        earlier: earlier.into_iter().collect(),
    })
}
