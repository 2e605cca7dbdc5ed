//! Results on VLB's variants: the grid of visual and language strategies, the curve over their number,
//! and the questions that a model answers right before and wrong after.

use std::collections::BTreeMap;

use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::tally::Tally;
use benchtop_metrics::vlb::grid::{Difficulty, place};
use benchtop_metrics::vlb::{AnsweredPair, Paired, deltas};
use benchtop_model::analysis::variants::{
    CHANGED_LIMIT, ChangedAnswer, CurvePoint, ModelVariants, Right, VariantCell, Variants,
};
use benchtop_model::{Error, Result};

pub(super) fn variants(
    scored: &BoardData,
    chosen: &ItemSelection,
    ask: &Variants,
) -> Result<Vec<ModelVariants>> {
    let engine = scored.engine();
    let only = ask
        .model
        .as_deref()
        .map(|name| engine.model(name))
        .transpose()?;
    let mut found = Vec::new();
    for (at, model) in engine.models().iter().enumerate() {
        if only.is_some_and(|only| only != at) {
            continue;
        }
        let mut pairs = engine.answered_pairs(model, chosen);
        pairs.retain(|pair| place(pair.variant).is_some());
        if !pairs.is_empty() {
            found.push(of_model(&model.model, &pairs, ask.changed));
        }
    }
    if found.is_empty() {
        let what = "no model has answered a variant of VLB and its original";
        let help = "name variants V1 to V3 and L1 to L4, or compositions such as V1+L4";
        return Err(Error::not_found(what).help(help));
    }
    Ok(found)
}

fn of_model(model: &str, pairs: &[AnsweredPair<'_>], lists: bool) -> ModelVariants {
    let tally = |is_right: bool| Tally::of(u64::from(is_right), 1);
    let all = deltas(pairs.iter().map(|pair| Paired {
        variant: pair.variant,
        modified: pair.modified,
        vanilla: tally(pair.before),
        changed: tally(pair.after),
    }));
    let mut sums: BTreeMap<&str, [Right; 4]> = BTreeMap::new();
    for pair in pairs {
        let [before, after, modified_before, modified_after] =
            sums.entry(pair.variant).or_default();
        before.add(pair.before);
        after.add(pair.after);
        if pair.modified == Some(true) {
            modified_before.add(pair.before);
            modified_after.add(pair.after);
        }
    }
    let mut curve: BTreeMap<(u64, Difficulty), CurvePoint> = BTreeMap::new();
    let mut cells = Vec::new();
    let mut changed = Vec::new();
    for delta in &all {
        let (Some(place), Some(sums)) = (place(&delta.variant), sums.get(&*delta.variant)) else {
            continue;
        };
        let [before, after, modified_before, modified_after] = *sums;
        let strategies = place.count as u64;
        let point = curve
            .entry((strategies, place.difficulty))
            .or_insert_with(|| CurvePoint {
                strategies,
                difficulty: place.difficulty.name().into(),
                ..CurvePoint::default()
            });
        point.variants += 1;
        for (sum, own) in [
            (&mut point.before, modified_before),
            (&mut point.after, modified_after),
        ] {
            *sum = Right {
                k: sum.k + own.k,
                n: sum.n + own.n,
            };
        }
        cells.push(VariantCell {
            variant: delta.variant.clone(),
            visual: place.visual,
            language: place.language,
            difficulty: place.difficulty.name().into(),
            before,
            after,
            delta: delta.delta.value,
            delta_modified: delta.delta_modified.value,
            modified: delta.modified,
            unmodified: delta.recorded - delta.modified,
            right_to_wrong: delta.discordant.0,
            wrong_to_right: delta.discordant.1,
        });
        if lists {
            let own = pairs.iter().filter(|pair| pair.variant == delta.variant);
            let wrong = own.filter(|p| p.modified == Some(true) && p.before && !p.after);
            let number = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
            changed.extend(wrong.map(|pair| ChangedAnswer {
                variant: delta.variant.clone(),
                item: number(pair.row),
                original: number(pair.original),
            }));
            changed.truncate(CHANGED_LIMIT);
        }
    }
    let curve = curve.into_values().map(|point| CurvePoint {
        delta: point
            .after
            .percent()
            .zip(point.before.percent())
            .map(|(after, before)| after - before),
        ..point
    });
    ModelVariants {
        model: model.into(),
        variants: cells,
        curve: curve.collect(),
        changed,
    }
}
