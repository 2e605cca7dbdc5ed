//! Splits a filter into terms.

/// One term: `NOT field:value,"other value"` or a bare word.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Term {
    /// Whether `NOT` precedes it.
    pub(super) not: bool,
    /// The text before the first colon outside quotes.
    pub(super) field: Option<String>,
    /// The comma-separated values. A bare word is a single value and keeps its commas.
    pub(super) values: Vec<String>,
    /// Whether the first value is quoted.
    pub(super) quoted: bool,
}

/// The terms of `text`, or the column (from 1) of an unclosed quote.
///
/// Inside double quotes, `\"` is a quote and `\\` a backslash.
pub(super) fn terms(text: &str) -> Result<Vec<Term>, usize> {
    let mut terms: Vec<Term> = Vec::new();
    let mut not = false;
    for raw in raw_terms(text)? {
        if raw == "NOT" {
            not = true;
            continue;
        }
        let mut term = term(raw);
        term.not = std::mem::take(&mut not);
        terms.push(term);
    }
    if not {
        // A trailing NOT is an ordinary word.
        terms.push(Term {
            values: vec!["NOT".into()],
            ..Term::default()
        });
    }
    Ok(terms)
}

/// Splits at whitespace outside quotes.
fn raw_terms(text: &str) -> Result<Vec<&str>, usize> {
    let (mut out, mut start, mut opened, mut escaped) = (Vec::new(), None, None, false);
    for (column, (at, c)) in text.char_indices().enumerate() {
        match c {
            _ if escaped => escaped = false,
            '\\' if opened.is_some() => escaped = true,
            '"' => {
                opened = if opened.is_some() {
                    None
                } else {
                    Some(column + 1)
                }
            }
            _ => {}
        }
        if c.is_whitespace() && opened.is_none() {
            out.extend(start.take().map(|start: usize| &text[start..at]));
        } else {
            start.get_or_insert(at);
        }
    }
    out.extend(start.map(|start| &text[start..]));
    opened.map_or(Ok(out), Err)
}

fn term(raw: &str) -> Term {
    let field = raw.split_once(':').filter(|(name, _)| is_field(name));
    let (name, rest) = field.map_or((None, raw), |(name, rest)| (Some(name.to_string()), rest));
    let mut values = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in rest.chars() {
        if escaped || (quoted && c == '\\') {
            escaped = !escaped;
            if escaped {
                continue;
            }
        } else if c == '"' {
            quoted = !quoted;
            continue;
        } else if c == ',' && !quoted && name.is_some() {
            values.push(String::new());
            continue;
        }
        if let Some(value) = values.last_mut() {
            value.push(c);
        }
    }
    let values = values
        .into_iter()
        .map(|v| {
            if name.is_some() {
                v.trim().to_string()
            } else {
                v
            }
        })
        .collect();
    Term {
        not: false,
        field: name,
        values,
        quoted: rest.starts_with('"'),
    }
}

/// Whether `name` looks like a field name. `3:4` does not, so it is text; a misspelled field does,
/// so it is an error.
fn is_field(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
    !name.is_empty()
        && name.chars().all(letter)
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Quotes `value` if it would not parse back as one value otherwise.
pub(super) fn quote(value: &str) -> String {
    let special = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '\\' | ':');
    if value.is_empty() || value.contains(special) || value == "NOT" {
        quoted(value)
    } else {
        value.to_string()
    }
}

pub(super) fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
