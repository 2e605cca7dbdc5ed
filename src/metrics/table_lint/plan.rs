//! The checks to make on a table.

use super::table::Table;
use crate::mmsap::Subset;

/// Name of MM-SAP's table of score_AR.
pub(super) const SCORES: &str = "MM-SAP, Table 1";

/// Name of MM-SAP's table of Answer Rate and Answer Acc.
pub(super) const ANSWERS: &str = "MM-SAP, Table 2";

/// The number of questions behind a percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// A fixed number.
    Fixed(u64),
    /// The number in this column.
    Column(usize),
}

/// A column of percentages of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The column.
    pub value: usize,
    /// The total that the counts are out of.
    pub of: Total,
    /// Number of runs that the value is the mean of.
    pub runs: u64,
    /// The column of the population standard deviation over the runs, if any.
    pub sd: Option<usize>,
}

/// The checks to make on a table. Columns are indices, from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The published table that this plan is for.
    pub known: Option<&'static str>,
    /// (delta, value, base): delta should be value minus base.
    pub deltas: Vec<[usize; 3]>,
    /// Percentages of counts.
    pub shares: Vec<Share>,
    /// A total, and its parts with their weights.
    pub means: Vec<(usize, Vec<(usize, f64)>)>,
    /// Columns in which no value should appear twice, in any of them.
    pub distinct: Vec<usize>,
    /// For a table with one value per row: the columns that name the row of the printed table,
    /// those that name its block (rows are compared within a block), and those of the values.
    pub long: Option<[Vec<usize>; 3]>,
    /// (key, value): a key has the same value in every table.
    pub same: Vec<(Vec<usize>, usize)>,
}

/// Makes a plan from the names of a table's columns.
///
/// Recognizes VLB's Tables 1 and 2 (one delta per row), Dysca's Table 3 and Tables 5 to 8 (one
/// subtask per row), and MM-SAP's Tables 1 and 2. In other tables, a column `X_delta` is compared
/// with `X` minus `clean`, `vanilla`, `baseline`, or `base`. A column `n` (or `n_X`) is the number
/// of questions behind the percentages in `X`.
pub fn recognize(table: &Table) -> Plan {
    vlb(table)
        .or_else(|| mmsap_scores(table))
        .or_else(|| mmsap_answers(table))
        .or_else(|| subtasks(table))
        .unwrap_or_else(|| plain(table))
}

fn columns<const N: usize>(table: &Table, names: [&str; N]) -> Option<[usize; N]> {
    let found: Vec<usize> = names.iter().map_while(|name| table.column(name)).collect();
    found.try_into().ok()
}

fn vlb(table: &Table) -> Option<Plan> {
    let [model, benchmark, _, vanilla, value, delta] = columns(
        table,
        [
            "model",
            "benchmark",
            "variant",
            "vanilla",
            "value",
            "printed_delta",
        ],
    )?;
    let block = table
        .column("table")
        .into_iter()
        .chain([benchmark])
        .collect();
    Some(Plan {
        known: Some("VLB, Tables 1 and 2"),
        deltas: vec![[delta, value, vanilla]],
        long: Some([vec![model], block, vec![value]]),
        same: vec![(vec![model, benchmark], vanilla)],
        ..Plan::default()
    })
}

fn share(table: &Table, name: &str, subset: Option<Subset>) -> Option<Share> {
    let all = || Subset::ALL.iter().map(|s| s.published()).sum();
    let of = Total::Fixed(subset.map_or_else(all, Subset::published));
    Some(Share {
        value: table.column(name)?,
        of,
        runs: 5,
        sd: table.column(&format!("{name}_sd")),
    })
}

fn mmsap_scores(table: &Table) -> Option<Plan> {
    let [basic, know, beyond, total] = columns(table, ["basic", "know", "beyond", "total"])?;
    let names = [
        ("basic", Some(Subset::Basic)),
        ("know", Some(Subset::Knowledge)),
        ("beyond", Some(Subset::Beyond)),
        ("total", None),
    ];
    let parts = [basic, know, beyond]
        .into_iter()
        .zip(Subset::ALL.map(|s| s.published() as f64));
    Some(Plan {
        known: Some(SCORES),
        shares: names
            .iter()
            .filter_map(|(name, subset)| share(table, name, *subset))
            .collect(),
        means: vec![(total, parts.collect())],
        ..Plan::default()
    })
}

fn mmsap_answers(table: &Table) -> Option<Plan> {
    let names = [
        "basic_answer_rate",
        "know_answer_rate",
        "beyond_answer_rate",
    ];
    columns(table, names)?;
    let shares = names
        .iter()
        .zip(Subset::ALL)
        .filter_map(|(name, subset)| share(table, name, Some(subset)));
    Some(Plan {
        known: Some(ANSWERS),
        shares: shares.collect(),
        ..Plan::default()
    })
}

fn subtasks(table: &Table) -> Option<Plan> {
    let [model, _, mc, tf] = columns(table, ["model", "subtask", "mc_accuracy", "tf_accuracy"])?;
    let row = [model].into_iter().chain(table.column("llm")).collect();
    Some(Plan {
        known: Some("Dysca, Tables 5 to 8"),
        long: Some([row, Vec::new(), vec![mc, tf]]),
        ..Plan::default()
    })
}

fn plain(table: &Table) -> Plan {
    let mut plan = Plan::default();
    if let Some(scenarios) = columns(table, ["clean", "corruption", "adversarial", "print"]) {
        plan.known = Some("Dysca, Table 3");
        plan.distinct = scenarios.to_vec();
    }
    let base = ["clean", "vanilla", "baseline", "base"]
        .iter()
        .find_map(|name| table.column(name));
    for (at, name) in table.columns.iter().enumerate() {
        let name = name.trim().to_lowercase();
        let of = name
            .strip_suffix("_delta")
            .or_else(|| name.strip_prefix("delta_"))
            .and_then(|of| table.column(of));
        if let (Some(value), Some(base)) = (of, base) {
            plan.deltas.push([at, value, base]);
        }
        let own = name.strip_prefix("n_").and_then(|of| table.column(of));
        if let Some(value) = own {
            plan.shares.push(out_of(value, at));
        }
    }
    if let (Some(n), Some(value)) = (
        table.column("n"),
        table.column("value").or_else(|| table.column("accuracy")),
    ) {
        plan.shares.push(out_of(value, n));
    }
    plan
}

/// The percentages in a column, of the numbers in column `n`.
fn out_of(value: usize, n: usize) -> Share {
    Share {
        value,
        of: Total::Column(n),
        runs: 1,
        sd: None,
    }
}
