//! The words of filters besides the fields that are names or texts: one row each.

use super::lexer::quote;
use super::{Filter, JudgedTime, TextField};
use crate::comment::Commented;
use crate::error::{Error, Result};
use crate::field::{Field, Source};
use crate::generated_image::PictureState;
use crate::item::QuestionKind;
use crate::scoring::Outcome;
use crate::scoring::rules::Condition;
use crate::status::Status;
use crate::usage::Freshness;
use crate::verdict::{Seen, Verdict};

/// A word before a colon.
pub struct Word {
    pub name: &'static str,
    /// Rows of the reference in `docs/cli.md`: an example, and what it matches.
    pub reference: &'static [[&'static str; 2]],
    /// Adds the values to a filter.
    pub(super) add: fn(&mut Filter, &'static str, Vec<String>) -> Result<()>,
    /// The values of a filter as text; `None` without any.
    pub(super) text: fn(&Filter) -> Option<String>,
}

/// Filter word for fuzzy search, which also ranks: `fuzzy:herts`.
pub(super) const FUZZY: &str = "fuzzy";

/// One of the known values of a type.
macro_rules! choice {
    ($name:expr, $kind:ty, $($list:ident).+, $reference:expr) => {
        Word {
            name: $name,
            reference: $reference,
            add: |filter, name, values| {
                let known = <$kind>::ALL.map(<$kind>::name);
                let read = named(name, &values, <$kind>::from_name, &known)?;
                filter.$($list).+.extend(read);
                Ok(())
            },
            text: |filter| joined(filter.$($list).+.iter().map(|value| value.name().to_string())),
        }
    };
}

/// Any text.
macro_rules! text {
    ($name:expr, $($list:ident).+, $reference:expr) => {
        Word {
            name: $name,
            reference: $reference,
            add: |filter, _, values| {
                filter.$($list).+.extend(values);
                Ok(())
            },
            text: |filter| values_text(&filter.$($list).+),
        }
    };
}

/// Vocabularies and terms.
macro_rules! terms {
    ($name:expr, $list:ident, $may_be_empty:literal, $reference:expr) => {
        Word {
            name: $name,
            reference: $reference,
            add: |filter, name, values| {
                filter.$list.extend(pairs(name, &values, $may_be_empty)?);
                Ok(())
            },
            text: |filter| {
                let pairs = filter.$list.iter().map(|(v, t)| format!("{v}/{t}"));
                values_text(&pairs.collect::<Vec<_>>())
            },
        }
    };
}

const VERDICT: &str = "items with one verdict that counts and meets all conditions of this kind. An empty value of `reason`, `tag`, `note`, or `round` matches verdicts without one";

/// The words, in the order in which a filter is written.
pub const WORDS: &[Word] = &[
    choice!(Field::Status.name(), Status, status, &[]),
    choice!(Field::Type.name(), QuestionKind, kind, &[]),
    choice!(
        "stale",
        Freshness,
        fresh,
        &[
            [
                "stale:yes",
                "composed items whose templates or style wording changed since, and derived items whose source changed"
            ],
            [
                "stale:gone",
                "composed items with a term, subject, or subtask that no longer exists"
            ],
            ["stale:no", "all other items"],
        ]
    ),
    choice!(
        "picture",
        PictureState,
        picture,
        &[
            ["picture:yes", "items with a picture"],
            ["picture:none", "items that ask about no picture"],
            [
                "picture:missing",
                "items without their picture, with a deleted file, or with a picture that was made from another prompt",
            ],
            ["picture:draft", "items that show a draft"],
            [
                "picture:broken",
                "items with a picture that cannot be shown: import found it unreadable, or its bytes no longer match the recorded hash",
            ],
            [
                "picture:unreadable",
                "only those that import found unreadable"
            ],
        ]
    ),
    choice!(
        "filter",
        Outcome,
        outcome,
        &[[
            "filter:flagged",
            "items by the outcome of the [rules](filters.md): `flagged`, `parked`, or `kept`"
        ]]
    ),
    Word {
        name: "score",
        reference: &[[
            "score:clip<25",
            "items by a score; also `score:safety>0` and `score:ocr=unparsed`. Several scores must all match",
        ]],
        add: |filter, name, values| {
            let read =
                |value: &String| Condition::parse(value).map_err(|what| usage(what).field(name));
            let read: Result<Vec<Condition>> = values.iter().map(read).collect();
            filter.scores.extend(read?);
            Ok(())
        },
        text: |filter| joined(filter.scores.iter().map(Condition::to_filter_text)),
    },
    choice!(
        "verdict",
        Verdict,
        verdicts.verdict,
        &[["verdict:reject", VERDICT]]
    ),
    choice!(
        "seen",
        Seen,
        verdicts.seen,
        &[[
            "seen:unconfirmed",
            "the same by what was shown: `painted`, `partly` (a picture of the item was not shown), `unconfirmed`, or `script`",
        ]]
    ),
    Word {
        name: Field::Judged.name(),
        reference: &[],
        add: |filter, name, values| {
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
            Ok(())
        },
        text: |filter| joined(filter.judged.iter().map(|judged| judged.text.clone())),
    },
    Word {
        name: "who",
        reference: &[["who:ann", "the same by annotator"]],
        add: |filter, name, values| {
            if values.iter().any(String::is_empty) {
                return Err(missing(name).help("use who:ANNOTATOR, such as who:ann"));
            }
            filter.verdicts.who.extend(values);
            Ok(())
        },
        text: |filter| values_text(&filter.verdicts.who),
    },
    text!(
        "reason",
        verdicts.reason,
        &[[
            "reason:unsafe",
            "the same by reason; `reason:anatomy` also matches `anatomy/hands`"
        ]]
    ),
    text!(
        "tag",
        verdicts.tag,
        &[["tag:night", "the same by tag, with the tags below it"]]
    ),
    text!(
        "note",
        verdicts.note,
        &[["note:\"too dark\"", "the same by a text in the note"]]
    ),
    text!(
        "round",
        verdicts.round,
        &[["round:pass-1", "the same by round"]]
    ),
    choice!(Field::Comments.name(), Commented, comments.state, &[]),
    text!(
        "comment",
        comments.text,
        &[[
            "comment:hands",
            "items with a comment that contains the value. An empty value matches items without comments"
        ]]
    ),
    text!(
        "mark",
        comments.mark,
        &[[
            "mark:hand",
            "items with a mark on a picture whose label contains the value, in a comment or a verdict that counts. An empty value matches items without marks"
        ]]
    ),
    text!(
        "error",
        comments.errors.label,
        &[[
            "error:reasoning",
            "items with an error label on a model's answer; `error:reasoning` also matches `reasoning/counting`. An empty value matches items without labels"
        ]]
    ),
    text!(
        "error-of",
        comments.errors.model,
        &[[
            "error-of:model-a",
            "the same by model; together with `error:`, one label must match both"
        ]]
    ),
    text!(
        "subject",
        subjects,
        &[["subject:face", "items composed of this subject"]]
    ),
    terms!(
        "shows",
        shows,
        true,
        &[[
            "shows:animal/fox",
            "items whose picture shows the term `fox` of the vocabulary `animal`. The first picture of a pair counts. `shows:animal/` matches pictures without a term of the vocabulary",
        ]]
    ),
    terms!(
        "term",
        terms,
        false,
        &[[
            "term:animal/fox",
            "items with the term in any picture or statement. Terms of one vocabulary are alternatives"
        ]]
    ),
    text!(
        "rotation",
        rotation,
        &[[
            "rotation:1",
            "rotations of a question: a position from 1, the name of the set, or `none`"
        ]]
    ),
    text!(
        "release",
        releases,
        &[[
            "release:v1",
            "items in the release of this name; `newest` is the newest one"
        ]]
    ),
];

/// Every word that may precede a colon.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let is_word = |name: &str| WORDS.iter().any(|word| word.name == name);
    let text = || TextField::words().map(TextField::name);
    let fields = Field::ALL.into_iter().map(Field::name);
    fields
        .filter(move |name| !is_word(name) && !text().any(|text| text == *name))
        .chain(text())
        .chain(WORDS.iter().map(|word| word.name))
        .chain([FUZZY])
}

/// Adds `name:values` to a filter.
pub(super) fn add(filter: &mut Filter, name: &str, values: Vec<String>) -> Result<()> {
    if let Some(word) = WORDS.iter().find(|word| word.name == name) {
        return (word.add)(filter, word.name, values);
    }
    if let Some(field) = TextField::words().find(|field| field.name() == name) {
        if values.iter().any(String::is_empty) {
            return Err(missing(name).help(format!(
                "{name}:TEXT finds items whose {name} contains the text"
            )));
        }
        filter.contains.push(super::Contains {
            field,
            needles: values,
        });
        return Ok(());
    }
    let field = Field::from_name(name).ok_or_else(|| unknown(name))?;
    if matches!(field.row().source, Source::Number) {
        let read = |v: &str| v.parse::<u32>().ok();
        let numbers = named(name, &values, read, &["whole numbers from 1"])?;
        let only = filter.only.get_or_insert_default();
        only.extend(numbers);
        only.sort_unstable();
        only.dedup();
    } else {
        filter.add_names(field, values);
    }
    Ok(())
}

pub(super) fn usage(what: impl Into<String>) -> Error {
    Error::usage(what)
}

fn missing(name: &str) -> Error {
    usage("missing value after the colon").field(name)
}

fn unknown(name: &str) -> Error {
    let lower = name.to_lowercase();
    let near = names()
        .map(|field| (strsim::damerau_levenshtein(field, &lower), field))
        .min();
    let near = near.filter(|(distance, field)| *distance <= field.len().max(3) / 2);
    let help = match near {
        Some((_, field)) => {
            format!("did you mean `{field}:`? Quote the words to search for them as text")
        }
        None => {
            let known: Vec<&str> = names().collect();
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

/// Parses the values, or reports the first invalid one with the known values.
fn named<T>(
    field: &str,
    values: &[String],
    read: impl Fn(&str) -> Option<T>,
    known: &[&'static str],
) -> Result<Vec<T>> {
    let unknown = |v: &String| {
        usage(format!("invalid value `{v}` for `{field}`"))
            .field(field)
            .help(format!("use one of: {}", known.join(", ")))
    };
    values
        .iter()
        .map(|v| read(v).ok_or_else(|| unknown(v)))
        .collect()
}

fn pairs(field: &str, values: &[String], may_be_empty: bool) -> Result<Vec<(String, String)>> {
    let pair = |v: &str| {
        let (vocabulary, term) = v.split_once('/')?;
        let whole = !vocabulary.is_empty() && (may_be_empty || !term.is_empty());
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

fn joined(values: impl Iterator<Item = String>) -> Option<String> {
    let values: Vec<String> = values.collect();
    (!values.is_empty()).then(|| values.join(","))
}

/// Values as text, quoted where needed. A single empty value needs no quotes.
pub(super) fn values_text(values: &[String]) -> Option<String> {
    match values {
        [value] if value.is_empty() => Some(String::new()),
        _ => joined(values.iter().map(|value| quote(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference of fields and words, in Markdown.
    fn reference() -> String {
        let mut out = "| field | is |\n|---|---|\n".to_string();
        for field in Field::ALL.map(Field::row) {
            out += &format!("| `{}` | {} |\n", field.name, field.help.trim());
        }
        out += "\n| word | matches |\n|---|---|\n";
        for field in TextField::words().map(TextField::name) {
            if Field::from_name(field).is_none() {
                out += &format!("| `{field}:red` | items whose {field} contains the value |\n");
            }
        }
        for [example, matches] in WORDS.iter().flat_map(|word| word.reference) {
            out += &format!("| `{example}` | {matches} |\n");
        }
        out + &format!("| `{FUZZY}:herts` | items that match fuzzily, best match first |\n")
    }

    #[test]
    fn the_page_of_commands_lists_fields_and_words() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once("| field | is |").unwrap();
        let (_, words) = rest.split_once("| word | matches |").unwrap();
        let (_, after) = words.split_once("\n\n").unwrap();
        let made = format!("{before}{}\n{after}", reference());
        let bless = std::env::var_os("BENCHTOP_BLESS").is_some();
        if bless {
            std::fs::write(&path, &made).unwrap();
        }
        assert!(
            bless || page == made,
            "docs/cli.md is out of date; run BENCHTOP_BLESS=1 cargo test -p benchtop-model page_of_commands"
        );
    }

    #[test]
    fn every_field_adds_what_its_word_does() {
        for (field, value) in Field::ALL.map(|field| {
            let value = match field.row().source {
                Source::Number => "7",
                Source::Status => "accepted",
                Source::Type => "yes-no",
                Source::Judged | Source::Comments => "no",
                Source::Name(_) | Source::Names(_) | Source::Text(_) => "a/b",
            };
            (field, value)
        }) {
            let mut added = Filter::default();
            added.add(field, vec![value.into()]).unwrap();
            let typed = Filter::parse(&format!("{}:{value}", field.name())).unwrap();
            assert_eq!(added, typed, "{}", field.name());
            assert!(!added.is_empty(), "{}", field.name());
            assert_eq!(Filter::parse(&added.to_text()).unwrap(), added);
        }
        let wrong = Filter::default().add(Field::Status, vec!["good".into()]);
        assert_eq!(wrong.unwrap_err().place.field.as_deref(), Some("status"));
    }

    #[test]
    fn every_word_reads_its_own_example() {
        for word in WORDS {
            for [example, _] in word.reference {
                let filter = Filter::parse(example).unwrap();
                assert_eq!(filter.to_text(), *example);
                assert!(example.starts_with(&format!("{}:", word.name)));
            }
        }
    }
}
