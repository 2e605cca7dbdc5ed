//! The mapping of table columns to fields, written by hand or guessed from the names and confirmed
//! in a `mapping.toml`.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How the answer column names the right option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerIs {
    /// A letter of an option, else an option's text, else an index from 0.
    #[default]
    Auto,
    /// The letter of an option.
    Letter,
    /// The index of an option, from 0.
    Index,
    /// The position of an option, from 1.
    Position,
    /// The text of an option.
    Text,
}

/// The column of each field. Only [`answer_is`](Self::answer_is) and [`dataset`](Self::dataset) are
/// not columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mapping {
    /// The data set of the rows (a name, not a column).
    pub dataset: Option<String>,
    /// The question's id. Without it, the row number from 0 is the id.
    pub id: Option<String>,
    /// Pictures: a path, base64, a data URI, `{bytes, path}`, or a list of these.
    pub images: Vec<String>,
    pub question: Option<String>,
    /// One column with a list, or one column per option.
    pub options: Vec<String>,
    /// The right answer.
    pub answer: Option<String>,
    /// How `answer` names the right option.
    pub answer_is: AnswerIs,
    /// The question type: multiple choice, true or false, yes/no, or free form.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub task: Option<String>,
    /// Subtask or category.
    pub subtask: Option<String>,
    pub granularity: Option<String>,
    /// Level or difficulty.
    pub level: Option<String>,
    /// Style of the picture.
    pub style: Option<String>,
    /// Scenario or variant of the item.
    pub variant: Option<String>,
    /// The refusal option: its letter, its index from 0, or its text.
    pub refusal: Option<String>,
    /// The prompt that the picture was made from.
    pub prompt: Option<String>,
    /// Where the pictures come from.
    pub picture_source: Option<String>,
    /// The license of the pictures.
    pub license: Option<String>,
    /// Kinds of sensitive content of the pictures, with commas.
    pub sensitivity: Option<String>,
    /// The question that this row is a rotation of.
    pub group: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The model's output.
    pub output: Option<String>,
    /// The run or epoch of the answer.
    pub epoch: Option<String>,
    /// Whether the source tool scored the answer as right.
    pub right: Option<String>,
    /// The answer that the source tool extracted.
    pub extracted: Option<String>,
}

impl Mapping {
    /// Parses a `mapping.toml`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Input`] with the line.
    pub fn parse(text: &str) -> Result<Mapping> {
        toml::from_str(text).map_err(|e| {
            let line = e
                .span()
                .map(|s| text.bytes().take(s.start).filter(|b| *b == b'\n').count() as u64 + 1);
            let problem = Error::input(e.message().to_string());
            line.map_or(problem.clone(), |line| problem.line(line))
        })
    }

    /// The text of a `mapping.toml` for a file with these columns.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`] if it cannot be serialized.
    pub fn write(&self, columns: &[String]) -> Result<String> {
        let cannot = |e: toml::ser::Error| Error::failed(e.to_string());
        let body = toml::to_string(self).map_err(cannot)?;
        let used: Vec<&str> = self.named().map(|(_, column)| column).collect();
        let rest: Vec<&str> = columns
            .iter()
            .map(String::as_str)
            .filter(|c| !used.contains(c))
            .collect();
        let mut text = String::from(
            "# Which column is what. Check it, change it, and pass it with --mapping.\n",
        );
        text.push_str(&format!("# Columns of the file: {}\n", columns.join(", ")));
        if !rest.is_empty() {
            text.push_str(&format!("# Not used: {}\n", rest.join(", ")));
        }
        Ok(text + &body)
    }

    /// The mapped columns, each with its field.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let one = [
            ("id", &self.id),
            ("question", &self.question),
            ("answer", &self.answer),
            ("type", &self.kind),
            ("task", &self.task),
            ("subtask", &self.subtask),
            ("granularity", &self.granularity),
            ("level", &self.level),
            ("style", &self.style),
            ("variant", &self.variant),
            ("refusal", &self.refusal),
            ("prompt", &self.prompt),
            ("picture-source", &self.picture_source),
            ("license", &self.license),
            ("sensitivity", &self.sensitivity),
            ("group", &self.group),
            ("model", &self.model),
            ("output", &self.output),
            ("epoch", &self.epoch),
            ("right", &self.right),
            ("extracted", &self.extracted),
        ];
        let one = one
            .into_iter()
            .filter_map(|(field, column)| Some((field, column.as_deref()?)));
        let images = self.images.iter().map(|c| ("images", c.as_str()));
        let options = self.options.iter().map(|c| ("options", c.as_str()));
        one.chain(images).chain(options)
    }

    /// Checks that every mapped column exists.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Input`] with the first missing column and a list of the file's
    /// columns.
    pub fn check(&self, columns: &[String]) -> Result<()> {
        for (field, column) in self.named() {
            if !columns.iter().any(|c| c == column) {
                return Err(Error::input(format!("the file has no column `{column}`"))
                    .field(field)
                    .help(format!("its columns are: {}", columns.join(", "))));
            }
        }
        if self.question.is_none() && self.output.is_none() {
            return Err(
                Error::input("the mapping has neither a question nor an output")
                    .help(format!("use one of the columns: {}", columns.join(", "))),
            );
        }
        Ok(())
    }

    /// Whether rows have everything that is needed to ask and grade questions.
    pub fn has_questions(&self) -> bool {
        self.question.is_some() && self.answer.is_some()
    }
}

/// Usual column names, in order of preference.
const ID: &[&str] = &[
    "index",
    "id",
    "question_id",
    "qid",
    "item",
    "item_id",
    "sample_id",
    "uid",
    "idx",
    "doc_id",
];
const IMAGE: &[&str] = &[
    "image",
    "images",
    "image_path",
    "image_file",
    "file_name",
    "file_names",
    "filepath",
    "img_path",
    "img",
    "picture",
    "image_url",
];
const QUESTION: &[&str] = &[
    "question",
    "query",
    "problem",
    "instruction",
    "question_text",
    "objective_question",
];
const OPTIONS: &[&str] = &["options", "choices", "candidates", "objective_choice"];
const ANSWER: &[&str] = &[
    "answer",
    "key",
    "ground_truth",
    "gt",
    "gold",
    "correct_answer",
    "reference_answer",
    "objective_reference_answer",
    "target",
    "label",
    "gt_answer",
    "answer_text",
];
const KIND: &[&str] = &["question_type", "type", "kind"];
const SUBTASK: &[&str] = &[
    "category",
    "subtask",
    "sub_task",
    "question_majority",
    "aspect",
];
const TASK: &[&str] = &["l2_category", "task"];
const LEVEL: &[&str] = &["level", "difficulty"];
const VARIANT: &[&str] = &["variant", "scenario"];
const REFUSAL: &[&str] = &[
    "refusal_index",
    "refusal",
    "refusal_option",
    "refuse_index",
    "refuse",
];
const MODEL: &[&str] = &["model", "model_name", "model_id"];
const OUTPUT: &[&str] = &[
    "prediction",
    "output",
    "response",
    "model_output",
    "model_answer",
    "model_response",
    "completion",
    "generated_text",
    "pred",
];
const EPOCH: &[&str] = &["epoch", "run", "trial"];
const RIGHT: &[&str] = &["hit", "score", "is_correct", "right"];
const EXTRACTED: &[&str] = &["extracted", "extracted_answer", "parsed_answer"];

/// Guesses the mapping from the column names.
pub fn guess(columns: &[String]) -> Mapping {
    let plain = |name: &str| name.trim().to_lowercase().replace([' ', '-', '.'], "_");
    let of = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| columns.iter().find(|column| plain(column) == **name))
            .cloned()
    };
    let options = letters(columns);
    let options = if options.is_empty() {
        of(OPTIONS).into_iter().collect()
    } else {
        options
    };
    let numbered = |column: &&String| {
        let name = plain(column);
        name.strip_prefix("image_")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let images: Vec<String> = columns.iter().filter(numbered).cloned().collect();
    Mapping {
        dataset: None,
        id: of(ID),
        images: if images.is_empty() {
            of(IMAGE).into_iter().collect()
        } else {
            images
        },
        question: of(QUESTION),
        options,
        answer: of(ANSWER),
        answer_is: AnswerIs::Auto,
        kind: of(KIND),
        task: of(TASK),
        subtask: of(SUBTASK),
        granularity: of(&["granularity"]),
        level: of(LEVEL),
        style: of(&["style"]),
        variant: of(VARIANT),
        refusal: of(REFUSAL),
        prompt: of(&["prompt"]),
        picture_source: of(&["picture_source", "image_source"]),
        license: of(&["license", "licence"]),
        sensitivity: of(&["sensitivity"]),
        group: of(&["g_index"]),
        model: of(MODEL),
        output: of(OUTPUT),
        epoch: of(EPOCH),
        right: of(RIGHT),
        extracted: of(EXTRACTED),
    }
}

/// Columns with one option each: `A`, `B`, ... or `option_a`, `option_1`, and so on.
fn letters(columns: &[String]) -> Vec<String> {
    let run = |name: &dyn Fn(usize) -> String| -> Vec<String> {
        (0..26)
            .map_while(|at| {
                columns
                    .iter()
                    .find(|c| c.trim() == name(at) || c.to_lowercase() == name(at))
                    .cloned()
            })
            .collect()
    };
    let letter = |at: usize| crate::Item::letter(at);
    let mut found = vec![run(&letter)];
    for stem in ["option", "choice"] {
        for mark in ["_", "", " "] {
            found.push(run(&|at| {
                format!("{stem}{mark}{}", letter(at).to_lowercase())
            }));
            found.push(run(&|at| format!("{stem}{mark}{at}")));
            found.push(run(&|at| format!("{stem}{mark}{}", at + 1)));
        }
    }
    found
        .into_iter()
        .find(|run| run.len() > 1)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_string()).collect()
    }

    #[test]
    fn usual_names_are_guessed_and_round_trip_as_toml() {
        let columns = names(&[
            "Index",
            "image",
            "question",
            "A",
            "B",
            "C",
            "answer",
            "l2-category",
            "Model",
            "prediction",
            "odd",
        ]);
        let found = guess(&columns);
        assert_eq!(
            (
                found.id.as_deref(),
                found.options.len(),
                found.task.as_deref()
            ),
            (Some("Index"), 3, Some("l2-category"))
        );
        assert_eq!(
            (found.model.as_deref(), found.output.as_deref()),
            (Some("Model"), Some("prediction"))
        );
        found.check(&columns).unwrap();
        let text = found.write(&columns).unwrap();
        assert!(text.contains("# Not used: odd"), "{text}");
        assert_eq!(Mapping::parse(&text).unwrap(), found);
        assert_eq!(guess(&names(&["option_1", "option_2"])).options.len(), 2);
        assert_eq!(
            guess(&names(&["Option A", "Option B", "options"])).options,
            ["Option A", "Option B"]
        );
        assert_eq!(guess(&names(&["choices", "A"])).options, ["choices"]);
    }

    #[test]
    fn missing_column_is_reported_with_existing_ones() {
        let mapping = Mapping::parse("question = \"q\"\nanswer = \"key\"\n").unwrap();
        let problem = mapping.check(&names(&["q", "gold"])).unwrap_err();
        assert_eq!(problem.place.field.as_deref(), Some("answer"));
        assert!(problem.what.contains("`key`"), "{problem}");
        assert!(problem.help.is_some_and(|help| help.ends_with("q, gold")));
        assert!(Mapping::default().check(&names(&["q"])).is_err());
        let wrong = Mapping::parse("question = \"q\"\nanser = \"key\"\n").unwrap_err();
        assert_eq!(wrong.place.line, Some(2));
        assert!(wrong.what.contains("anser"), "{wrong}");
    }
}
