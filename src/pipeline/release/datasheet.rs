//! The datasheet of a release, after Gebru et al. The questions are a file, some answers come from
//! what the project knows, and the others from a file that people edit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::document;
use super::licenses::Licenses;
use super::statistics::Statistics;
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::release::ReleaseRecord;
use benchtop_model::{Error, Result};

/// Name of the questions in `metadata/`.
const QUESTIONS: &str = "datasheet.toml";
/// Name of the answers in `metadata/`.
const ANSWERS: &str = "datasheet-answers.toml";
const SHIPPED: &str = include_str!("../../../metadata/datasheet.toml");
/// Longest answer, in bytes.
const ANSWER_LIMIT: usize = 64 << 10;
/// Longest text of a question or name of a section, in bytes.
const ASK_LIMIT: usize = 4 << 10;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Questions {
    #[serde(default)]
    section: Vec<Section>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    name: String,
    #[serde(default)]
    question: Vec<Question>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    key: String,
    ask: String,
}

/// The questions of a project with the answers of people.
#[derive(Clone, Debug)]
pub struct Datasheet {
    questions: Questions,
    answers: BTreeMap<String, String>,
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnsweredQuestion {
    pub section: String,
    pub key: String,
    pub ask: String,
    /// The answer of a person.
    pub answer: Option<String>,
    /// What the project knows.
    pub known: Option<String>,
}

/// Answers from what a project knows, by key.
pub(super) type Known = BTreeMap<&'static str, String>;

/// Path of the answers.
pub fn answers_path(project: &Project) -> PathBuf {
    project.metadata().join(ANSWERS)
}

impl Datasheet {
    /// Reads questions and answers.
    ///
    /// # Errors
    /// [`Error::input`] with file and field.
    pub fn read(project: &Project) -> Result<Datasheet> {
        let own = project.metadata().join(QUESTIONS);
        let text = text(&own)?;
        let questions =
            questions(text.as_deref().unwrap_or(SHIPPED)).map_err(|problem| problem.file(&own))?;
        let path = answers_path(project);
        let answers = match self::text(&path)? {
            Some(text) => answers(&text, &questions).map_err(|problem| problem.file(path))?,
            None => BTreeMap::new(),
        };
        Ok(Datasheet { questions, answers })
    }

    /// The questions with their answers, in order.
    pub(super) fn filled(&self, known: &Known) -> Vec<AnsweredQuestion> {
        let sections = self.questions.section.iter();
        let each = sections.flat_map(|s| s.question.iter().map(move |q| (s, q)));
        each.map(|(section, question)| AnsweredQuestion {
            section: section.name.clone(),
            key: question.key.clone(),
            ask: question.ask.clone(),
            answer: self.answers.get(&question.key).cloned(),
            known: known.get(question.key.as_str()).cloned(),
        })
        .collect()
    }

    /// Writes a file with all questions and no answers, unless there is one. Returns whether it was
    /// written.
    ///
    /// # Errors
    /// I/O errors.
    pub fn write_answers(&self, project: &Project) -> Result<bool> {
        let mut out = String::from(
            "# Answers for the datasheet of releases. Replace each \"\" with an answer; write longer ones\n\
             # between \"\"\" and \"\"\". What stays empty is named as not answered.\n",
        );
        for section in &self.questions.section {
            let _ = writeln!(out, "\n# {}", document::plain(&section.name));
            for question in &section.question {
                let _ = writeln!(out, "\n# {}", document::plain(&question.ask));
                let _ = writeln!(out, "{} = \"\"", question.key);
            }
        }
        disk::write_new(&answers_path(project), out.as_bytes())
    }
}

/// `None` if the file is missing.
fn text(path: &std::path::Path) -> Result<Option<String>> {
    let bytes = regular::read_if_there(path, regular::SETTINGS_LIMIT)?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| Error::input("the file is not UTF-8 text").file(path))
}

/// An error of TOML with its line.
fn toml_error(text: &str, problem: &toml::de::Error) -> Error {
    let error = Error::input(problem.message().to_string());
    let Some(span) = problem.span() else {
        return error;
    };
    let before = text.get(..span.start).unwrap_or_default();
    error.line(before.matches('\n').count() as u64 + 1)
}

fn questions(text: &str) -> Result<Questions> {
    let found: Questions = toml::from_str(text).map_err(|e| toml_error(text, &e))?;
    let mut keys = BTreeSet::new();
    for section in &found.section {
        let texts = section.question.iter().map(|q| &q.ask);
        if texts
            .chain([&section.name])
            .any(|text| text.len() > ASK_LIMIT)
        {
            let what = format!("the maximum of a text is {ASK_LIMIT} bytes");
            return Err(Error::input(what).field("section"));
        }
        for question in &section.question {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let key = &question.key;
            if key.is_empty() || key.len() > 60 || !key.chars().all(is_plain) {
                let what = format!("`{key}` is no key: lower-case letters, digits, and `-`");
                return Err(Error::input(what).field("section.question.key"));
            }
            if !keys.insert(key) {
                let what = format!("the key `{key}` is there twice");
                return Err(Error::input(what).field("section.question.key"));
            }
        }
    }
    Ok(found)
}

fn answers(text: &str, questions: &Questions) -> Result<BTreeMap<String, String>> {
    let found: BTreeMap<String, toml::Value> =
        toml::from_str(text).map_err(|e| toml_error(text, &e))?;
    let known = |key: &str| {
        let mut all = questions.section.iter().flat_map(|s| &s.question);
        all.any(|question| question.key == key)
    };
    let mut answers = BTreeMap::new();
    for (key, value) in found {
        if !known(&key) {
            let what = format!("the datasheet has no question `{key}`");
            return Err(Error::input(what)
                .field(key)
                .help("`benchtop release datasheet` lists the questions"));
        }
        let toml::Value::String(answer) = value else {
            return Err(Error::input("an answer is a text between quotes").field(key));
        };
        if answer.len() > ANSWER_LIMIT {
            let what = format!("the maximum is {ANSWER_LIMIT} bytes");
            return Err(Error::input(what).field(key));
        }
        if !answer.trim().is_empty() {
            answers.insert(key, answer.trim().to_string());
        }
    }
    Ok(answers)
}

/// Keys of the questions without any answer.
pub(super) fn unanswered(questions: &[AnsweredQuestion]) -> Vec<String> {
    let open = questions.iter();
    let open = open.filter(|q| q.answer.is_none() && q.known.is_none());
    open.map(|q| q.key.clone()).collect()
}

/// What the project knows.
pub(super) fn known(statistics: &Statistics, licenses: &Licenses, record: &ReleaseRecord) -> Known {
    let mut known = Known::new();
    let listed = |counts: &super::statistics::Counts| {
        let parts = counts.iter();
        let parts = parts.map(|(name, n)| format!("{} {n}", document::plain(name)));
        parts.collect::<Vec<_>>().join(", ")
    };
    let made_up = match record.sample {
        0 => String::new(),
        sample => format!(
            " {sample} of the {} questions are made-up items of benchtop's sample, and no data.",
            statistics.items
        ),
    };
    known.insert(
        "instances",
        format!("An instance is a question about its pictures, with the right answer.{made_up}"),
    );
    known.insert(
        "instance-count",
        format!(
            "{} questions about {} different pictures. By type: {}. By scenario: {}.",
            statistics.items,
            statistics.pictures.unique,
            listed(&statistics.types),
            listed(&statistics.scenarios)
        ),
    );
    known.insert(
        "sample",
        format!(
            "The items of the project that match the filter `{}`.",
            record.filter
        ),
    );
    known.insert(
        "instance-data",
        "Pictures, the question, its options, the right answer, and the fields of `records/items.jsonl`."
            .into(),
    );
    known.insert("labels", "Yes: the right answer of each question.".into());
    let (without, withheld) = (
        statistics.pictures.without_file,
        statistics.pictures.withheld,
    );
    known.insert(
        "missing-data",
        format!(
            "{without} references to pictures have no file. {withheld} different pictures are left out \
             because they must not be redistributed; LICENSES.md names them by hash."
        ),
    );
    if statistics.splits.len() > 1 {
        let splits = listed(&statistics.splits);
        known.insert(
            "recommended-splits",
            format!(
                "{splits}. Items that share an original, a picture, a pair, or a rotation set are in one \
                 split."
            ),
        );
    }
    if let Some(share) = statistics.funnel.rejected_share {
        known.insert(
            "preprocessing",
            format!(
                "People judged the items: {} were accepted and {} rejected, which is {:.1} percent.",
                statistics.funnel.accepted,
                statistics.funnel.rejected,
                share * 100.0
            ),
        );
    }
    if !licenses.models.is_empty() {
        let models = licenses.models.iter();
        let models =
            models.map(|m| format!("{} ({} pictures)", document::plain(&m.model), m.pictures));
        let models = models.collect::<Vec<_>>().join(", ");
        known.insert(
            "mechanisms",
            format!("Pictures were generated by {models}."),
        );
    }
    let kinds: BTreeSet<&String> = licenses
        .pictures
        .iter()
        .flat_map(|p| &p.sensitivity)
        .collect();
    if !kinds.is_empty() {
        let kinds = kinds.into_iter().map(|kind| document::plain(kind));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        known.insert(
            "offensive",
            format!("Pictures are marked with these kinds: {kinds}."),
        );
    }
    if !licenses.pictures.is_empty() || !licenses.models.is_empty() {
        known.insert(
            "third-party-rights",
            "LICENSES.md lists the licenses of pictures and of the models that made them.".into(),
        );
    }
    known.insert("software", "benchtop.".into());
    known
}

/// `DATASHEET.md`.
pub(super) fn markdown(title: &str, questions: &[AnsweredQuestion]) -> String {
    let mut out = format!("# Datasheet of {title}\n");
    let mut section = None;
    for question in questions {
        if section != Some(&question.section) {
            let _ = write!(out, "\n## {}\n", document::line(&question.section));
            section = Some(&question.section);
        }
        let _ = write!(out, "\n**{}**\n\n", document::line(&question.ask));
        match (&question.answer, &question.known) {
            (None, None) => out.push_str("Not answered.\n"),
            (answer, known) => {
                for text in [answer, known].into_iter().flatten() {
                    let lines = text.lines().map(document::line);
                    let _ = write!(out, "{}\n\n", lines.collect::<Vec<_>>().join("\n"));
                }
                // One line break at the end.
                out.truncate(out.trim_end().len());
                out.push('\n');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_questions_have_all_keys_that_the_project_answers() {
        let shipped = questions(SHIPPED).unwrap();
        let sections: Vec<&str> = shipped.section.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(sections.len(), 7);
        let keys: BTreeSet<&str> = shipped
            .section
            .iter()
            .flat_map(|s| s.question.iter().map(|q| q.key.as_str()))
            .collect();
        let mut statistics = Statistics::default();
        statistics
            .splits
            .extend([("a".to_string(), 1), ("b".to_string(), 1)]);
        statistics.funnel.rejected_share = Some(0.4);
        for key in known(&statistics, &Licenses::default(), &ReleaseRecord::default()).keys() {
            assert!(keys.contains(key), "{key}");
        }
    }

    #[test]
    fn answers_are_texts_to_known_questions() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        let sheet = Datasheet::read(&project).unwrap();
        assert!(sheet.write_answers(&project).unwrap());
        let read = Datasheet::read(&project).unwrap();
        let open = |sheet: &Datasheet| unanswered(&sheet.filled(&Known::new()));
        assert_eq!(open(&read), open(&sheet));
        assert!(
            !sheet.write_answers(&project).unwrap(),
            "answers are never replaced"
        );
        let path = answers_path(&project);
        std::fs::write(
            &path,
            "purpose = \"\"\"\ntwo\nlines\n\"\"\"\nfunding = \" \"\n",
        )
        .unwrap();
        let read = Datasheet::read(&project).unwrap();
        assert_eq!(open(&read).len() + 1, open(&sheet).len());
        let text = markdown("v1", &read.filled(&Known::new()));
        assert!(text.contains("\ntwo\nlines\n"), "{text}");
        for (bad, place) in [
            ("pupose = \"x\"", (None, Some("pupose"))),
            ("purpose = 3", (None, Some("purpose"))),
            ("\n\npurpose = ", (Some(3), None)),
        ] {
            std::fs::write(&path, bad).unwrap();
            let problem = Datasheet::read(&project).unwrap_err();
            let found = (problem.place.line, problem.place.field.as_deref());
            assert_eq!(found, place, "{bad}");
            assert_eq!(problem.place.file.as_deref(), Some(&*path));
        }
    }
}
