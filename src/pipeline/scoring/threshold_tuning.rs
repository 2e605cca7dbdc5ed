//! Threshold tuning for one score: the histogram, the effect of two thresholds by group and against
//! verdicts, and the items next to the threshold. One pass over the columns, fast enough to follow
//! a moving threshold.

use rayon::prelude::*;

use super::column::Column;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::scoring::queries::{CrossTable, Share, Tally, ThresholdTuning, TuningQuery};
use benchtop_model::scoring::{Measure, SuspiciousEnd};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, ErrorKind, Field, QuestionKind, Result, Status};
use benchtop_store::columns::Columns;
use benchtop_store::{Catalog, StatusColumns};

/// Maximum number of bars.
const BARS: u16 = 400;
/// Number of rows that one thread counts at a time.
const PART: usize = 1 << 16;
/// Maximum number of sample items on each side.
const SAMPLES: u8 = 16;
/// Maximum number of cells in a table of two properties, which is summed up for each part of the
/// rows.
const CROSSED: usize = 1 << 16;

/// The codes of a property by row, and their names.
struct Groups<'a> {
    named: Option<&'a [u16]>,
    kind: &'a [u8],
    names: Vec<String>,
}

impl<'a> Groups<'a> {
    fn new(columns: &'a Columns, by: Field) -> Result<Groups<'a>> {
        let kind = columns.kind.as_slice();
        if by == Field::Type {
            let names = QuestionKind::ALL.map(|kind| kind.name().to_string());
            return Ok(Groups {
                named: None,
                kind,
                names: names.to_vec(),
            });
        }
        let at = Columns::named(by).ok_or_else(|| {
            Error::new(
                ErrorKind::Usage,
                format!("cannot group scores by {}", by.name()),
            )
            .field("by")
            .help(format!("one of: {}", Field::groups().join(", ")))
        })?;
        Ok(Groups {
            named: Some(&columns.codes[at]),
            kind,
            names: columns.names[at].names.to_vec(),
        })
    }

    fn code(&self, row: usize) -> usize {
        match self.named {
            Some(codes) => codes.get(row).copied().unwrap_or_default().into(),
            None => self.kind.get(row).copied().unwrap_or_default().into(),
        }
    }
}

/// The nearest rows on one side of the threshold.
struct Nearest {
    most: usize,
    /// Distance and row, nearest first.
    rows: Vec<(f32, u32)>,
}

impl Nearest {
    fn new(most: usize) -> Nearest {
        let rows = Vec::new();
        Nearest { most, rows }
    }

    fn add(&mut self, more: Nearest) {
        for (distance, row) in more.rows {
            self.offer(distance, row);
        }
    }

    fn offer(&mut self, distance: f32, row: u32) {
        if self.rows.len() == self.most && self.rows.last().is_none_or(|(d, _)| distance >= *d) {
            return;
        }
        let at = self.rows.partition_point(|(d, _)| *d <= distance);
        self.rows.insert(at, (distance, row));
        self.rows.truncate(self.most);
    }
}

/// Two thresholds on stored values, and their doubtful side.
struct Thresholds {
    doubt: SuspiciousEnd,
    flag: Option<f32>,
    park: Option<f32>,
}

impl Thresholds {
    fn beyond(&self, value: f32, line: Option<f32>) -> bool {
        line.is_some_and(|line| match self.doubt {
            SuspiciousEnd::Low => value < line,
            SuspiciousEnd::High => value > line,
        })
    }

    /// The outcome code of a value.
    fn outcome(&self, value: f32) -> usize {
        if self.beyond(value, self.park) {
            2
        } else {
            usize::from(self.beyond(value, self.flag))
        }
    }
}

/// The counts of some rows.
struct Counts {
    tallies: Vec<Tally>,
    bars: Vec<u64>,
    rejected: Vec<u64>,
    beyond: u64,
    scored: u64,
    table: [[u64; 2]; 2],
    /// By group and value of the second property.
    crossed: Vec<[u32; 3]>,
    good: Nearest,
    bad: Nearest,
}

impl Counts {
    fn new(groups: usize, across: usize, bars: usize, most: usize) -> Counts {
        Counts {
            tallies: vec![Tally::default(); groups],
            bars: vec![0; bars],
            rejected: vec![0; bars],
            beyond: 0,
            scored: 0,
            table: [[0; 2]; 2],
            crossed: vec![[0; 3]; groups * across],
            good: Nearest::new(most),
            bad: Nearest::new(most),
        }
    }

    /// Adds the counts of later rows.
    fn and(mut self, later: Counts) -> Counts {
        self.tallies
            .iter_mut()
            .zip(&later.tallies)
            .for_each(|(mine, more)| add(mine, more));
        sum(&mut self.bars, &later.bars);
        sum(&mut self.rejected, &later.rejected);
        sum(
            self.crossed.as_flattened_mut(),
            later.crossed.as_flattened(),
        );
        sum(self.table.as_flattened_mut(), later.table.as_flattened());
        self.beyond += later.beyond;
        self.scored += later.scored;
        self.good.add(later.good);
        self.bad.add(later.bad);
        self
    }
}

/// Adds numbers to those at the same places.
fn sum<N: Copy + std::ops::AddAssign>(mine: &mut [N], more: &[N]) {
    mine.iter_mut()
        .zip(more)
        .for_each(|(mine, more)| *mine += *more);
}

/// Rows next to the threshold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NearestRows {
    /// On the good side, nearest first.
    pub good: Vec<u32>,
    /// On the doubtful side, nearest first.
    pub bad: Vec<u32>,
}

/// Analyzes `column` in `rows`, or in all rows. `other` is the column of the second score. The
/// samples of the answer are empty; their rows are returned next to it, for the caller to read.
///
/// # Errors
///
/// [`ErrorKind::Usage`] with the invalid field.
pub fn analyze(
    ask: &TuningQuery,
    (column, other): (&Column, Option<&Column>),
    (catalog, overlay): (&Catalog, &StatusColumns),
    rows: Option<&[u32]>,
) -> Result<(ThresholdTuning, NearestRows)> {
    let wrong = |field: &str, what: &str| Err(Error::new(ErrorKind::Usage, what).field(field));
    if ask.bars == 0 || ask.bars > BARS {
        return wrong("bars", &format!("must be 1 to {BARS} bars"));
    }
    let finite = |line: Option<f32>| line.is_none_or(f32::is_finite);
    if !finite(ask.flag) || !finite(ask.park) || !ask.range.is_none_or(|(a, b)| a < b) {
        return wrong(
            "flag",
            "thresholds and ends must be finite, and the first end must be smaller",
        );
    }
    let measure = &ask.measure;
    let groups = Groups::new(catalog.columns(), ask.by)?;
    let across = ask
        .across
        .map(|by| Groups::new(catalog.columns(), by))
        .transpose()?;
    let wide = across.as_ref().map_or(0, |a| a.names.len());
    if groups.names.len().saturating_mul(wide) > CROSSED {
        return wrong(
            "across",
            &format!(
                "{} by {wide} values are too many to count",
                groups.names.len()
            ),
        );
    }
    let stored = |line: Option<f32>| line.map(|t| measure.from_scale(t, column.logit));
    let lines = Thresholds {
        doubt: measure.scorer.suspicious_end(),
        flag: stored(ask.flag),
        park: stored(ask.park),
    };
    let range = extent(column, rows, measure);
    let ends = ask.range.or(range).map_or((0.0, 1.0), |(low, high)| {
        if low < high {
            (low, high)
        } else {
            (low, low + 1.0)
        }
    });
    let only = ask
        .value
        .as_ref()
        .map(|value| groups.names.iter().position(|n| n == value));
    let pair = match (&ask.other, other) {
        (Some((of, line)), Some(column)) => {
            let line = Some(of.from_scale(*line, column.logit));
            Some((
                column,
                Thresholds {
                    doubt: of.scorer.suspicious_end(),
                    flag: line,
                    park: None,
                },
            ))
        }
        _ => None,
    };
    let most = usize::from(ask.samples.min(SAMPLES));
    let scale = f32::from(ask.bars) / (ends.1 - ends.0);
    let count = |seen: &mut Counts, row: usize| {
        let group = groups.code(row);
        let status = overlay.status(row);
        let value = column.value(row);
        let outcome = value.map_or(0, |v| lines.outcome(v));
        if let Some(tally) = seen.tallies.get_mut(group) {
            tally.items[outcome] += 1;
            tally.without += u64::from(value.is_none());
            tally.accepted[outcome] += u64::from(status == Status::Accepted);
            tally.rejected[outcome] += u64::from(status == Status::Rejected);
        }
        if let Some(across) = &across
            && let Some(cell) = seen.crossed.get_mut(group * wide + across.code(row))
        {
            cell[outcome] += 1;
        }
        let (Some(value), true) = (value, only.is_none_or(|only| only == Some(group))) else {
            return;
        };
        seen.scored += 1;
        let shown = measure.shown(value, column.logit);
        let bar = (((shown - ends.0) * scale).max(0.0) as usize).min(seen.bars.len() - 1);
        seen.bars[bar] += 1;
        seen.rejected[bar] += u64::from(status == Status::Rejected);
        if let Some(flag) = lines.flag {
            let is_beyond = lines.beyond(value, lines.flag);
            seen.beyond += u64::from(is_beyond);
            let near = if is_beyond {
                &mut seen.bad
            } else {
                &mut seen.good
            };
            near.offer((value - flag).abs(), row as u32);
        }
        if let Some((column, theirs)) = &pair
            && let Some(other) = column.value(row)
        {
            seen.table[usize::from(outcome > 0)][usize::from(theirs.outcome(other) > 0)] += 1;
        }
    };
    // Split by the number of rows only, so that the result is the same on every machine.
    let all = rows.map_or(catalog.len(), <[u32]>::len);
    let parts: Vec<usize> = (0..all).step_by(PART).collect();
    let blank = || Counts::new(groups.names.len(), wide, ask.bars.into(), most);
    let seen = parts.into_par_iter().map(|from| {
        let mut seen = blank();
        for at in from..all.min(from + PART) {
            count(&mut seen, rows.map_or(at, |rows| rows[at] as usize));
        }
        seen
    });
    let seen = seen
        .collect::<Vec<_>>()
        .into_iter()
        .fold(blank(), Counts::and);
    let Counts {
        tallies,
        bars,
        rejected,
        beyond,
        scored,
        table,
        crossed,
        good,
        bad,
    } = seen;
    let mut tally = Tally::default();
    let counted = tallies
        .iter()
        .enumerate()
        .filter(|(at, _)| only.is_none_or(|only| only == Some(*at)));
    counted.for_each(|(_, t)| add(&mut tally, t));
    let order = most_first(&groups.names, |at| tallies[at].all());
    let cross = across.map(|across| crosswise(&crossed, &order, across.names));
    let groups = order
        .into_iter()
        .map(|at| (groups.names[at].clone(), tallies[at]))
        .collect();
    let percentile = lines
        .flag
        .filter(|_| scored > 0)
        .map(|_| beyond as f32 / scored as f32);
    let tuning = ThresholdTuning {
        measure: measure.clone(),
        logit: column.logit,
        range,
        ends,
        bars,
        rejected,
        precision: share(tally.precision()),
        recall: share(tally.recall()),
        tally,
        groups,
        percentile,
        pair: pair.map(|_| table),
        good: Vec::new(),
        bad: Vec::new(),
        cross,
    };
    let rows_of = |near: Nearest| near.rows.into_iter().map(|(_, row)| row).collect();
    Ok((
        tuning,
        NearestRows {
            good: rows_of(good),
            bad: rows_of(bad),
        },
    ))
}

/// Indices of the names that have items, most items first, then by name.
fn most_first(names: &[String], items: impl Fn(usize) -> u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).filter(|at| items(*at) > 0).collect();
    sort_by(&mut order, |a, b| {
        items(*b)
            .cmp(&items(*a))
            .then_with(|| names[*a].cmp(&names[*b]))
    });
    order
}

/// The table of two properties: rows in this order, columns with the most items first.
fn crosswise(crossed: &[[u32; 3]], rows: &[usize], names: Vec<String>) -> CrossTable {
    let wide = names.len();
    let cell = |row: usize, at: usize| crossed[row * wide + at].map(u64::from);
    let columns = most_first(&names, |at| {
        rows.iter()
            .map(|row| cell(*row, at).iter().sum::<u64>())
            .sum()
    });
    let items = rows
        .iter()
        .map(|row| columns.iter().map(|at| cell(*row, *at)).collect())
        .collect();
    CrossTable {
        values: columns.into_iter().map(|at| names[at].clone()).collect(),
        items,
    }
}

fn add(to: &mut Tally, more: &Tally) {
    to.without += more.without;
    sum(&mut to.items, &more.items);
    sum(&mut to.accepted, &more.accepted);
    sum(&mut to.rejected, &more.rejected);
}

/// A share with its interval. `None` if the total is 0.
fn share((k, n): (u64, u64)) -> Option<Share> {
    wilson(k, n, Z95).map(|(low, high)| Share { k, n, low, high })
}

/// Smallest and largest displayed score among rows.
fn extent(column: &Column, rows: Option<&[u32]>, measure: &Measure) -> Option<(f32, f32)> {
    let (low, high) = match rows {
        None => (
            column.sorted().first().copied()?,
            column.sorted().last().copied()?,
        ),
        Some(rows) => {
            let values = || rows.iter().filter_map(|row| column.value(*row as usize));
            (
                values().min_by(f32::total_cmp)?,
                values().max_by(f32::total_cmp)?,
            )
        }
    };
    Some((
        measure.shown(low, column.logit),
        measure.shown(high, column.logit),
    ))
}
