//! Parses filters.

use super::lexer::terms;
use super::{
    Contains, FUZZY, Field, Filter, JudgedTime, OUTCOME, PICTURE, ROTATION, SCORE, SHOWS, STALE,
    SUBJECT, TERM, TextField,
};
use crate::error::{Error, ErrorKind, Result};
use crate::generated_image::PictureState;
use crate::item::QuestionKind;
use crate::scoring::Outcome;
use crate::scoring::rules::Condition;
use crate::status::Status;
use crate::usage::Freshness;
use crate::verdict::{Seen, Verdict};

/// Words for conditions on verdicts.
const VERDICT_FIELDS: [&str; 6] = ["who", "verdict", "reason", "note", "seen", "round"];

impl Filter {
    /// Parses `status:pending subtask:animal,plant NOT type:yes-no "some words"`.
    ///
    /// Values with spaces are quoted: `subtask:"tv show"`. Anything but `field:value` is text that
    /// the item must contain. `NOT` negates the next term.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for an unknown field (with the most similar known field) or an invalid
    /// value.
    pub fn parse(text: &str) -> Result<Filter> {
        read(text, false)
    }

    /// Like [`parse`](Self::parse), but bare words are fuzzy text, for interactive search.
    pub fn parse_typed(text: &str) -> Result<Filter> {
        read(text, true)
    }
}

/// Every word that may precede a colon.
fn fields() -> impl Iterator<Item = &'static str> {
    let text = TextField::NAMED.into_iter().map(TextField::name);
    let columns = Field::ALL
        .into_iter()
        .filter(|f| TextField::from_name(f.name()).is_none())
        .map(Field::name);
    let others = [
        STALE, SUBJECT, SHOWS, TERM, PICTURE, OUTCOME, SCORE, ROTATION, FUZZY,
    ];
    columns.chain(text).chain(others).chain(VERDICT_FIELDS)
}

fn usage(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, what)
}

fn unknown_field(name: &str) -> Error {
    let lower = name.to_lowercase();
    let near = fields()
        .map(|field| (strsim::damerau_levenshtein(field, &lower), field))
        .min();
    let near = near.filter(|(distance, field)| *distance <= field.len().max(3) / 2);
    let help = match near {
        Some((_, field)) => {
            format!("did you mean `{field}:`? Quote the words to search for them as text")
        }
        None => {
            let known: Vec<&str> = fields().collect();
            format!(
                "known fields: {}. Quote the words to search for them as text",
                known.join(", ")
            )
        }
    };
    usage(format!("unknown filter field `{name}:`"))
        .field(name)
        .help(help)
}

fn read(text: &str, fuzzy: bool) -> Result<Filter> {
    let open = |column| {
        usage(format!("the quote at column {column} is not closed")).help("add a closing \"")
    };
    let mut filter = Filter::default();
    let mut words = Vec::new();
    for term in terms(text).map_err(open)? {
        let mut single = Filter::default();
        let target = if term.not { &mut single } else { &mut filter };
        match term.field.clone() {
            Some(name) if name == FUZZY && term.not => {
                return Err(usage("NOT does not support fuzzy text")
                    .field(name)
                    .help("exclude exact text: NOT \"words\""));
            }
            Some(name) if name == FUZZY => words.extend(term.values),
            Some(name) => add(target, &name, term.values)?,
            None if fuzzy && !term.quoted && !term.not => words.extend(term.values),
            None => target.contains.extend(
                term.values
                    .into_iter()
                    .filter(|v| !v.is_empty())
                    .map(Contains::any),
            ),
        }
        if !single.is_empty() {
            filter.not.push(single);
        }
    }
    filter.text = words.join(" ").trim().to_string();
    Ok(filter)
}

/// Parses the values, or reports the first invalid one with the known values.
fn named<T>(
    field: &str,
    values: &[String],
    read: impl Fn(&str) -> Option<T>,
    known: &[&'static str],
) -> Result<Vec<T>> {
    let unknown = |v: &String| usage(format!("invalid value `{v}` for `{field}`")).field(field);
    let help = || format!("use one of: {}", known.join(", "));
    values
        .iter()
        .map(|v| read(v).ok_or_else(|| unknown(v).help(help())))
        .collect()
}

fn pairs(field: &str, values: &[String]) -> Result<Vec<(String, String)>> {
    let pair = |v: &str| {
        let (vocabulary, term) = v.split_once('/')?;
        let whole = !vocabulary.is_empty() && (field == SHOWS || !term.is_empty());
        whole.then(|| (vocabulary.to_string(), term.to_string()))
    };
    let wrong = |v: &String| {
        let help = format!("use {field}:VOCABULARY/TERM, such as {field}:animal/fox");
        usage(format!("invalid value `{v}` for `{field}`"))
            .field(field)
            .help(help)
    };
    values
        .iter()
        .map(|v| pair(v).ok_or_else(|| wrong(v)))
        .collect()
}

/// Adds `name:values` to `filter`.
fn add(filter: &mut Filter, name: &str, values: Vec<String>) -> Result<()> {
    let empty = || usage("missing value after the colon").field(name);
    if let Some(field) = TextField::from_name(name) {
        if values.iter().any(String::is_empty) {
            return Err(empty().help(format!(
                "{name}:TEXT finds items whose {name} contains the text"
            )));
        }
        filter.contains.push(Contains {
            field,
            needles: values,
        });
        return Ok(());
    }
    match name {
        PICTURE => {
            let known = PictureState::ALL.map(PictureState::name);
            filter
                .picture
                .extend(named(name, &values, PictureState::from_name, &known)?);
        }
        OUTCOME => filter.outcome.extend(named(
            name,
            &values,
            Outcome::from_name,
            &Outcome::ALL.map(Outcome::name),
        )?),
        STALE => filter.fresh.extend(named(
            name,
            &values,
            Freshness::from_name,
            &Freshness::ALL.map(Freshness::name),
        )?),
        "verdict" => {
            let known = Verdict::ALL.map(Verdict::name);
            filter
                .verdicts
                .verdict
                .extend(named(name, &values, Verdict::from_name, &known)?);
        }
        "seen" => filter.verdicts.seen.extend(named(
            name,
            &values,
            Seen::from_name,
            &Seen::ALL.map(Seen::name),
        )?),
        "who" if values.iter().any(String::is_empty) => {
            return Err(empty().help("use who:ANNOTATOR, such as who:ann"));
        }
        "who" => filter.verdicts.who.extend(values),
        "reason" => filter.verdicts.reason.extend(values),
        "note" => filter.verdicts.note.extend(values),
        "round" => filter.verdicts.round.extend(values),
        ROTATION => filter.rotation.extend(values),
        SUBJECT => filter.subjects.extend(values),
        SHOWS => filter.shows.extend(pairs(name, &values)?),
        TERM => filter.terms.extend(pairs(name, &values)?),
        SCORE => {
            for value in &values {
                filter
                    .scores
                    .push(Condition::parse(value).map_err(|what| usage(what).field(name))?);
            }
        }
        _ => column(filter, name, values)?,
    }
    Ok(())
}

fn column(filter: &mut Filter, name: &str, values: Vec<String>) -> Result<()> {
    match Field::from_name(name).ok_or_else(|| unknown_field(name))? {
        Field::Status => filter.status.extend(named(
            name,
            &values,
            Status::from_name,
            &Status::ALL.map(Status::name),
        )?),
        Field::Type => {
            filter.kind.extend(named(
                name,
                &values,
                QuestionKind::from_name,
                &QuestionKind::ALL.map(QuestionKind::name),
            )?);
        }
        Field::Judged => {
            let known = [
                "yes",
                "no",
                "2026-11-20",
                "<2026-11-20",
                ">=2026-11-20",
                "2026-11-01..2026-11-20",
            ];
            filter
                .judged
                .extend(named(name, &values, JudgedTime::parse, &known)?);
        }
        Field::Number => {
            let numbers = named(
                name,
                &values,
                |v| v.parse::<u32>().ok(),
                &["whole numbers from 1"],
            )?;
            let only = filter.only.get_or_insert_default();
            only.extend(numbers);
            only.sort_unstable();
            only.dedup();
        }
        field => filter.add(field, values),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn words_round_trip() {
        let words = "status:pending,flagged subtask:\"tv show\" type:yes-no red owl";
        let filter = Filter::parse_typed(words).unwrap();
        assert_eq!(filter.status, [Status::Pending, Status::Flagged]);
        assert_eq!(
            filter.values,
            [(Field::Subtask, vec!["tv show".to_string()])]
        );
        assert_eq!(filter.text, "red owl");
        assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
        assert_eq!(Filter::parse_typed(&filter.to_text()).unwrap(), filter);
        assert_eq!(
            Filter::parse_typed(&filter.to_typed_text()).unwrap(),
            filter
        );
        assert_eq!(filter.exact(), Filter::parse(words).unwrap());
    }

    #[test]
    fn quoted_comma_belongs_to_the_value() {
        let mut filter = Filter::default();
        filter.add(
            Field::Style,
            vec!["ink, wash".into(), "oil".into(), String::new()],
        );
        assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
        assert_eq!(
            Filter::parse("\"red owl\" style:\"\"").unwrap().contains,
            [Contains::any("red owl".into())]
        );
    }

    #[test]
    fn stale_word_parses() {
        let filter = Filter::parse("stale:yes,gone status:accepted").unwrap();
        assert_eq!(filter.fresh, [Freshness::Stale, Freshness::Gone]);
        assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
        assert!(
            Filter::parse("stale:maybe")
                .unwrap_err()
                .help
                .unwrap()
                .contains("gone")
        );
        assert!(!filter.is_empty());
    }

    #[test]
    fn picture_word_parses() {
        let filter = Filter::parse("picture:missing,draft owl").unwrap();
        assert_eq!(filter.picture, [PictureState::Missing, PictureState::Draft]);
        assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
        assert!(
            Filter::parse("picture:no")
                .unwrap_err()
                .help
                .unwrap()
                .contains("missing")
        );
        assert!(!filter.is_empty());
    }

    #[test]
    fn score_and_outcome_words_parse() {
        let filter =
            Filter::parse("filter:flagged,parked score:clip<25,ocr=unparsed subtask:text").unwrap();
        assert_eq!(filter.outcome, [Outcome::Flagged, Outcome::Parked]);
        assert_eq!(filter.scores.len(), 2);
        assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
        assert!(filter.asks_scores() && !filter.asks_metadata() && !filter.is_empty());
        assert!(
            Filter::parse("filter:maybe")
                .unwrap_err()
                .help
                .unwrap()
                .contains("parked")
        );
        assert!(
            Filter::parse("score:clip")
                .unwrap_err()
                .what
                .contains("clip<25")
        );
    }

    #[test]
    fn term_words_parse() {
        let text = "subject:face,animal shows:\"background/in a forest\",animal/ term:animal/fox";
        let filter = Filter::parse(text).unwrap();
        assert_eq!(filter.subjects, ["face", "animal"]);
        assert_eq!(
            filter.shows[0],
            ("background".to_string(), "in a forest".to_string())
        );
        assert_eq!(filter.shows[1], ("animal".to_string(), String::new()));
        assert_eq!(filter.terms, [("animal".to_string(), "fox".to_string())]);
        assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
        assert!(
            filter.asks_metadata()
                && !filter.is_empty()
                && !Filter::parse("fox").unwrap().asks_metadata()
        );
        for wrong in ["term:fox", "term:animal/", "shows:fox", "term:/fox"] {
            let problem = Filter::parse(wrong).unwrap_err();
            assert!(problem.help.unwrap().contains("VOCABULARY/TERM"), "{wrong}");
        }
    }

    #[test]
    fn invalid_value_lists_known_values() {
        let problem = Filter::parse("status:done").unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Usage);
        assert!(problem.help.unwrap().contains("pending"));
    }

    #[test]
    fn colon_in_text_is_text() {
        assert_eq!(
            Filter::parse_typed("a 3:4 frame").unwrap().text,
            "a 3:4 frame"
        );
    }

    #[test]
    fn misspelled_field_suggests_the_nearest() {
        for (wrong, near) in [
            ("quesion:hearts", "question:"),
            ("Status:pending", "status:"),
            ("judge:yes", "judged:"),
            ("NOT subtsk:x", "subtask:"),
        ] {
            for read in [Filter::parse, Filter::parse_typed] {
                let problem = read(wrong).unwrap_err();
                assert_eq!(problem.kind, ErrorKind::Usage);
                assert!(problem.help.unwrap().contains(near), "{wrong}");
            }
        }
        assert!(Filter::parse("http://x.y").is_err());
        assert_eq!(
            Filter::parse("\"http://x.y\"").unwrap().contains,
            [Contains::any("http://x.y".into())]
        );
    }

    #[test]
    fn every_field_and_its_negation_round_trip() {
        let text = concat!(
            "id:count question:\"how many\",hearts prompt:pink option:3 answer:\"a \\\"b\\\" c\" judged:no,>=2026-11-01 ",
            "who:ann,bob verdict:reject reason:unsafe,\"\" note:\"too dark\" seen:unconfirmed round:pass-1 ",
            "rotation:1 number:3,1 \"red owl\" NOT status:rejected NOT who:eve NOT \"a: b\""
        );
        let filter = Filter::parse(text).unwrap();
        assert_eq!(filter.contains.len(), 6);
        assert_eq!(filter.contains[4].needles, ["a \"b\" c"]);
        assert_eq!(filter.not.len(), 3);
        assert!(filter.asks_verdicts() && !filter.asks_scores());
        assert_eq!(Filter::parse(&filter.to_text()).unwrap(), filter);
        assert_eq!(Filter::parse_typed(&filter.to_text()).unwrap(), filter);
        assert!(
            Filter::parse("NOT who:eve").unwrap().asks_verdicts(),
            "negated conditions count too"
        );
        for wrong in [
            "question:",
            "who:\"\"",
            "judged:soon",
            "seen:no",
            "\"open",
            "NOT fuzzy:x",
            "id:a,",
        ] {
            assert_eq!(
                Filter::parse(wrong).unwrap_err().kind,
                ErrorKind::Usage,
                "{wrong}"
            );
        }
    }
}
