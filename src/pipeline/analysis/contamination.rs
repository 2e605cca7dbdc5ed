//! Contamination of the originals and of each variant (VLB, contamination analysis).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::Field;
use benchtop_model::analysis::contamination::{ContaminationRow, Rates};
use benchtop_model::scoring::queries::Share;

/// What is known of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contamination {
    /// Not scored yet, or its picture failed.
    NotCompared,
    /// No reference picture is near.
    Apart,
    /// A reference picture is near, which has no caption.
    WithoutCaption,
    /// A reference picture is near, and the judge gave no readable ruling on its caption.
    WithoutRuling,
    /// A reference picture is near, and the judge ruled whether its caption answers the question.
    Ruled(bool),
}

/// Counts of items.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    not_compared: u64,
    apart: u64,
    without_caption: u64,
    without_ruling: u64,
    answers: u64,
    does_not: u64,
}

impl Counts {
    fn add(&mut self, item: Contamination) {
        let count = match item {
            Contamination::NotCompared => &mut self.not_compared,
            Contamination::Apart => &mut self.apart,
            Contamination::WithoutCaption => &mut self.without_caption,
            Contamination::WithoutRuling => &mut self.without_ruling,
            Contamination::Ruled(true) => &mut self.answers,
            Contamination::Ruled(false) => &mut self.does_not,
        };
        *count += 1;
    }

    fn rates(self) -> Rates {
        let ruled = self.answers + self.does_not;
        let near = ruled + self.without_caption + self.without_ruling;
        let compared = near + self.apart;
        Rates {
            image: share(near, compared),
            text_of_near: share(self.answers, ruled),
            text_of_all: share(self.answers, compared),
            without_caption: self.without_caption,
            without_ruling: self.without_ruling,
            not_compared: self.not_compared,
        }
    }
}

fn share(k: u64, n: u64) -> Share {
    let (low, high) = wilson(k, n, Z95).unwrap_or((0.0, 1.0));
    Share { k, n, low, high }
}

#[derive(Default)]
struct Group {
    items: u64,
    unmodified: u64,
    counts: Counts,
    originals: BTreeSet<usize>,
}

/// The rates over the items in `chosen`, by variant. `found` says what is known of a row, `None` for
/// a row without a picture, and `original` is the row of a variant's original.
pub fn contamination(
    scored: &BoardData,
    chosen: &ItemSelection,
    found: &dyn Fn(usize) -> Option<Contamination>,
    original: &dyn Fn(usize) -> Option<usize>,
) -> Vec<ContaminationRow> {
    let sheet = scored.engine().sheet();
    let mut groups: BTreeMap<(usize, &str), Group> = BTreeMap::new();
    for row in (0..sheet.len()).filter(|row| chosen.holds(*row)) {
        let Some(item) = found(row) else { continue };
        let variant = sheet.name(Field::Variant, row);
        let strategies = match variant {
            "" => 0,
            variant => variant.split('+').count(),
        };
        let group = groups.entry((strategies, variant)).or_default();
        if sheet.modified.get(row) == Some(&2) {
            group.unmodified += 1;
            continue;
        }
        group.items += 1;
        group.counts.add(item);
        group.originals.extend(original(row));
    }
    let row = |((_, variant), group): ((usize, &str), Group)| {
        let mut originals = Counts::default();
        let known = group.originals.iter().filter_map(|row| found(*row));
        known.for_each(|item| originals.add(item));
        let is_variant = !variant.is_empty();
        ContaminationRow {
            variant: is_variant.then(|| variant.to_string()),
            items: group.items,
            unmodified: group.unmodified,
            rates: group.counts.rates(),
            originals: (is_variant && !group.originals.is_empty()).then(|| originals.rates()),
        }
    };
    groups.into_iter().map(row).collect()
}
