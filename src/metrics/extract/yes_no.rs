//! Reads yes or no leniently.

use super::extractor::Extractor;
use super::question_parts::Asked;
use super::reading::Read;
use super::text::{places, same};

pub(super) fn read(asked: &Asked, output: &str, judge: Option<&str>) -> Read {
    let word = word(output).or_else(|| word(judge?));
    let Some(yes) = word else {
        return Read::Unparsed;
    };
    // Options that mean yes and no (or true and false).
    let texts: [&str; 2] = if yes {
        ["yes", "true"]
    } else {
        ["no", "false"]
    };
    match asked
        .options
        .iter()
        .position(|o| texts.iter().any(|t| same(t, o.text.trim())))
    {
        Some(at) => Read::Option(at),
        None if yes => Read::Yes,
        None => Read::No,
    }
}

/// The first word if it is yes or no, otherwise the only one of the two in the text.
fn word(text: &str) -> Option<bool> {
    let first = text
        .split(|c: char| !c.is_alphanumeric())
        .find(|w| !w.is_empty())?;
    if same(first, "yes") || same(first, "no") {
        return Some(same(first, "yes"));
    }
    match (places(text, "yes").next(), places(text, "no").next()) {
        (Some(_), None) => Some(true),
        (None, Some(_)) => Some(false),
        _ => None,
    }
}

pub(super) fn trace(asked: &Asked, output: &str, judge: Option<&str>) -> String {
    let name = Extractor::YesNo.name();
    let by = match (word(output), judge) {
        (Some(_), _) => "the first word, else the only one of yes and no in it".to_string(),
        (None, Some(judge)) => {
            format!("no single yes or no in it; the stored judge said `{judge}`")
        }
        (None, None) => "no single yes or no in it, no judge asked".to_string(),
    };
    match read(asked, output, judge) {
        Read::Unparsed => format!("{name}: {by}; not readable"),
        read => format!(
            "{name}: {by}; read as `{}`",
            read.answer().unwrap_or_default()
        ),
    }
}
