//! Orders the queue of flagged items.

use super::rules::{ColumnsBy, Outcomes, ReadyRule, ready, subtask_of};
use benchtop_model::Status;
use benchtop_model::generated_image::seed_of;
use benchtop_model::scoring::Outcome;
use benchtop_model::scoring::queries::FlagOrder;
use benchtop_model::scoring::rules::RuleSet;
use benchtop_model::sorting::sort_by;
use benchtop_store::{Catalog, StatusColumns};

/// Orders `rows`. Rows without a place in the order (no disagreement, or no verdict against the
/// rules) are left out.
pub fn order(
    rows: &[u32],
    by: FlagOrder,
    seed: u64,
    (rules, columns, outcomes): (&RuleSet, &ColumnsBy, &Outcomes),
    (catalog, overlay): (&Catalog, &StatusColumns),
) -> Vec<u32> {
    let ready = ready(rules, columns, catalog);
    let key = |row: u32| -> Option<f32> {
        let at = row as usize;
        let subtask = subtask_of(catalog.columns(), at);
        match by {
            FlagOrder::Nearest => {
                Some(beyond(&ready, at, subtask).fold(f32::INFINITY, |least, d| least.min(d.abs())))
            }
            FlagOrder::Worst => {
                Some(-beyond(&ready, at, subtask).fold(f32::NEG_INFINITY, f32::max))
            }
            FlagOrder::Disagreement => {
                let sides = ready
                    .iter()
                    .flat_map(|r| &r.conditions)
                    .filter_map(|c| c.beyond(at, subtask));
                let (mut doubt, mut trust) = (0u32, 0u32);
                sides.for_each(|d| if d > 0.0 { doubt += 1 } else { trust += 1 });
                (doubt > 0 && trust > 0)
                    .then(|| doubt.abs_diff(trust) as f32 / (doubt + trust) as f32)
            }
            FlagOrder::AgainstPeople => match (outcomes.of_row(at), overlay.status(at)) {
                (Outcome::Kept, Status::Rejected)
                | (Outcome::Flagged | Outcome::Parked, Status::Accepted) => Some(
                    -beyond(&ready, at, subtask)
                        .map(f32::abs)
                        .fold(0.0, f32::max),
                ),
                _ => None,
            },
            // 32 bits of a hash, of which an f32 keeps 24 in order. Ties go by number.
            FlagOrder::Random => Some(seed_of(seed, "doubt", &row.to_string(), 1) as f32),
        }
    };
    let mut keyed: Vec<(f32, u32)> = rows
        .iter()
        .filter_map(|row| key(*row).map(|key| (key, *row)))
        .collect();
    sort_by(&mut keyed, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    keyed.into_iter().map(|(_, row)| row).collect()
}

/// The distances of a row from the thresholds it exceeds.
fn beyond(ready: &[ReadyRule], row: usize, subtask: u16) -> impl Iterator<Item = f32> {
    ready
        .iter()
        .flat_map(|rule| &rule.conditions)
        .filter_map(move |c| c.beyond(row, subtask))
}
