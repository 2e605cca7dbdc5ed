//! Which items, and in which order: the same words in the list pane, in `--filter` and on the wire.

use serde::{Deserialize, Serialize};

use super::error::{Kind, Problem, Result};
use super::item::QuestionKind;
use super::made::PictureState;
use super::scoring::Outcome;
use super::scoring::rules::Condition;
use super::status::Status;
use super::usage::Freshness;

/// A property of an item that can be shown, filtered by and sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Position in the project, from 1: the `#1423` of receipts.
    Number,
    /// `<dataset>/<key>`.
    Id,
    /// Data set.
    Dataset,
    /// Subtask.
    Subtask,
    /// Question type.
    Type,
    /// Level or difficulty.
    Level,
    /// Style of the image.
    Style,
    /// Natural, manipulated or cross.
    Side,
    /// How it differs from its original: Dysca's scenario, VLB's strategies, MM-SAP's shuffle.
    Variant,
    /// Where it stands.
    Status,
    /// When it was last judged.
    Judged,
    /// The question's text.
    Question,
}

impl Field {
    /// All fields, in the order the list shows them.
    pub const ALL: [Field; 12] = [
        Self::Number,
        Self::Status,
        Self::Id,
        Self::Dataset,
        Self::Subtask,
        Self::Type,
        Self::Level,
        Self::Style,
        Self::Side,
        Self::Variant,
        Self::Judged,
        Self::Question,
    ];

    /// The name used in filters, tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Id => "id",
            Self::Dataset => "dataset",
            Self::Subtask => "subtask",
            Self::Type => "type",
            Self::Level => "level",
            Self::Style => "style",
            Self::Side => "side",
            Self::Variant => "variant",
            Self::Status => "status",
            Self::Judged => "judged",
            Self::Question => "question",
        }
    }

    /// The field of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether its values are names that many items share.
    pub fn is_named(self) -> bool {
        matches!(self, Self::Dataset | Self::Subtask | Self::Level | Self::Style | Self::Side | Self::Variant)
    }
}

/// The word that asks for stale items: `stale:yes`, `stale:gone`, `stale:no`.
pub const STALE: &str = "stale";
/// The word that asks for what a picture was composed to show as a whole: `subject:face`.
pub const SUBJECT: &str = "subject";
/// The word that asks for a term in the (first) picture: `shows:animal/fox`; `shows:animal/` for none of that vocabulary.
pub const SHOWS: &str = "shows";
/// The word that asks for a term in any picture or statement: `term:animal/fox`.
pub const TERM: &str = "term";

/// The words that are answered from the metadata and how items use it.
const DERIVED: [&str; 4] = [STALE, SUBJECT, SHOWS, TERM];

/// The word that asks for what items' pictures are: `picture:missing`, `picture:draft`, `picture:yes`, `picture:none`.
pub const PICTURE: &str = "picture";

/// The word that asks for what the rules make of items: `filter:flagged`, `filter:parked`, `filter:kept`.
pub const OUTCOME: &str = "filter";
/// The word that asks for items by a score: `score:clip<25`, `score:safety>0`, `score:ocr=unparsed`.
pub const SCORE: &str = "score";

/// The words that are answered from what stands beside the items.
const BESIDE: [&str; 3] = [PICTURE, OUTCOME, SCORE];

/// Which items. Values of one field are alternatives; fields are joined by "and".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Statuses wanted; empty means any.
    pub status: Vec<Status>,
    /// Question types wanted; empty means any.
    pub kind: Vec<QuestionKind>,
    /// Values wanted of named columns (dataset, subtask, level, style, side); empty means any.
    /// An empty string stands for "has none".
    pub values: Vec<(Field, Vec<String>)>,
    /// Whether the metadata still makes them so; empty means any.
    pub fresh: Vec<Freshness>,
    /// Subjects wanted, empty means any; an empty string stands for items that were not composed.
    pub subjects: Vec<String>,
    /// Vocabulary and term wanted in the first picture; those of one vocabulary are alternatives. An empty term stands
    /// for none of that vocabulary.
    pub shows: Vec<(String, String)>,
    /// Vocabulary and term wanted in a picture or a statement; those of one vocabulary are alternatives.
    pub terms: Vec<(String, String)>,
    /// What their picture is; empty means any.
    pub picture: Vec<PictureState>,
    /// What the rules make of them; empty means any.
    pub outcome: Vec<Outcome>,
    /// Conditions on their scores; all must hold.
    pub scores: Vec<Condition>,
    /// Fuzzy text that prompt, question, options or id must hold.
    pub text: String,
    /// Only these item numbers (sorted, from 1), when set: a selection as a subset.
    pub only: Option<Vec<u32>>,
}

/// One sort key; earlier keys win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// What to sort by.
    pub field: Field,
    /// Largest first.
    pub descending: bool,
}

impl Filter {
    /// Reads `status:pending subtask:animal,plant type:yes-no some words`.
    ///
    /// Values with spaces are quoted: `subtask:"tv show"`. What is not `field:value` is fuzzy text.
    ///
    /// # Errors
    /// [`Kind::Usage`] names the field that does not exist or the value it cannot have.
    pub fn parse(text: &str) -> Result<Filter> {
        let mut filter = Filter::default();
        let mut words = Vec::new();
        for token in tokens(text) {
            let known =
                |name: &str| BESIDE.contains(&name) || DERIVED.contains(&name) || Field::from_name(name).is_some();
            let Some((name, value)) = token.split_once(':').filter(|(n, _)| known(n)) else {
                words.push(token.replace('"', ""));
                continue;
            };
            let wanted = values(value);
            let unknown = |v: &str, known: String| {
                Problem::new(Kind::Usage, format!("`{v}` is not a value of `{name}`"))
                    .field(name)
                    .help(format!("one of: {known}"))
            };
            match Field::from_name(name) {
                None if name == PICTURE => {
                    for v in &wanted {
                        let known = || PictureState::ALL.map(PictureState::name).join(", ");
                        filter.picture.push(PictureState::from_name(v).ok_or_else(|| unknown(v, known()))?);
                    }
                }
                None if name == OUTCOME => {
                    for v in &wanted {
                        let known = || Outcome::ALL.map(Outcome::name).join(", ");
                        filter.outcome.push(Outcome::from_name(v).ok_or_else(|| unknown(v, known()))?);
                    }
                }
                None if name == SCORE => {
                    for v in &wanted {
                        let wrong = |what: String| Problem::new(Kind::Usage, what).field(name);
                        filter.scores.push(Condition::parse(v).map_err(wrong)?);
                    }
                }
                None if name == SUBJECT => filter.subjects.extend(wanted),
                None if name != STALE => {
                    let list = if name == TERM { &mut filter.terms } else { &mut filter.shows };
                    for v in &wanted {
                        let parts =
                            v.split_once('/').filter(|(v, t)| !v.is_empty() && (name == SHOWS || !t.is_empty()));
                        let how = || format!("VOCABULARY/TERM, such as {name}:animal/fox");
                        let (vocabulary, term) = parts.ok_or_else(|| unknown(v, how()))?;
                        list.push((vocabulary.into(), term.into()));
                    }
                }
                None => {
                    for v in &wanted {
                        let known = || Freshness::ALL.map(Freshness::name).join(", ");
                        filter.fresh.push(Freshness::from_name(v).ok_or_else(|| unknown(v, known()))?);
                    }
                }
                Some(Field::Status) => {
                    for v in &wanted {
                        let known = || Status::ALL.map(Status::name).join(", ");
                        filter.status.push(Status::from_name(v).ok_or_else(|| unknown(v, known()))?);
                    }
                }
                Some(Field::Type) => {
                    for v in &wanted {
                        let known = || QuestionKind::ALL.map(QuestionKind::name).join(", ");
                        filter.kind.push(QuestionKind::from_name(v).ok_or_else(|| unknown(v, known()))?);
                    }
                }
                Some(field) if field.is_named() => {
                    filter.add(field, wanted);
                }
                Some(Field::Number) => {
                    let mut only = Vec::new();
                    for v in &wanted {
                        only.push(v.parse().map_err(|_| unknown(v, "whole numbers from 1".into()))?);
                    }
                    only.sort_unstable();
                    only.dedup();
                    filter.only = Some(only);
                }
                _ => words.push(value.replace('"', "")),
            }
        }
        filter.text = words.join(" ");
        Ok(filter)
    }

    /// Adds wanted values of a named column.
    pub fn add(&mut self, field: Field, wanted: Vec<String>) {
        match self.values.iter_mut().find(|(f, _)| *f == field) {
            Some((_, values)) => values.extend(wanted),
            None => self.values.push((field, wanted)),
        }
    }

    /// Whether something is asked that only the metadata, and how items use it, can answer.
    pub fn asks_metadata(&self) -> bool {
        !(self.fresh.is_empty() && self.subjects.is_empty() && self.shows.is_empty() && self.terms.is_empty())
    }

    /// Whether something is asked that only the scores can answer.
    pub fn asks_scores(&self) -> bool {
        !(self.outcome.is_empty() && self.scores.is_empty())
    }

    /// Whether nothing is asked, so that every item passes.
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// The words [`parse`](Self::parse) reads back (a subset by number is written in full).
    pub fn words(&self) -> String {
        let quoted = |v: &String| if v.contains([' ', ',']) { format!("\"{v}\"") } else { v.clone() };
        let mut out = Vec::new();
        if !self.status.is_empty() {
            out.push(format!("status:{}", self.status.iter().map(|s| s.name()).collect::<Vec<_>>().join(",")));
        }
        if !self.kind.is_empty() {
            out.push(format!("type:{}", self.kind.iter().map(|s| s.name()).collect::<Vec<_>>().join(",")));
        }
        if !self.fresh.is_empty() {
            out.push(format!("{STALE}:{}", self.fresh.iter().map(|f| f.name()).collect::<Vec<_>>().join(",")));
        }
        if !self.picture.is_empty() {
            out.push(format!("{PICTURE}:{}", self.picture.iter().map(|f| f.name()).collect::<Vec<_>>().join(",")));
        }
        if !self.outcome.is_empty() {
            out.push(format!("{OUTCOME}:{}", self.outcome.iter().map(|f| f.name()).collect::<Vec<_>>().join(",")));
        }
        if !self.scores.is_empty() {
            out.push(format!("{SCORE}:{}", self.scores.iter().map(Condition::short).collect::<Vec<_>>().join(",")));
        }
        if !self.subjects.is_empty() {
            out.push(format!("{SUBJECT}:{}", self.subjects.iter().map(quoted).collect::<Vec<_>>().join(",")));
        }
        for (word, list) in [(SHOWS, &self.shows), (TERM, &self.terms)] {
            if !list.is_empty() {
                let value = |(vocabulary, term): &(String, String)| quoted(&format!("{vocabulary}/{term}"));
                out.push(format!("{word}:{}", list.iter().map(value).collect::<Vec<_>>().join(",")));
            }
        }
        for (field, values) in &self.values {
            out.push(format!("{}:{}", field.name(), values.iter().map(quoted).collect::<Vec<_>>().join(",")));
        }
        if let Some(only) = &self.only {
            out.push(format!("number:{}", only.iter().map(u32::to_string).collect::<Vec<_>>().join(",")));
        }
        if !self.text.is_empty() {
            out.push(self.text.clone());
        }
        out.join(" ")
    }
}

/// Splits at white space outside double quotes; the quotes stay.
fn tokens(text: &str) -> Vec<String> {
    split(text, char::is_whitespace).into_iter().filter(|t| !t.is_empty()).collect()
}

/// The values of a token: split at commas outside double quotes, without the quotes.
fn values(text: &str) -> Vec<String> {
    split(text, |c| c == ',').into_iter().map(|v| v.replace('"', "").trim().to_string()).collect()
}

fn split(text: &str, at: impl Fn(char) -> bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        match parts.last_mut() {
            Some(part) if quoted || !at(c) => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        let filter = Filter::parse("status:pending,flagged subtask:\"tv show\" type:yes-no red owl").unwrap();
        assert_eq!(filter.status, [Status::Pending, Status::Flagged]);
        assert_eq!(filter.values, [(Field::Subtask, vec!["tv show".to_string()])]);
        assert_eq!(filter.text, "red owl");
        assert_eq!(Filter::parse(&filter.words()).unwrap(), filter);
    }

    #[test]
    fn a_comma_inside_quotes_belongs_to_the_value() {
        let mut filter = Filter::default();
        filter.add(Field::Style, vec!["ink, wash".into(), "oil".into(), String::new()]);
        assert_eq!(Filter::parse(&filter.words()).unwrap(), filter);
        assert_eq!(Filter::parse("\"red owl\" style:\"\"").unwrap().text, "red owl");
    }

    #[test]
    fn stale_items_are_asked_for_by_a_word_of_their_own() {
        let filter = Filter::parse("stale:yes,gone status:accepted").unwrap();
        assert_eq!(filter.fresh, [Freshness::Stale, Freshness::Gone]);
        assert_eq!(Filter::parse(&filter.words()).unwrap(), filter);
        assert!(Filter::parse("stale:maybe").unwrap_err().help.unwrap().contains("gone"));
        assert!(!filter.is_empty());
    }

    #[test]
    fn pictures_are_asked_for_by_a_word_of_their_own() {
        let filter = Filter::parse("picture:missing,draft owl").unwrap();
        assert_eq!(filter.picture, [PictureState::Missing, PictureState::Draft]);
        assert_eq!(Filter::parse(&filter.words()).unwrap(), filter);
        assert!(Filter::parse("picture:no").unwrap_err().help.unwrap().contains("missing"));
        assert!(!filter.is_empty());
    }

    #[test]
    fn scores_and_what_rules_make_of_them_are_asked_for() {
        let filter = Filter::parse("filter:flagged,parked score:clip<25,ocr=unparsed subtask:text").unwrap();
        assert_eq!(filter.outcome, [Outcome::Flagged, Outcome::Parked]);
        assert_eq!(filter.scores.len(), 2);
        assert_eq!(Filter::parse(&filter.words()).unwrap(), filter);
        assert!(filter.asks_scores() && !filter.asks_metadata() && !filter.is_empty());
        assert!(Filter::parse("filter:maybe").unwrap_err().help.unwrap().contains("parked"));
        assert!(Filter::parse("score:clip").unwrap_err().what.contains("clip<25"));
    }

    #[test]
    fn terms_are_asked_for_by_vocabulary() {
        let text = "subject:face,animal shows:\"background/in a forest\",animal/ term:animal/fox";
        let filter = Filter::parse(text).unwrap();
        assert_eq!(filter.subjects, ["face", "animal"]);
        assert_eq!(filter.shows[0], ("background".to_string(), "in a forest".to_string()));
        assert_eq!(filter.shows[1], ("animal".to_string(), String::new()));
        assert_eq!(filter.terms, [("animal".to_string(), "fox".to_string())]);
        assert_eq!(Filter::parse(&filter.words()).unwrap(), filter);
        assert!(filter.asks_metadata() && !filter.is_empty() && !Filter::parse("fox").unwrap().asks_metadata());
        for wrong in ["term:fox", "term:animal/", "shows:fox", "term:/fox"] {
            let problem = Filter::parse(wrong).unwrap_err();
            assert!(problem.help.unwrap().contains("VOCABULARY/TERM"), "{wrong}");
        }
    }

    #[test]
    fn a_wrong_value_names_the_right_ones() {
        let problem = Filter::parse("status:done").unwrap_err();
        assert_eq!(problem.kind, Kind::Usage);
        assert!(problem.help.unwrap().contains("pending"));
    }

    #[test]
    fn a_colon_in_text_is_text() {
        assert_eq!(Filter::parse("a 3:4 frame").unwrap().text, "a 3:4 frame");
    }
}
