//! Reads the first `[[X]]`.

use super::extractor::Extractor;
use super::reading::Read;

pub(super) fn read(output: &str) -> Read {
    match content(output).map(str::as_bytes) {
        Some([letter]) if letter.is_ascii_uppercase() => Read::Option(super::text::index(*letter)),
        _ => Read::Unparsed,
    }
}

fn content(output: &str) -> Option<&str> {
    let rest = &output[output.find("[[")? + 2..];
    Some(&rest[..rest.find("]]")?])
}

pub(super) fn trace(output: &str) -> String {
    let name = Extractor::FirstBracket.name();
    match (content(output), read(output).answer()) {
        (Some(_), Some(letter)) => {
            format!("{name}: the first double bracket is `[[{letter}]]`; read as `{letter}`")
        }
        (Some(content), None) => {
            let short: String = content.chars().take(40).collect();
            format!(
                "{name}: the first double bracket holds `{short}`, not one capital letter; not readable"
            )
        }
        (None, _) => format!("{name}: no double bracket; not readable"),
    }
}
