//! Sampling plans: how many pictures of what, and what is asked about each.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::compiled_metadata::CompiledMetadata;
use benchtop_model::{Error, QuestionKind, Result};

/// Options of a multiple-choice question where a plan says nothing (Dysca section 3.4).
const OPTIONS: usize = 4;
/// Most options a question can have: one for each letter.
const MOST_OPTIONS: usize = 26;
/// The question types of the plan without a file.
const KINDS: [QuestionKind; 3] = [
    QuestionKind::MultipleChoice,
    QuestionKind::TrueFalse,
    QuestionKind::FreeForm,
];
/// Most pictures or questions one plan can have.
pub const MOST: u64 = 1 << 31;

/// A sampling plan: the whole of a plan file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// What it is called: part of the ids of its questions.
    #[serde(default = "name")]
    pub name: String,
    /// Options of a multiple-choice question, the right one included; short vocabularies give fewer.
    #[serde(default = "options")]
    pub options: usize,
    /// Its pictures.
    #[serde(default)]
    pub pictures: Vec<Pictures>,
}

/// `[[pictures]]`: pictures of one subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pictures {
    /// What they show: a subject of `templates.toml`.
    pub subject: String,
    /// How many pictures (or pairs of pictures).
    pub count: Option<u64>,
    /// Instead of `count`: so many for each term of this subject's main vocabulary.
    pub per_term: Option<u64>,
    /// Instead of `count`: so many for each style (a row of the style x subject grid).
    pub per_style: Option<u64>,
    /// Subtasks asked about each picture; empty means every one that the prompt supports.
    pub about: Vec<String>,
    /// Question types; empty means multiple choice, true/false and free form.
    pub kinds: Vec<QuestionKind>,
    /// Only these styles; empty means all.
    pub styles: Vec<String>,
    /// Terms and styles left out, in whichever vocabulary.
    pub exclude: Vec<String>,
    /// The shape of the questions.
    pub shape: Shape,
    /// For pairs: the vocabulary whose term differs between the two pictures.
    pub differs: Option<String>,
    /// Level of the questions. Pairs are "low" unless it says otherwise (MVP-Bench has "low" and "high"); with a refusal
    /// it is "know" (declining is right too; the default) or "basic" (it is not), as MM-SAP has them.
    pub level: Option<String>,
}

/// Level of questions that the picture answers: declining is wrong (MM-SAP's BasicVisQA).
pub const BASIC: &str = "basic";
pub use benchtop_model::item::KNOW;
/// Level of questions that the picture does not answer: declining is right (MM-SAP's BeyondVisQA).
pub const BEYOND: &str = "beyond";
/// Level of questions about pairs where the plan says none: what is seen, not what it means (MVP-Bench section 3).
pub const LOW: &str = "low";

/// The shape of the questions about a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One picture and one question (Dysca).
    #[default]
    Single,
    /// Two pictures that differ in one term, with the same questions and opposite answers (MVP-Bench section 3).
    Pair,
    /// One option more, which declines to answer; the picture shows the answer (MM-SAP section 3).
    Refusal,
    /// The same about what the picture does not show: declining alone is right.
    Beyond,
}

fn name() -> String {
    "plan".into()
}

fn options() -> usize {
    OPTIONS
}

impl Plan {
    /// Reads the text of a plan; `file` is what an error calls it.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with file, line and what is known instead.
    pub fn parse(text: &str, file: &Path) -> Result<Plan> {
        let plan: Plan = toml::from_str(text).map_err(|err| {
            let message = err.message().trim();
            let (what, known) = message.split_once(", expected ").unwrap_or((message, ""));
            let mut problem = Error::input(what.replace('\n', " ")).file(file);
            if let Some(span) = err.span() {
                problem = problem
                    .line(text.get(..span.start).unwrap_or(text).matches('\n').count() as u64 + 1);
            }
            if known.is_empty() {
                problem
            } else {
                problem.help(format!("expected {known}"))
            }
        })?;
        plan.check().map_err(|p| p.file(file))?;
        Ok(plan)
    }

    fn check(&self) -> Result<()> {
        let wrong = |what: String, field: &str| Err(Error::input(what).field(field));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return wrong(
                format!(
                    "`{}` is not a plan's name: lower-case letters, digits and `-`",
                    self.name
                ),
                "name",
            );
        }
        if !(2..=MOST_OPTIONS).contains(&self.options) {
            return wrong(
                format!(
                    "{} options: a question has 2 to {MOST_OPTIONS}",
                    self.options
                ),
                "options",
            );
        }
        for (at, pictures) in self.pictures.iter().enumerate() {
            let sizes = [pictures.count, pictures.per_term, pictures.per_style];
            if sizes.iter().flatten().count() != 1 {
                let what = format!(
                    "[[pictures]] number {} needs one of count, per-term and per-style",
                    at + 1
                );
                return wrong(what, "pictures.count");
            }
            if (pictures.shape == Shape::Pair) != pictures.differs.is_some() {
                let what = format!(
                    "[[pictures]] number {}: `differs` goes with `shape = \"pair\"`",
                    at + 1
                );
                return wrong(what, "pictures.differs");
            }
            let level = pictures.level.as_deref();
            let fits = match pictures.shape {
                Shape::Single | Shape::Pair => {
                    level.is_none_or(|l| !l.is_empty() && l.chars().all(plain))
                }
                Shape::Refusal => level.is_none_or(|l| l == BASIC || l == KNOW),
                Shape::Beyond => level.is_none(),
            };
            if !fits {
                let what = format!(
                    "[[pictures]] number {}: `{}` cannot be its level",
                    at + 1,
                    level.unwrap_or("")
                );
                return Err(Error::input(what).field("pictures.level").help(
                    "a word; with shape = \"refusal\" basic or know, with shape = \"beyond\" none",
                ));
            }
        }
        Ok(())
    }

    /// The plan without a file: `count` questions spread as evenly as whole numbers allow over all subtasks and the
    /// three question types, and over the subjects that support each subtask.
    pub fn balanced(grammar: &CompiledMetadata, count: u64) -> Plan {
        let mut pictures = Vec::new();
        let supported: Vec<(&str, Vec<&str>)> = grammar
            .subtasks
            .iter()
            .enumerate()
            .map(|(at, subtask)| {
                let subjects = grammar.subjects.iter().filter(|s| s.supports.contains(&at));
                let subjects = subjects.filter(|s| possible(grammar, &s.name, &subtask.name));
                (
                    subtask.name.as_str(),
                    subjects.map(|s| s.name.as_str()).collect(),
                )
            })
            .filter(|(_, subjects): &(_, Vec<_>)| !subjects.is_empty())
            .collect();
        let seats = (supported.len() * KINDS.len()) as u64;
        let each = count.checked_div(seats).unwrap_or(0);
        for (at, (subtask, subjects)) in supported.iter().enumerate() {
            let mut add = |subject: &str, count: u64, kinds: Vec<QuestionKind>| {
                if count > 0 && !kinds.is_empty() {
                    let (subject, about) = (subject.to_string(), vec![subtask.to_string()]);
                    let whole = Pictures {
                        subject,
                        about,
                        kinds,
                        count: Some(count),
                        ..Pictures::default()
                    };
                    let rest = missing(grammar, &whole);
                    pictures.push(whole);
                    pictures.extend(rest);
                }
            };
            let many = subjects.len() as u64;
            for (nth, subject) in subjects.iter().enumerate() {
                add(
                    subject,
                    each / many + u64::from((nth as u64) < each % many),
                    KINDS.to_vec(),
                );
            }
            // What is left over goes to one type after another, round the subtasks.
            let left = count - each * seats;
            let extra = (0..KINDS.len()).filter(|k| ((k * supported.len() + at) as u64) < left);
            let subject = subjects[(each % many) as usize % subjects.len()];
            add(subject, 1, extra.map(|k| KINDS[k]).collect());
        }
        Plan {
            name: "balanced".into(),
            options: OPTIONS,
            pictures,
        }
    }
}

/// Whether every type of question of a subtask can be asked about some picture of a subject.
fn possible(grammar: &CompiledMetadata, subject: &str, subtask: &str) -> bool {
    let can = |kind: &QuestionKind| {
        let (subject, about) = (subject.to_string(), vec![subtask.to_string()]);
        let one = Pictures {
            subject,
            about,
            kinds: vec![*kind],
            count: Some(1),
            ..Pictures::default()
        };
        super::schedule::blocks(grammar, &one, OPTIONS, 0).is_ok()
    };
    grammar.compatibility.is_none() || KINDS.iter().all(can)
}

/// Where some pictures hide what one of the types asks, that type gets pictures of its own, so that every type comes
/// as often as the plan says.
fn missing(grammar: &CompiledMetadata, whole: &Pictures) -> Vec<Pictures> {
    let (Some(_), Ok(blocks)) = (
        &grammar.compatibility,
        super::schedule::blocks(grammar, whole, OPTIONS, 0),
    ) else {
        return Vec::new();
    };
    let asked = |kind: QuestionKind| {
        let of = |b: &super::schedule::Block| {
            b.units * b.seats.iter().filter(|s| s.ask.kind() == kind).count() as u64
        };
        blocks.iter().map(of).sum::<u64>()
    };
    let count = whole.count.unwrap_or(0);
    let short = whole
        .kinds
        .iter()
        .map(|kind| (*kind, count.saturating_sub(asked(*kind))))
        .filter(|(_, n)| *n > 0);
    short
        .map(|(kind, n)| Pictures {
            kinds: vec![kind],
            count: Some(n),
            ..whole.clone()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_and_what_is_wrong_is_said_with_its_line() {
        let plan = Plan::parse(
            "name = \"grid\"\n[[pictures]]\nsubject = \"animal\"\nper-style = 2\nabout = [\"style\"]\nkinds = [\"true-false\"]\n",
            Path::new("plan.toml"),
        )
        .unwrap();
        assert_eq!((plan.options, plan.pictures[0].per_style), (4, Some(2)));
        let wrong = |text: &str| Plan::parse(text, Path::new("plan.toml")).unwrap_err();
        let problem = wrong("name = \"x\"\n[[pictures]]\nsubjct = \"animal\"\n");
        assert_eq!(problem.place.line, Some(3));
        assert!(problem.help.unwrap().contains("subject"));
        assert!(
            wrong("[[pictures]]\nsubject = \"animal\"\n")
                .what
                .contains("count")
        );
        assert!(
            wrong("[[pictures]]\nsubject = \"animal\"\ncount = 1\nper-term = 1\n")
                .what
                .contains("one of")
        );
        assert!(wrong("name = \"A b\"").what.contains("name"));
        assert!(wrong("options = 1").what.contains("options"));
        assert!(
            wrong("[[pictures]]\ncount = 1\nshape = \"pair\"\n")
                .what
                .contains("differs")
        );
        assert_eq!(
            wrong("[[pictures]]\nkinds = [\"guess\"]\n").place.line,
            Some(2)
        );
        assert!(
            wrong("[[pictures]]\ncount = 1\nshape = \"refusal\"\nlevel = \"low\"\n")
                .help
                .unwrap()
                .contains("know")
        );
        assert!(
            wrong("[[pictures]]\ncount = 1\nshape = \"beyond\"\nlevel = \"know\"\n")
                .what
                .contains("level")
        );
    }

    #[test]
    fn the_balanced_plan_has_the_count_and_spreads_it() {
        let (grammar, found) = CompiledMetadata::compile(&crate::fixtures::small());
        assert!(found.is_empty(), "{found:?}");
        for count in [0, 1, 7, 15, 16, 100, 1234] {
            let plan = Plan::balanced(&grammar, count);
            let mut by = std::collections::BTreeMap::new();
            for p in &plan.pictures {
                for kind in &p.kinds {
                    *by.entry((p.about[0].clone(), *kind)).or_insert(0) += p.count.unwrap();
                }
            }
            assert_eq!(by.values().sum::<u64>(), count);
            let (least, most) = (
                by.values().min().copied().unwrap_or(0),
                by.values().max().copied().unwrap_or(0),
            );
            assert!(most - least <= 1, "{count}: {by:?}");
            assert!(count < 15 || by.len() == 15, "{count}: {by:?}");
        }
    }
}
