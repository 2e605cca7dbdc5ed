//! Coverage of intervals, on simulated benchmarks with known true values.
//!
//! `cargo test --release --lib -- --ignored --nocapture coverage` prints the table in
//! docs/board.md, from 1,000 benchmarks of each kind.

use rayon::prelude::*;

use super::*;
use crate::statistics::{Z95, wilson};
use benchtop_model::agreement::{Bootstrap, Interval};
use benchtop_model::cancel::Cancel;
use benchtop_model::rng::Stream;

const STYLES: usize = 6;
const IMAGES: usize = 16;
/// The effect of a picture on all models, positive or negative with equal probability. It makes
/// the questions of one picture dependent.
const IMAGE: f64 = 0.15;

/// A model's probability of a right answer by type, style, and scenario, for a picture of average
/// difficulty.
struct Truth {
    types: [f64; 2],
    style: f64,
    drop: f64,
}

impl Truth {
    fn p(&self, kind: usize, style: usize, is_clean: bool) -> f64 {
        let style = self.style * (style as f64 / (STYLES - 1) as f64 * 2.0 - 1.0);
        self.types[kind] + style - if is_clean { 0.0 } else { self.drop }
    }

    fn root(&self) -> f64 {
        let above = |p: f64, chance: f64| 100.0 * (p - chance) / (1.0 - chance);
        (above(self.types[1], 0.5) - above(self.types[0], 0.25)) / 2.0
    }

    /// The true value of a column, in the unit of its cells.
    fn of(&self, column: &str) -> f64 {
        let both = (self.types[0] + self.types[1]) / 2.0;
        match column {
            "Acc.type.multiple-choice" => self.types[0],
            "Acc.style.s0" => both - self.style,
            "MC+TF.corruption-clean" => -100.0 * self.drop,
            "SQ" | "SQ.paper" => self.root().powi(2),
            "SC" | "SC.corrected" => {
                let of = |style| (self.p(0, style, true) + self.p(1, style, true)) / 2.0;
                1e4 * crate::statistics::variance(&(0..STYLES).map(of).collect::<Vec<_>>()).unwrap()
            }
            _ => both,
        }
    }
}

/// The questions: for every picture two of each type, clean and corrupted, in two subtasks.
fn sheet() -> (QuestionTable, Vec<(usize, usize, usize, bool)>) {
    let (mut sheet, mut rows) = (QuestionTable::default(), Vec::new());
    for image in 0..STYLES * IMAGES {
        for at in 0..8 {
            let (kind, is_clean, subtask) = (at % 2, at < 4, ["animal", "plant"][at / 2 % 2]);
            let types = [QuestionKind::MultipleChoice, QuestionKind::TrueFalse];
            let style = format!("s{}", image % STYLES);
            let mut one = super::item(
                8 * image + at,
                types[kind],
                subtask,
                &style,
                if is_clean { "" } else { "corruption" },
            );
            one.images[0].name = format!("{image}-{is_clean}.png");
            sheet.push(&one).unwrap();
            rows.push((image, kind, image % STYLES, is_clean));
        }
    }
    (sheet, rows)
}

fn share(stream: &mut Stream) -> f64 {
    (stream.next() >> 11) as f64 / (1u64 << 53) as f64
}

const COLUMNS: [&str; 8] = [
    "Acc",
    "Acc.type.multiple-choice",
    "Acc.style.s0",
    "MC+TF.clean",
    "MC+TF.corruption-clean",
    "SQ",
    "SQ.paper",
    "SC",
];
const DIFFERENCES: [&str; 4] = ["Acc", "MC+TF.clean", "SQ", "SC"];

/// For each kind of interval, the share of benchmarks in which it contains the true value, among
/// those with an interval. Then, for the test of both models at 5 %: how often it finds a
/// difference, and how often it agrees with its interval.
fn simulated(truths: &[Truth; 2], runs: u64, draws: u32) -> Vec<(String, f64)> {
    let (sheet, rows) = sheet();
    let sheet = Arc::new(sheet);
    let one = |seed: u64| -> Vec<(String, bool)> {
        let mut stream = Stream::new(seed);
        let images: Vec<f64> = (0..2 * STYLES * IMAGES)
            .map(|_| {
                if share(&mut stream) < 0.5 {
                    IMAGE
                } else {
                    -IMAGE
                }
            })
            .collect();
        let models = truths.each_ref().map(|truth| {
            let mark = |(image, kind, style, is_clean): &(usize, usize, usize, bool)| {
                let p =
                    truth.p(*kind, *style, *is_clean) + images[2 * image + usize::from(*is_clean)];
                ParsedAnswer::option(usize::from(share(&mut stream) < p))
            };
            rows.iter().map(mark).collect::<Vec<_>>()
        });
        let [a, b] = models;
        let ruled = BoardEngine::new(
            sheet.clone(),
            vec![super::model("a", a), super::model("b", b)],
        );
        let (chosen, plan) = (ruled.choose(None), Bootstrap { draws, seed });
        let holds = |interval: &Interval, truth: f64| {
            interval.low <= truth + 1e-9 && truth <= interval.high + 1e-9
        };
        let mut found = Vec::new();
        for column in COLUMNS {
            let at = ruled.column(column).unwrap();
            let sure = ruled.estimate(0, at, &chosen, plan, Cancel::NEVER).unwrap();
            found.push((
                column.to_string(),
                holds(&sure.interval.unwrap(), truths[0].of(column)),
            ));
        }
        let Some(Cell::Share { k, n }) = cell(&ruled.board(&chosen), "a", "Acc") else {
            panic!()
        };
        let (low, high) = wilson(k, n, Z95).unwrap();
        found.push((
            "Acc, Wilson".into(),
            low <= truths[0].of("Acc") && truths[0].of("Acc") <= high,
        ));
        for column in DIFFERENCES {
            let at = ruled.column(column).unwrap();
            let apart = ruled
                .difference((0, 1), at, &chosen, plan, Cancel::NEVER)
                .unwrap();
            let truth = truths[0].of(column) - truths[1].of(column);
            found.push((
                format!("difference in {column}"),
                holds(&apart.interval.unwrap(), truth),
            ));
            if column == "Acc" {
                let tested = ruled.tested((0, 1), at, &chosen).unwrap();
                let (low, high) = tested.interval.unwrap();
                found.push((
                    "difference in Acc, by the test".into(),
                    low <= truth && truth <= high,
                ));
                found.push(("the test finds a difference".into(), tested.test.p < 0.05));
                found.push((
                    "the test and its interval agree".into(),
                    (tested.test.p < 0.05) == (low > 0.0 || high < 0.0),
                ));
            }
        }
        found
    };
    let all: Vec<_> = (0..runs).into_par_iter().map(one).collect();
    let names: Vec<String> = all[0].iter().map(|(name, _)| name.clone()).collect();
    let held = |at: usize| all.iter().filter(|run| run[at].1).count() as f64 / runs as f64;
    names
        .into_iter()
        .enumerate()
        .map(|(at, name)| (name, held(at)))
        .collect()
}

/// Kinds of benchmarks: types, styles, and models differ; or all of them are equal.
fn kinds() -> [(&'static str, [Truth; 2]); 2] {
    let apart = |by: f64| Truth {
        types: [0.6 - by, 0.65 - by],
        style: 0.08,
        drop: 0.1,
    };
    let equal = || Truth {
        types: [0.55, 0.7],
        style: 0.0,
        drop: 0.05,
    };
    [
        ("apart", [apart(0.0), apart(0.05)]),
        ("equal", [equal(), equal()]),
    ]
}

fn of(found: &[(String, f64)], name: &str) -> f64 {
    found.iter().find(|(own, _)| own == name).unwrap().1
}

/// A small run of each kind. The bounds are wide enough for 60 benchmarks.
#[test]
fn intervals_cover_the_true_values() {
    for (kind, truths) in kinds() {
        let found = simulated(&truths, 60, 100);
        for (name, held) in found
            .iter()
            .filter(|(name, _)| !name.contains("finds") && !name.contains("Wilson"))
        {
            assert!(*held >= 0.83, "{kind}, {name}: {held} of {found:?}");
        }
        assert_eq!(of(&found, "the test and its interval agree"), 1.0, "{kind}");
        let finds = of(&found, "the test finds a difference");
        assert!(
            if kind == "equal" {
                finds < 0.17
            } else {
                finds > 0.2
            },
            "{kind}: {finds}"
        );
    }
}

#[test]
#[ignore = "prints the table of docs/board.md; takes minutes"]
fn coverage() {
    for (kind, truths) in kinds() {
        println!("{kind}");
        for (name, held) in simulated(&truths, 1000, 400) {
            println!("| {name} | {:.1} |", 100.0 * held);
        }
    }
}
