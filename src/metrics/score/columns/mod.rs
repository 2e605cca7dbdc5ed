//! The metrics of the board: one file and one row of [`METRICS`] each.

mod accuracy;
mod circular_eval;
mod delta;
mod difficulty;
mod final_score;
mod inconsistent;
mod measure;
mod mvp;
mod orders;
mod paired_subset;
mod position;
mod rotation_sets;
mod sc;
mod self_awareness;
mod sq;
mod style;
mod terms;
mod variant;

use super::column::Metric;

/// The metrics, in the order of their columns.
pub const METRICS: &[Metric] = &[
    mvp::METRIC,
    rotation_sets::METRIC,
    accuracy::METRIC,
    difficulty::METRIC,
    final_score::METRIC,
    sq::METRIC,
    inconsistent::METRIC,
    variant::METRIC,
    sc::METRIC,
    style::METRIC,
    self_awareness::METRIC,
    delta::METRIC,
    position::METRIC,
    circular_eval::METRIC,
    orders::METRIC,
    terms::METRIC,
];
