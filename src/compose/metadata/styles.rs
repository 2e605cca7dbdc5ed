//! `styles.toml`: the wording that each style adds to a prompt.

use serde::Deserialize;
use toml::Spanned;

use super::positions;
use super::vocabulary::{fold, invalid_reason};
use benchtop_model::{Finding, Rule};

/// Name of the file in the metadata folder.
pub const FILE: &str = "styles.toml";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Name: a term, and the answer to "What is the style of the picture?".
    pub name: String,
    /// Wording added to the prompt.
    pub prompt: String,
    /// Wording of the negative prompt.
    pub negative: String,
    /// Whether it is kept but not used.
    pub disabled: bool,
    /// Linter rules that are allowed for it.
    pub allow: Vec<Rule>,
    /// Line of its name in the file, from 1.
    pub line: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    style: Vec<RawStyle>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStyle {
    name: Spanned<String>,
    prompt: Spanned<String>,
    #[serde(default)]
    negative: Option<Spanned<String>>,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    allow: Vec<Spanned<String>>,
}

/// Parses `styles.toml`. Invalid styles are left out and reported.
pub fn parse(text: &str) -> (Vec<Style>, Vec<Finding>) {
    let raw: Raw = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => return (Vec::new(), vec![positions::toml(&error, FILE, text)]),
    };
    let mut found = Vec::new();
    let styles = raw
        .style
        .into_iter()
        .filter_map(|raw| style(raw, text, &mut found))
        .collect();
    (styles, found)
}

fn style(raw: RawStyle, text: &str, found: &mut Vec<Finding>) -> Option<Style> {
    let name = raw.name.get_ref().trim().to_string();
    let mut say = |span: std::ops::Range<usize>, what: String| {
        let finding = Finding::new(Rule::BadTerm, FILE, what).term(name.clone());
        found.push(positions::at(finding, text, span));
    };
    let mut usable = true;
    if let Some(what) = invalid_reason(&name) {
        say(raw.name.span(), what.into());
        usable = false;
    }
    for words in [Some(&raw.prompt), raw.negative.as_ref()]
        .into_iter()
        .flatten()
    {
        if words.get_ref().contains(['{', '}']) || words.get_ref().chars().any(char::is_control) {
            let what = "a style's wording cannot contain slots, line breaks, or control characters";
            say(words.span(), what.into());
            usable = false;
        }
    }
    if raw.prompt.get_ref().trim().is_empty() {
        let what = "a style needs a wording for the prompt";
        say(raw.prompt.span(), what.into());
        usable = false;
    }
    let mut allow = Vec::new();
    for rule in &raw.allow {
        match Rule::from_name(rule.get_ref()) {
            Some(rule) => allow.push(rule),
            None => say(
                rule.span(),
                format!("unknown linter rule `{}`", rule.get_ref()),
            ),
        }
    }
    let line = text.get(..raw.name.span().start);
    let line = line.map_or(0, positions::line);
    usable.then(|| Style {
        name,
        prompt: raw.prompt.into_inner().trim().to_string(),
        negative: raw
            .negative
            .map_or(String::new(), |n| n.into_inner().trim().to_string()),
        disabled: raw.disabled,
        allow,
        line,
    })
}

/// The style with this name, ignoring case.
pub fn find<'s>(styles: &'s [Style], name: &str) -> Option<&'s Style> {
    let folded = fold(name);
    styles.iter().find(|s| fold(&s.name) == folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_parse_with_lines() {
        let text = "# ours\n[[style]]\nname = \"woodcut\"\nprompt = \"bold carved lines\"\nnegative = \"photo\"\n\n\
                    [[style]]\nname = \"ink\"\nprompt = \"ink\"\ndisabled = true\nallow = [\"near-synonym\"]\n";
        let (styles, found) = parse(text);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(styles.len(), 2);
        assert_eq!((styles[0].line, styles[0].negative.as_str()), (3, "photo"));
        assert!(styles[1].disabled && styles[1].allow == [Rule::NearSynonym]);
        assert_eq!(find(&styles, "Woodcut").unwrap().name, "woodcut");
    }

    #[test]
    fn invalid_styles_are_located() {
        let text = "[[style]]\nname = \"a {b}\"\nprompt = \"x\"\n[[style]]\nname = \"ok\"\nprompt = \"a {} b\"\n\
                    [[style]]\nname = \"no\"\nprompt = \" \"\nallow = [\"all\"]\n";
        let (styles, found) = parse(text);
        assert!(styles.is_empty());
        assert_eq!(
            found.iter().map(|f| f.line).collect::<Vec<_>>(),
            [2, 6, 9, 10]
        );
        let (_, found) = parse("[[style]]\nname = \"x\"\nprompt = \"y\"\nnegativ = \"z\"\n");
        assert_eq!((found[0].rule, found[0].line), (Rule::Unreadable, 4));
        assert!(found[0].help.contains("negative"));
        let (_, found) = parse("[[style]\n");
        assert_eq!(found[0].line, 1);
    }
}
