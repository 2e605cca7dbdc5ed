//! The statistics of a release: Dysca's Table 2 with units, the counts of its Figure 2, and how many
//! items each step of the project has kept.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use serde::Serialize;

use benchtop_model::hash::{first_bytes, of_texts};
use benchtop_model::{Item, Result, clean};

/// The scenario of an item that is no variant.
const CLEAN: &str = "clean";
/// The name of a missing value.
const NONE: &str = "(none)";

/// Numbers of items by name.
pub(super) type Counts = BTreeMap<String, u64>;

/// Items by step of the whole project.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Funnel {
    pub items: u64,
    pub pictures: u64,
    /// Items that the rules neither flag nor park; `None` if this is not known.
    pub passed: Option<u64>,
    pub flagged: Option<u64>,
    pub judged: u64,
    pub accepted: u64,
    pub rejected: u64,
    /// Rejected items as a share of accepted and rejected ones, from 0 to 1.
    pub rejected_share: Option<f64>,
    pub released: u64,
}

/// Mean, least, and greatest length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Lengths {
    pub mean: f64,
    pub min: u64,
    pub max: u64,
}

/// Texts of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TextCounts {
    /// Different texts.
    pub unique: u64,
    /// Lengths in words, divided by white space.
    pub words: Lengths,
    /// Lengths in characters, as Unicode scalar values.
    pub characters: Lengths,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PictureCounts {
    /// Pictures of items, each as often as an item has it.
    pub references: u64,
    /// Different picture files, by hash.
    pub unique: u64,
    /// References without a recorded file.
    pub without_file: u64,
    /// Different files that must not be redistributed.
    pub withheld: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct OptionCounts {
    /// Questions with options.
    pub questions: u64,
    /// Options of those questions.
    pub per_question: Lengths,
}

/// The statistics of the items of a release.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    pub items: u64,
    pub pictures: PictureCounts,
    pub questions: TextCounts,
    /// The text of the right option, or the answer as the source states it.
    pub answers: TextCounts,
    pub options: OptionCounts,
    pub scenarios: Counts,
    pub types: Counts,
    pub subtasks: Counts,
    pub levels: Counts,
    pub styles: Counts,
    pub datasets: Counts,
    pub splits: Counts,
    /// Types in each scenario.
    pub types_by_scenario: BTreeMap<String, Counts>,
    pub funnel: Funnel,
}

/// Sums for [`Lengths`].
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    n: u64,
    sum: u64,
    min: u64,
    max: u64,
}

impl Sum {
    fn add(&mut self, length: u64) {
        self.min = if self.n == 0 {
            length
        } else {
            self.min.min(length)
        };
        self.max = self.max.max(length);
        (self.n, self.sum) = (self.n + 1, self.sum + length);
    }

    fn lengths(self) -> Lengths {
        Lengths {
            mean: rounded(self.sum as f64 / self.n.max(1) as f64),
            min: self.min,
            max: self.max,
        }
    }
}

/// Four decimals, which are the same on every machine.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[derive(Debug, Default)]
struct Texts {
    seen: HashSet<u64>,
    words: Sum,
    characters: Sum,
}

impl Texts {
    fn add(&mut self, text: &str) {
        self.seen.insert(first_bytes(&of_texts([text])));
        self.words.add(text.split_whitespace().count() as u64);
        self.characters.add(text.chars().count() as u64);
    }

    fn counts(&self) -> TextCounts {
        TextCounts {
            unique: self.seen.len() as u64,
            words: self.words.lengths(),
            characters: self.characters.lengths(),
        }
    }
}

/// Counts items one by one.
#[derive(Debug, Default)]
pub(super) struct Counting {
    found: Statistics,
    pictures: HashSet<String>,
    questions: Texts,
    answers: Texts,
    options: Sum,
}

/// The scenario of an item.
fn scenario(item: &Item) -> &str {
    let name = item.variant.as_ref().map(|variant| variant.name.trim());
    name.filter(|name| !name.is_empty()).unwrap_or(CLEAN)
}

impl Counting {
    pub fn add(&mut self, item: &Item) {
        let found = &mut self.found;
        found.items += 1;
        for image in &item.images {
            found.pictures.references += 1;
            match &image.hash {
                Some(hash) => drop(self.pictures.insert(hash.clone())),
                None => found.pictures.without_file += 1,
            }
        }
        self.questions.add(&item.question);
        let right = item.gold().and_then(|at| item.options.get(at));
        let right = right.map_or(item.answer.as_str(), |option| option.text.as_str());
        self.answers.add(right);
        if !item.options.is_empty() {
            self.options.add(item.options.len() as u64);
        }
        let count = |counts: &mut Counts, name: Option<&str>| {
            let name = name.filter(|name| !name.is_empty()).unwrap_or(NONE);
            *counts.entry(name.to_string()).or_default() += 1;
        };
        let (scenario, kind) = (scenario(item), item.kind.name());
        count(&mut found.scenarios, Some(scenario));
        count(&mut found.types, Some(kind));
        count(&mut found.subtasks, item.subtask.as_deref());
        count(&mut found.levels, item.level.as_deref());
        count(&mut found.styles, item.style.as_deref());
        count(&mut found.datasets, Some(&item.dataset));
        let types = found.types_by_scenario.entry(scenario.into());
        count(types.or_default(), Some(kind));
    }

    pub fn finish(self, funnel: Funnel, splits: Counts, withheld: u64) -> Statistics {
        let mut found = self.found;
        found.pictures.unique = self.pictures.len() as u64;
        found.pictures.withheld = withheld;
        found.questions = self.questions.counts();
        found.answers = self.answers.counts();
        found.options = OptionCounts {
            questions: self.options.n,
            per_question: self.options.lengths(),
        };
        found.splits = splits;
        let decided = funnel.accepted + funnel.rejected;
        found.funnel = Funnel {
            rejected_share: (decided > 0).then(|| rounded(funnel.rejected as f64 / decided as f64)),
            released: found.items,
            ..funnel
        };
        found
    }
}

impl Funnel {
    /// The known steps, in order.
    pub(super) fn steps(&self) -> Vec<(&'static str, u64)> {
        let steps = [
            ("items", Some(self.items)),
            ("with a picture", Some(self.pictures)),
            ("passed the rules", self.passed),
            ("judged", Some(self.judged)),
            ("accepted", Some(self.accepted)),
            ("released", Some(self.released)),
        ];
        let known = steps.into_iter().filter_map(|(name, n)| Some((name, n?)));
        known.collect()
    }
}

impl Statistics {
    /// The lists of counts, with their titles.
    pub(super) fn lists(&self) -> [(&'static str, &Counts); 7] {
        [
            ("scenarios", &self.scenarios),
            ("types", &self.types),
            ("subtasks", &self.subtasks),
            ("levels", &self.levels),
            ("styles", &self.styles),
            ("datasets", &self.datasets),
            ("splits", &self.splits),
        ]
    }

    /// The rows of Dysca's Table 2: name, number, unit.
    pub(super) fn rows(&self) -> Vec<(&'static str, String, &'static str)> {
        let count = |name, n: u64, unit| (name, n.to_string(), unit);
        let mean = |name, mean: f64, unit| (name, format!("{mean:.2}"), unit);
        let (questions, answers, pictures) = (&self.questions, &self.answers, &self.pictures);
        vec![
            count("items", self.items, "items"),
            count("unique pictures", pictures.unique, "files, by hash"),
            count("pictures withheld", pictures.withheld, "files, by hash"),
            count("unique questions", questions.unique, "texts"),
            count("unique answers", answers.unique, "texts"),
            mean("mean question length", questions.words.mean, "words"),
            mean(
                "mean question length",
                questions.characters.mean,
                "characters",
            ),
            mean("mean answer length", answers.words.mean, "words"),
            mean("mean answer length", answers.characters.mean, "characters"),
            mean(
                "mean number of options",
                self.options.per_question.mean,
                "options, of questions that have some",
            ),
        ]
    }

    /// The statistics as text with aligned columns.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for (name, number, unit) in self.rows() {
            let _ = writeln!(out, "{name:<24} {number:>12}  {unit}");
        }
        out.push_str("\nsteps of the project\n");
        for (name, n) in self.funnel.steps() {
            let _ = writeln!(out, "  {name:<22} {n:>12}  items");
        }
        if let Some(share) = self.funnel.rejected_share {
            let percent = share * 100.0;
            let _ = writeln!(
                out,
                "  {:<22} {percent:>12.2}  percent of accepted and rejected items",
                "rejected"
            );
        }
        for (title, counts) in self.lists() {
            let _ = writeln!(out, "\n{title}");
            for (name, n) in counts {
                let _ = writeln!(out, "  {:<22} {n:>12}  items", clean::line(name));
            }
        }
        out.push_str("\ntypes by scenario\n");
        let kinds: BTreeSet<&String> = self.types.keys().collect();
        for (scenario, counts) in &self.types_by_scenario {
            for kind in &kinds {
                let n = counts.get(*kind).copied().unwrap_or(0);
                let name = format!("{} {kind}", clean::line(scenario));
                let _ = writeln!(out, "  {name:<36} {n:>12}  items");
            }
        }
        out
    }

    /// The statistics as JSON.
    ///
    /// # Errors
    /// If they cannot be written as JSON.
    pub(super) fn value(&self) -> Result<serde_json::Value> {
        serde_json::to_value(self)
            .map_err(|e| benchtop_model::Error::failed(format!("cannot write as JSON: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::{Choice, ImageRef, Key, Role, Variant};

    #[test]
    fn lengths_have_units_and_texts_count_once() {
        let item = |n: i64, question: &str, options: &[&str], answer: &str| Item {
            question: question.into(),
            answer: answer.into(),
            options: options
                .iter()
                .map(|text| Choice {
                    text: (*text).into(),
                    role: Role::of(*text == answer),
                })
                .collect(),
            images: vec![ImageRef {
                hash: (n < 3).then(|| "ab".repeat(32)),
                ..ImageRef::named("p.png")
            }],
            variant: (n == 2).then(|| Variant {
                name: "corruption".into(),
                ..Variant::default()
            }),
            ..Item::blank("d", Key::Int(n))
        };
        let mut counting = Counting::default();
        counting.add(&item(1, "What is it?", &["a dog", "owl"], "a dog"));
        counting.add(&item(2, "What is it?", &["é", "b", "c", "d"], "é"));
        counting.add(&item(3, "Say.", &[], "a dog"));
        let funnel = Funnel {
            accepted: 3,
            rejected: 2,
            ..Funnel::default()
        };
        let found = counting.finish(funnel, Counts::new(), 0);
        let lengths = |mean, min, max| Lengths { mean, min, max };
        assert_eq!((found.questions.unique, found.answers.unique), (2, 2));
        assert_eq!(found.questions.words, lengths(2.3333, 1, 3));
        assert_eq!(found.questions.characters, lengths(8.6667, 4, 11));
        assert_eq!(found.answers.characters, lengths(3.6667, 1, 5));
        assert_eq!(found.options.questions, 2);
        assert_eq!(found.options.per_question, lengths(3.0, 2, 4));
        let pictures = found.pictures;
        assert_eq!(
            (pictures.references, pictures.unique, pictures.without_file),
            (3, 1, 1)
        );
        assert_eq!(found.scenarios["clean"], 2);
        assert_eq!(found.types_by_scenario["corruption"]["free-form"], 1);
        assert_eq!(
            (found.funnel.rejected_share, found.funnel.released),
            (Some(0.4), 3)
        );
    }
}
