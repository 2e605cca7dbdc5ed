//! The round of the sample and its verdicts.

use std::collections::BTreeMap;
use std::sync::Arc;

use uuid::{Builder, Uuid};

use crate::context::OwnerContext;
use crate::jobs;
use crate::rounds::store as store_round;
use benchtop_compose::sample::{self, round};
use benchtop_files::disk;
use benchtop_model::round::{Guidelines, NewRound, Protocol, Rate, Round, Sample, draw};
use benchtop_model::verdict::{Act, Part, RoundContext};
use benchtop_model::{Decision, Item, Judgement, Result, Verdict};

/// Milliseconds between two verdicts of one person.
const PACE: i64 = 8_000;
/// Milliseconds from the start of the round to its first settled dispute, and to its end.
const SETTLED: i64 = 3_600_000;
const CLOSED: i64 = 2 * SETTLED;

/// Draws the round, and records its verdicts.
pub(super) fn make(shared: &Arc<OwnerContext>, at: i64) -> Result<()> {
    let path = shared.project.root().join(round::GUIDELINES_PATH);
    disk::write_atomic(&path, round::GUIDELINES.as_bytes())?;
    let items = drawn_items(shared)?;
    let round = round_of(&items, at)?;
    store_round(shared, &round)?;
    let first = shared.items.ledger().rev() + 1;
    let decisions = decisions(&round, &items, (first, at));
    jobs::join(shared, decisions)
}

/// The items that the program drew, as they are shown.
fn drawn_items(shared: &OwnerContext) -> Result<Vec<Item>> {
    let catalog = shared.items.catalog();
    let pictures = shared.items.pictures();
    let all = (0..catalog.len()).map(|row| pictures.shown_item(&catalog, row));
    let mut items = all.collect::<Result<Vec<Item>>>()?;
    items.retain(|item| item.dataset == sample::DATASET);
    Ok(items)
}

fn round_of(items: &[Item], at: i64) -> Result<Round> {
    let people = round::ANNOTATORS.map(str::to_string).into();
    let new = NewRound {
        repeats: Rate::NONE,
        probes: Rate::NONE,
        calibration: 0,
        guidelines: Some(Guidelines {
            path: round::GUIDELINES_PATH.into(),
            version: Guidelines::version_of(round::GUIDELINES.as_bytes()),
        }),
        filter: format!("dataset:{}", sample::DATASET),
        sample: Sample::Count(round::ITEMS),
        ..NewRound::new(round::ROUND, Protocol::BothAccept, people, sample::SEED)
    };
    let candidates: Vec<(&str, &str)> = items.iter().map(|item| (item.id.as_str(), "")).collect();
    let drawn = draw(&new, &candidates, &[], round::ADJUDICATOR, at)?;
    Ok(Round {
        closed: Some(at + CLOSED),
        ..drawn.round
    })
}

/// All decisions of the round by annotator, at revisions from `rev` on.
fn decisions(
    round: &Round,
    items: &[Item],
    (mut rev, at): (u64, i64),
) -> BTreeMap<String, Vec<Decision>> {
    let mut all: BTreeMap<String, Vec<Decision>> = BTreeMap::new();
    let mut add = |who: &str, item: &Item, part: Part, at: i64, judgement: Judgement| {
        let asked = RoundContext {
            round: round.name.clone(),
            part,
            guidelines: round.guidelines.as_ref().map(|g| g.version.clone()),
            revealed: part == Part::Adjudication,
        };
        let decision = Decision {
            uuid: receipt(who, item, part),
            rev,
            at,
            who: who.into(),
            item: item.id.clone(),
            on: Some(item.digest()),
            act: Act::Judge(Judgement {
                round: Some(asked),
                ..judgement
            }),
        };
        rev += 1;
        all.entry(who.into()).or_default().push(decision);
    };
    let of_round = items.iter().filter(|item| round.items.contains(&item.id));
    let mut disputed = Vec::new();
    for (n, item) in (1..).zip(of_round) {
        let given = round::ANNOTATORS.map(|who| round::verdict(who, item));
        let verdicts = given.each_ref().map(|judgement| judgement.verdict);
        if verdicts[0] != verdicts[1] || verdicts.contains(&Verdict::Unsure) {
            disputed.push(item);
        }
        for (who, judgement) in round::ANNOTATORS.iter().zip(given) {
            add(who, item, Part::Main, at + n * PACE, judgement);
        }
    }
    for (n, item) in disputed.into_iter().enumerate() {
        if n % round::OPEN_EVERY != round::OPEN_EVERY - 1 {
            let at = at + SETTLED + n as i64 * PACE;
            add(
                round::ADJUDICATOR,
                item,
                Part::Adjudication,
                at,
                round::settled(item),
            );
        }
    }
    all
}

/// The receipt of a decision, which is the same in every project.
fn receipt(who: &str, item: &Item, part: Part) -> Uuid {
    let text = format!("sample {who} {} {}", item.id, part.name());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    Builder::from_random_bytes(bytes).into_uuid()
}
