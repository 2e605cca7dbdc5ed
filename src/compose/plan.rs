//! Plan files: how many pictures of each subject, and which questions about them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::compiled_metadata::CompiledMetadata;
use benchtop_model::{Error, QuestionKind, Result};

/// Default number of options (Dysca section 3.4).
const OPTIONS: usize = 4;
/// Maximum number of options, one per letter.
const MOST_OPTIONS: usize = 26;
/// Question types of the default plan.
pub(super) const KINDS: [QuestionKind; 3] = [
    QuestionKind::MultipleChoice,
    QuestionKind::TrueFalse,
    QuestionKind::FreeForm,
];
/// Maximum number of pictures or questions of a plan.
pub const MAX_SIZE: u64 = 1 << 31;

/// A plan file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// Name of the plan, which is part of the ids of its questions.
    #[serde(default = "name")]
    pub name: String,
    /// Number of options of a multiple-choice question, including the right one. Short vocabularies
    /// give fewer.
    #[serde(default = "options")]
    pub options: usize,
    /// Its pictures.
    #[serde(default)]
    pub pictures: Vec<Pictures>,
    /// Instead of `pictures`: the shares of the question types, as whole numbers.
    #[serde(default)]
    pub shares: BTreeMap<QuestionKind, u64>,
}

/// `[[pictures]]`: pictures of one subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pictures {
    /// The subject, from `templates.toml`.
    pub subject: String,
    /// Number of pictures, or pairs of pictures.
    pub count: Option<u64>,
    /// Instead of `count`: number per term of the subject's main vocabulary.
    pub per_term: Option<u64>,
    /// Instead of `count`: number per style (a row of the style x subject grid).
    pub per_style: Option<u64>,
    /// Subtasks to ask about each picture; empty for all that the prompt supports.
    pub about: Vec<String>,
    /// Question types; empty for multiple choice, true/false, and free form.
    pub kinds: Vec<QuestionKind>,
    /// Only these styles; empty for all.
    pub styles: Vec<String>,
    /// Excluded terms and styles, in any vocabulary.
    pub exclude: Vec<String>,
    /// Shape of the questions.
    pub shape: Shape,
    /// For pairs: the vocabulary whose term differs between the two pictures.
    pub differs: Option<String>,
    /// Level of the questions. For pairs "low" by default (MVP-Bench has "low" and "high"). With a
    /// refusal option it is "know" (refusing is right too; the default) or "basic" (refusing is
    /// wrong), as in MM-SAP.
    pub level: Option<String>,
}

/// Level of questions that the picture answers, so refusing is wrong (MM-SAP's BasicVisQA).
pub const BASIC: &str = "basic";
pub use benchtop_model::item::KNOW;
/// Level of questions that the picture does not answer, so refusing is right (MM-SAP's
/// BeyondVisQA).
pub const BEYOND: &str = "beyond";
/// Default level of questions about pairs: perception, not meaning (MVP-Bench section 3).
pub const LOW: &str = "low";

/// Shape of the questions about a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One picture per question (Dysca).
    #[default]
    Single,
    /// Two pictures that differ in one term, with the same questions and opposite answers
    /// (MVP-Bench section 3).
    Pair,
    /// An additional refusal option; the picture shows the answer (MM-SAP section 3).
    Refusal,
    /// An additional refusal option, which is the only right one because the picture does not show
    /// the answer.
    Beyond,
}

fn name() -> String {
    "plan".into()
}

fn options() -> usize {
    OPTIONS
}

impl Plan {
    /// Parses a plan. `file` only names the file in errors.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with file, line, and the known names.
    pub fn parse(text: &str, file: &Path) -> Result<Plan> {
        let plan: Plan = toml::from_str(text).map_err(|err| {
            let message = err.message().trim();
            let (what, known) = message.split_once(", expected ").unwrap_or((message, ""));
            let mut problem = Error::input(what.replace('\n', " ")).file(file);
            if let Some(span) = err.span() {
                let before = text.get(..span.start).unwrap_or(text);
                problem = problem.line(before.matches('\n').count() as u64 + 1);
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
        self.check_shares()?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return wrong(
                format!(
                    "invalid plan name `{}`: use lowercase letters, digits, and `-`",
                    self.name
                ),
                "name",
            );
        }
        if !(2..=MOST_OPTIONS).contains(&self.options) {
            return wrong(
                format!(
                    "{} options are out of range; use 2 to {MOST_OPTIONS}",
                    self.options
                ),
                "options",
            );
        }
        for (at, pictures) in self.pictures.iter().enumerate() {
            let sizes = [pictures.count, pictures.per_term, pictures.per_style];
            let which = format!("[[pictures]] number {}", at + 1);
            if sizes.iter().flatten().count() != 1 {
                let what = "needs exactly one of count, per-term, and per-style";
                return wrong(format!("{which} {what}"), "pictures.count");
            }
            if (pictures.shape == Shape::Pair) != pictures.differs.is_some() {
                let what = "`differs` and `shape = \"pair\"` belong together";
                return wrong(format!("{which}: {what}"), "pictures.differs");
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
                let what = format!("{which}: invalid level `{}`", level.unwrap_or(""));
                return Err(Error::input(what).field("pictures.level").help(
                    "use one word; with shape = \"refusal\" use basic or know, with shape = \"beyond\" leave it out",
                ));
            }
        }
        Ok(())
    }

    /// The default plan: `count` questions, spread as evenly as possible over all subtasks, the
    /// three question types, and the subjects that support each subtask.
    pub fn balanced(compiled: &CompiledMetadata, count: u64) -> Plan {
        let mut pictures = Vec::new();
        let supported = supported(compiled);
        let seats = (supported.len() * KINDS.len()) as u64;
        let each = count.checked_div(seats).unwrap_or(0);
        for (at, (subtask, subjects)) in supported.iter().enumerate() {
            let mut add = |subject: &str, count: u64, kinds: Vec<QuestionKind>| {
                if count > 0 && !kinds.is_empty() {
                    let whole = pictures_of(subject, subtask, kinds, count);
                    let rest = missing(compiled, &whole);
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
            // The remainder goes to one type after another, around the subtasks.
            let left = count - each * seats;
            let extra = (0..KINDS.len()).filter(|k| ((k * supported.len() + at) as u64) < left);
            let subject = subjects[(each % many) as usize % subjects.len()];
            add(subject, 1, extra.map(|k| KINDS[k]).collect());
        }
        Plan {
            name: "balanced".into(),
            options: OPTIONS,
            pictures,
            shares: BTreeMap::new(),
        }
    }
}

/// The subtasks, each with the subjects about which every question type can be asked.
pub(super) fn supported(compiled: &CompiledMetadata) -> Vec<(&str, Vec<&str>)> {
    let of = |(at, subtask): (usize, &'_ super::compiled_metadata::Subtask)| {
        let subjects = compiled.subjects.iter();
        let subjects = subjects
            .filter(|s| s.supports.contains(&at) && possible(compiled, &s.name, &subtask.name));
        subjects.map(|s| s.name.as_str()).collect()
    };
    let subtasks = compiled.subtasks.iter().enumerate();
    subtasks
        .map(|(at, subtask)| (subtask.name.as_str(), of((at, subtask))))
        .filter(|(_, subjects): &(_, Vec<_>)| !subjects.is_empty())
        .collect()
}

/// `count` pictures of a subject with questions about one subtask.
pub(super) fn pictures_of(
    subject: &str,
    subtask: &str,
    kinds: Vec<QuestionKind>,
    count: u64,
) -> Pictures {
    Pictures {
        subject: subject.to_string(),
        about: vec![subtask.to_string()],
        kinds,
        count: Some(count),
        ..Pictures::default()
    }
}

/// Whether every question type of a subtask can be asked about some picture of a subject.
fn possible(compiled: &CompiledMetadata, subject: &str, subtask: &str) -> bool {
    let can = |kind: &QuestionKind| {
        let one = pictures_of(subject, subtask, vec![*kind], 1);
        super::schedule::blocks(compiled, &one, OPTIONS, 0).is_ok()
    };
    compiled.compatibility.is_none() || KINDS.iter().all(can)
}

/// Extra pictures for question types that some pictures hide, so that every type reaches the
/// planned number.
pub(super) fn missing(compiled: &CompiledMetadata, whole: &Pictures) -> Vec<Pictures> {
    let (Some(_), Ok(blocks)) = (
        &compiled.compatibility,
        super::schedule::blocks(compiled, whole, OPTIONS, 0),
    ) else {
        return Vec::new();
    };
    let asked = |kind: QuestionKind| {
        let of = |b: &super::schedule::Block| {
            b.units * b.slots.iter().filter(|s| s.ask.kind() == kind).count() as u64
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
    fn plans_parse_and_errors_are_located() {
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
    fn balanced_plan_spreads_the_count() {
        let (compiled, found) = CompiledMetadata::compile(&crate::fixtures::small());
        assert!(found.is_empty(), "{found:?}");
        for count in [0, 1, 7, 15, 16, 100, 1234] {
            let plan = Plan::balanced(&compiled, count);
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
