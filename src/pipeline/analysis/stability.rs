//! Scores by number of questions (Dysca, appendix B.2).

use std::collections::HashMap;

use super::columns::{Steps, column, shown};
use crate::board::BoardData;
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::score::question_table::QuestionTable;
use benchtop_metrics::stability::{FRACTIONS, Point, curve, largest_drift};
use benchtop_metrics::statistics::Number;
use benchtop_model::analysis::{Curve, Stability, Stable};
use benchtop_model::board::Board;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, ErrorKind, Result};

/// Half of the data. [`Curve::drift`] covers the points from here on.
const HALF: f64 = 50.0;

pub(super) fn stable(
    scored: &BoardData,
    chosen: &ItemSelection,
    ask: &Stability,
    watch: ProgressSink<'_>,
) -> Result<Stable> {
    let fractions = if ask.fractions.is_empty() {
        FRACTIONS.to_vec()
    } else {
        ask.fractions.clone()
    };
    if let Some(odd) = fractions.iter().find(|f| !(**f > 0.0 && **f <= 100.0)) {
        let what = format!("{odd} is not a valid percentage of the data");
        return Err(Error::new(ErrorKind::Usage, what)
            .help("use values above 0 and at most 100, such as 1,10,50,100"));
    }
    let ruled = scored.engine();
    let whole = ruled.board(chosen);
    let column = column(&whole, ask.column.as_deref())?;
    let of = ruled.column(&column.name)?;
    let numbers = |board: &Board| -> Vec<Option<f64>> {
        let rows = board.rows.iter();
        rows.map(|row| shown(board, row, column)).collect()
    };
    let numbers_of = |pool: &[bool]| {
        // One of many: counted and not kept.
        numbers(&ruled.count(&ruled.choose(Some(&|row| pool[row]))))
    };
    let finals = numbers(&whole);
    let scored = (0..finals.len()).filter(|row| finals[*row].is_some());
    let mut pool = ruled.rows_behind_any(scored, of, chosen);
    if numbers_of(&pool) != finals {
        // For example a difference, which depends on more than the questions behind it.
        pool = (0..ruled.sheet().len())
            .map(|row| chosen.holds(row))
            .collect();
    }
    let groups = groups(ruled.sheet(), &pool);
    let (mut counts, mut found): (Vec<u64>, Vec<Vec<Option<f64>>>) = (Vec::new(), Vec::new());
    let mut stopped = Ok(());
    let steps = Steps::new("stability", fractions.len(), watch);
    // All models see the same questions, each those it is scored on, so one curve is computed for
    // all of them.
    let points = curve(groups.len(), &fractions, ask.seed, |places| {
        stopped = stopped.clone().and_then(|()| steps.next());
        if stopped.is_err() {
            return Number::none("it was stopped");
        }
        let mut taken = vec![false; ruled.sheet().len()];
        places
            .iter()
            .flat_map(|place| &groups[*place])
            .for_each(|row| taken[*row as usize] = true);
        counts.push(taken.iter().filter(|is| **is).count() as u64);
        found.push(numbers_of(&taken));
        Number::none("each model has its own")
    });
    stopped?;
    let one = |(row, model): (usize, &str)| {
        let values: Vec<Option<f64>> = found
            .iter()
            .map(|of| of.get(row).copied().flatten())
            .collect();
        let with = |(point, value): (&Point, &Option<f64>)| Point {
            score: Number::or(*value, "nothing"),
            ..point.clone()
        };
        let own: Vec<Point> = points.iter().zip(&values).map(with).collect();
        Curve {
            model: model.to_string(),
            drift: largest_drift(&own, HALF),
            values,
        }
    };
    let models = whole
        .rows
        .iter()
        .map(|row| row.model.as_str())
        .enumerate()
        .map(one)
        .collect();
    Ok(Stable {
        column: column.name.clone(),
        scale: column.scale,
        fractions,
        n: counts,
        seed: ask.seed,
        models,
    })
}

/// Questions that are added together, because columns count them together: image pairs and rotation
/// sets. Other questions are single.
fn groups(sheet: &QuestionTable, pool: &[bool]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut at: HashMap<u64, usize> = HashMap::new();
    for row in (0..sheet.len()).filter(|row| pool[*row]) {
        let key = [sheet.pair.get(row), sheet.rotation_set.get(row)]
            .into_iter()
            .find(|key| *key != 0);
        let group = key.map_or(groups.len(), |key| *at.entry(key).or_insert(groups.len()));
        match groups.get_mut(group) {
            Some(group) => group.push(row as u32),
            None => groups.push(vec![row as u32]),
        }
    }
    groups
}
