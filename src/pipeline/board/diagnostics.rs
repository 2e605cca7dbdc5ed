//! Collects problems of answer files as short notes for the board.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use benchtop_metrics::score::Outcome;
use benchtop_model::board::Row;

/// Maximum width of a note in columns, without the text printed before it.
const WIDTH: usize = 74;

/// The notes collected while a model's files are read.
#[derive(Clone, Debug, Default)]
pub struct BoardNotes {
    notes: Vec<String>,
    /// Models whose evaluated file was used instead of a plain one.
    evaluated: BTreeSet<String>,
    /// Display names of files, by path.
    names: BTreeMap<String, String>,
    /// A hint about uncompared free-form answers.
    compares: &'static str,
}

/// The outcomes of the rows of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOutcomes {
    counts: [u64; 4],
    /// Keys of questions with a different text in the file.
    pub drifted: BTreeSet<String>,
    /// Whether any of its questions is in the set.
    pub known: bool,
    /// Data sets that share an id of the file, the preferred one first.
    pub shared: Vec<String>,
}

impl FileOutcomes {
    /// No outcomes yet. `known` says whether its data set is available, and `shared` lists data
    /// sets that share an id.
    pub fn new(known: bool, shared: Vec<String>) -> FileOutcomes {
        FileOutcomes {
            known,
            shared,
            ..FileOutcomes::default()
        }
    }

    pub fn count(&mut self, outcome: Outcome) {
        self.counts[outcome as usize] += 1;
    }

    fn of(&self, outcome: Outcome) -> u64 {
        self.counts[outcome as usize]
    }
}

impl BoardNotes {
    /// Adds a general note.
    pub fn say(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Sets the files that notes may mention. Each is named by its file name, with as many folders
    /// as needed to be unique.
    pub fn files<'p>(&mut self, paths: impl IntoIterator<Item = &'p str>) {
        let paths: BTreeSet<&str> = paths.into_iter().collect();
        let last = |path: &str, parts: usize| {
            let all: Vec<_> = Path::new(path)
                .components()
                .map(|c| c.as_os_str().to_string_lossy())
                .collect();
            all[all.len().saturating_sub(parts)..].join("/")
        };
        let depth = |path: &str| Path::new(path).components().count();
        for path in &paths {
            let alone = |parts: &usize| {
                paths
                    .iter()
                    .filter(|p| last(p, *parts) == last(path, *parts))
                    .count()
                    == 1
            };
            let parts = (1..depth(path)).find(alone);
            self.names.insert(
                (*path).into(),
                parts.map_or_else(|| (*path).into(), |parts| last(path, parts)),
            );
        }
    }

    /// The display name of a file.
    fn name<'n>(&'n self, source: &'n str) -> &'n str {
        self.names.get(source).map_or(source, String::as_str)
    }

    /// Notes duplicate rows of a file, of which the first counts.
    pub fn doubled(&mut self, source: &str, n: u64) {
        if n > 0 {
            let rows = count(n, "duplicate row");
            self.say(format!("{}: {rows}; the first counts", self.name(source)));
        }
    }

    /// Adds the outcomes of the rows of `model`'s file `source`.
    pub fn file(&mut self, model: &str, source: &str, file_outcomes: &FileOutcomes) {
        let [used, extra, duplicate, superseded] = [
            Outcome::Used,
            Outcome::Extra,
            Outcome::Duplicate,
            Outcome::Superseded,
        ]
        .map(|o| file_outcomes.of(o));
        let name = self.name(source);
        // Most files are named after their model.
        let of = if name.contains(model) {
            name.to_string()
        } else {
            format!("{model}, {name}")
        };
        let mut note = |text: String| self.notes.push(format!("{of}: {text}"));
        if !file_outcomes.known && used + extra + duplicate + superseded > 0 {
            note("answers no question of the set".into());
        } else if extra > 0 {
            note(format!(
                "{} to questions outside the set",
                count(extra, "answer")
            ));
        }
        if let [first, others @ ..] = &file_outcomes.shared[..]
            && !others.is_empty()
        {
            let not = if let [other] = others {
                format!(", not {other}")
            } else {
                String::new()
            };
            note(format!(
                "ids of {} data sets; assigned to {first}{not}",
                others.len() + 1
            ));
        }
        if duplicate > 0 {
            note(format!(
                "{}; the first counts",
                count(duplicate, "duplicate row")
            ));
        }
        if let Some(first) = file_outcomes.drifted.first() {
            match file_outcomes.drifted.len() as u64 {
                1 => note(format!("1 question has a different text ({first})")),
                many => note(format!(
                    "{many} questions have a different text (first: {first})"
                )),
            }
        }
        if superseded > 0 && used > 0 {
            note(format!(
                "{} used that the evaluated file lacks",
                count(used, "answer")
            ));
        }
        if superseded > 0 {
            self.evaluated.insert(model.to_string());
        }
    }

    /// Sets the hint about uncompared free-form answers.
    pub fn compares(&mut self, how: &'static str) {
        self.compares = how;
    }

    /// The notes on a board with these rows. `declines` says whether refusing is the right answer
    /// to some questions.
    pub fn notes(&self, rows: &[Row], declines: bool) -> Vec<String> {
        let mut notes = self.notes.clone();
        for Row { model, counts, .. } in rows {
            let mut note = |n: u64, what: &str, how: &str| {
                if n > 0 {
                    notes.push(format!(
                        "{model}: {} {how}, counted as wrong",
                        count(n, what)
                    ));
                }
            };
            note(counts.missing, "question", "without an answer");
            note(counts.unparsed, "answer", "that could not be parsed");
            match (counts.refused, declines) {
                (n, true) if n > 0 => notes.push(format!(
                    "{model}: {} refusing in free text",
                    count(n, "answer")
                )),
                (n, _) => note(n, "answer", "refusing to answer"),
            }
            if counts.uncompared > 0 {
                let answers = count(counts.uncompared, "free-form answer");
                notes.push(format!("{model}: {answers} {}", self.compares));
            }
        }
        if !self.evaluated.is_empty() {
            let models: Vec<&str> = self.evaluated.iter().map(String::as_str).collect();
            let said = |models: &str| {
                format!("evaluated files (with judge output) used instead of plain ones: {models}")
            };
            let all = said(&models.join(", "));
            let is_short = all.chars().count() <= WIDTH;
            notes.push(if is_short {
                all
            } else {
                said(&count(models.len() as u64, "model"))
            });
        }
        notes
    }
}

/// A number with its noun.
pub(crate) fn count(n: u64, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_unique() {
        let mut board_notes = BoardNotes::default();
        board_notes.files([
            "/data/a/one/p.jsonl",
            "/data/b/one/p.jsonl",
            "/data/b/q.jsonl",
            "evaluation 3 on a set",
        ]);
        let names: Vec<&str> = [
            "/data/a/one/p.jsonl",
            "/data/b/one/p.jsonl",
            "/data/b/q.jsonl",
            "evaluation 3 on a set",
        ]
        .map(|path| board_notes.name(path))
        .to_vec();
        assert_eq!(
            names,
            [
                "a/one/p.jsonl",
                "b/one/p.jsonl",
                "q.jsonl",
                "evaluation 3 on a set"
            ]
        );
        assert_eq!(board_notes.name("/never/said.jsonl"), "/never/said.jsonl");
    }

    /// A note for each possible problem of MVP-Bench's files with the longest names.
    #[test]
    fn a_note_fits_a_line() {
        let mut board_notes = BoardNotes::default();
        let path =
            "/home/somebody/benchmarks/mvp-bench/model_prediction/llava_v1.5_13b_evaluated.jsonl";
        board_notes.files([path]);
        board_notes.doubled(path, 1872);
        let mut file_outcomes = FileOutcomes::new(true, Vec::new());
        file_outcomes.drifted = ["1295".to_string()].into();
        for (outcome, n) in [
            (Outcome::Used, 1000),
            (Outcome::Extra, 2),
            (Outcome::Duplicate, 1872),
        ] {
            (0..n).for_each(|_| file_outcomes.count(outcome));
        }
        board_notes.file("llava_v1.5_13b", path, &file_outcomes);
        let mut none = FileOutcomes::new(false, Vec::new());
        none.count(Outcome::Extra);
        board_notes.file("other", path, &none);
        let mut plain = FileOutcomes::new(true, Vec::new());
        (0..1000).for_each(|_| plain.count(Outcome::Used));
        plain.count(Outcome::Superseded);
        board_notes.file("llava_v1.5_13b", "llava_v1.5_13b.jsonl", &plain);
        let models = [
            "llava_v1.5_7b",
            "llava_v1.5_13b",
            "deepseek_vl_1.3b",
            "MiniGPT-4-v1-7B",
        ];
        board_notes.evaluated.extend(models.map(str::to_string));
        let counts = benchtop_model::board::Counts {
            refused: 2,
            ..Default::default()
        };
        let row = Row {
            model: "m".into(),
            cells: Vec::new(),
            counts,
            reference: None,
            white_box: Vec::new(),
        };
        assert_eq!(
            BoardNotes::default().notes(std::slice::from_ref(&row), true),
            ["m: 2 answers refusing in free text"]
        );
        assert!(
            BoardNotes::default().notes(&[row], false)[0]
                .ends_with("refusing to answer, counted as wrong")
        );
        let notes = board_notes.notes(&[], false);
        let file = "llava_v1.5_13b_evaluated.jsonl";
        assert_eq!(
            notes[..3],
            [
                format!("{file}: 1872 duplicate rows; the first counts"),
                format!("{file}: 2 answers to questions outside the set"),
                format!("{file}: 1872 duplicate rows; the first counts"),
            ]
        );
        assert!(
            notes.contains(&format!("other, {file}: answers no question of the set")),
            "{notes:?}"
        );
        assert!(
            notes
                .iter()
                .all(|note| note.chars().count() <= WIDTH && !note.contains("/home")),
            "{notes:?}"
        );
        assert!(notes.last().unwrap().ends_with(": 4 models"), "{notes:?}");
    }
}
