//! Parses filters.

use super::lexer::terms;
use super::words::{FUZZY, add, usage};
use super::{Contains, Filter};
use crate::error::Result;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated_image::PictureState;
    use crate::scoring::Outcome;
    use crate::usage::Freshness;
    use crate::{ErrorKind, Field, Status};

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
        let styles = vec!["ink, wash".into(), "oil".into(), String::new()];
        filter.add(Field::Style, styles).unwrap();
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
            "rotation:1 release:v1,newest number:3,1 \"red owl\" NOT status:rejected NOT who:eve NOT \"a: b\""
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
