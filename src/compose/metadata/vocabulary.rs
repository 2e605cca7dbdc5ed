//! A vocabulary: a text file with one term per line. Edits keep all other lines unchanged.
//!
//! `# ...` is a comment, and `#- term` is a disabled term. A `#` after a blank starts a comment
//! too; `# allow: homonym, collision` silences these linter rules for the term.

use super::rules::printable;
use benchtop_model::{Error, Finding, Result, Rule};

/// Maximum length of a term in characters.
pub const TERM_CHARS: usize = 200;
/// Prefix of a line with a disabled term.
const DISABLED: &str = "#- ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The term without leading and trailing blanks.
    pub text: String,
    /// Line of the file, from 1.
    pub line: u32,
    /// Whether it is kept but not used.
    pub disabled: bool,
    /// Linter rules that are allowed for it.
    pub allow: Vec<Rule>,
}

/// A vocabulary, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    name: String,
    lines: Vec<String>,
    terms: Vec<Term>,
    /// Whether the last line ends in a newline.
    ended: bool,
}

/// Why a text cannot be a term; `None` if it can.
pub fn invalid_reason(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        Some("a term must not be empty")
    } else if text.contains(['{', '}']) {
        Some("a term cannot contain a slot or a brace")
    } else if text.contains(['\n', '\r']) {
        Some("a term must be a single line")
    } else if text.chars().any(char::is_control) {
        Some("a term cannot contain control characters")
    } else if text.starts_with('#') || text.contains(" #") || text.contains("\t#") {
        Some("a `#` at the start or after a blank starts a comment")
    } else if text.chars().count() > TERM_CHARS {
        Some("a term cannot have more than 200 characters")
    } else {
        None
    }
}

/// The key for comparing terms, which ignores case.
pub fn fold(term: &str) -> String {
    term.to_lowercase()
}

/// A line with a term: whether it is disabled, the term with its blanks, and the trailing comment.
fn split(line: &str) -> Option<(bool, &str, &str)> {
    let line = line.trim_start_matches('\u{feff}');
    let (disabled, rest) = match line.trim_start().strip_prefix(DISABLED) {
        Some(rest) if rest.trim().is_empty() => return None,
        Some(rest) => (true, rest),
        None if line.trim_start().starts_with('#') || line.trim().is_empty() => return None,
        None => (false, line),
    };
    let comment = rest
        .char_indices()
        .zip(rest.chars().skip(1))
        .find(|((_, c), next)| c.is_whitespace() && *next == '#');
    // The blanks before a comment belong to the comment.
    let (term, comment) = match comment {
        Some(((at, _), _)) => rest.split_at(rest[..at].trim_end().len()),
        None => (rest, ""),
    };
    Some((disabled, term, comment))
}

fn allowed(comment: &str) -> (Vec<Rule>, Vec<String>) {
    let list = comment.split_once("allow:").map_or("", |(_, list)| list);
    let mut unknown = Vec::new();
    let mut rules = Vec::new();
    for name in list.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        match Rule::from_name(name) {
            Some(rule) => rules.push(rule),
            None => unknown.push(name.to_string()),
        }
    }
    (rules, unknown)
}

impl Vocabulary {
    /// Parses the vocabulary `name`. `file` names the file in findings. Invalid terms are left out
    /// and reported.
    pub fn parse(name: &str, file: &str, text: &str) -> (Vocabulary, Vec<Finding>) {
        let mut vocabulary = Vocabulary {
            name: name.into(),
            ended: text.is_empty(),
            ..Vocabulary::default()
        };
        if !text.is_empty() {
            vocabulary.lines = text.split('\n').map(String::from).collect();
            vocabulary.ended = vocabulary.lines.last().is_some_and(String::is_empty);
            if vocabulary.ended {
                vocabulary.lines.pop();
            }
        }
        let found = vocabulary.read(file);
        (vocabulary, found)
    }

    /// Extracts the terms from the lines.
    fn read(&mut self, file: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        self.terms.clear();
        for (at, raw) in self.lines.iter().enumerate() {
            let line = at as u32 + 1;
            let Some((disabled, wide, comment)) = split(raw) else {
                continue;
            };
            let text = wide.trim();
            let bare = comment.is_empty() && !disabled;
            if raw.starts_with('\u{feff}') || raw.ends_with('\r') || (bare && wide != text) {
                found.push(
                    Finding::new(Rule::StrayBlank, file, "leading or trailing blanks, a carriage return, or a byte order mark")
                        .line(line)
                        .term(text)
                        .help("they are not part of the term; run `benchtop vocab check --fix` to remove them"),
                );
            }
            if let Some(what) = invalid_reason(text) {
                found.push(
                    Finding::new(Rule::BadTerm, file, what)
                        .line(line)
                        .term(printable(text)),
                );
                continue;
            }
            let (allow, unknown) = allowed(comment);
            for name in unknown {
                found.push(
                    Finding::new(Rule::BadTerm, file, format!("unknown linter rule `{name}`"))
                        .line(line)
                        .term(text)
                        .help("run `benchtop lint --rules` to list them"),
                );
            }
            self.terms.push(Term {
                text: text.to_string(),
                line,
                disabled,
                allow,
            });
        }
        found
    }

    /// Name of the file without folder and extension, which is also the slot name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its terms in file order, including disabled ones.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The enabled terms.
    pub fn enabled(&self) -> impl Iterator<Item = &str> {
        self.terms
            .iter()
            .filter(|t| !t.disabled)
            .map(|t| t.text.as_str())
    }

    /// The contents of the file.
    pub fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        if self.ended && !self.lines.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The contents with LF line endings and without leading and trailing blanks.
    pub fn tidy(&self) -> String {
        let tidy = |raw: &String| {
            let raw = raw.trim_start_matches('\u{feff}');
            match split(raw) {
                None => raw.trim_end().to_string(),
                Some((false, term, "")) => term.trim().to_string(),
                Some(_) => raw.trim().to_string(),
            }
        };
        self.lines.iter().map(|l| tidy(l) + "\n").collect()
    }

    /// Inserts a term before position `at` of [`terms`](Self::terms), or at the end.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if it is not a valid term or already exists. Nothing
    /// changes then.
    pub fn insert(&mut self, at: usize, text: &str) -> Result<()> {
        let text = self.check(text, None)?;
        let line = match self.terms.get(at) {
            Some(term) => term.line as usize - 1,
            None => self
                .terms
                .last()
                .map_or(self.lines.len(), |t| t.line as usize),
        };
        self.lines.insert(line, text);
        self.ended = true;
        self.read("");
        Ok(())
    }

    /// Renames the term at position `at`. Its trailing comment stays.
    ///
    /// # Errors
    /// As [`insert`](Self::insert), and if there is no such term.
    pub fn rename(&mut self, at: usize, text: &str) -> Result<()> {
        let text = self.check(text, Some(at))?;
        let (line, disabled) = self.place(at)?;
        let comment =
            split(&self.lines[line]).map_or(String::new(), |(_, _, comment)| comment.to_string());
        self.lines[line] = format!(
            "{}{text}{}",
            if disabled { DISABLED } else { "" },
            comment.trim_end()
        );
        self.read("");
        Ok(())
    }

    /// Disables or enables the term at position `at`.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if there is no such term.
    pub fn set_disabled(&mut self, at: usize, disabled: bool) -> Result<()> {
        let (line, was) = self.place(at)?;
        if was != disabled {
            let Some((_, term, comment)) = split(&self.lines[line]) else {
                return Ok(());
            };
            let (term, comment) = (term.trim().to_string(), comment.trim_end().to_string());
            self.lines[line] = format!("{}{term}{comment}", if disabled { DISABLED } else { "" });
            self.read("");
        }
        Ok(())
    }

    /// Removes the term at position `at` with its line.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if there is no such term.
    pub fn remove(&mut self, at: usize) -> Result<()> {
        let (line, _) = self.place(at)?;
        self.lines.remove(line);
        self.read("");
        Ok(())
    }

    /// Moves the term at position `from` to position `to`, or to the end. Comment lines stay in
    /// place.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if there is no such term.
    pub fn move_term(&mut self, from: usize, to: usize) -> Result<()> {
        let (line, _) = self.place(from)?;
        let to = to.min(self.terms.len() - 1);
        let target = self.terms[to].line as usize - 1;
        let moved = self.lines.remove(line);
        self.lines.insert(target, moved);
        self.read("");
        Ok(())
    }

    fn place(&self, at: usize) -> Result<(usize, bool)> {
        let term = self.terms.get(at);
        let term =
            term.ok_or_else(|| Error::input(format!("{} has no term {}", self.name, at + 1)))?;
        Ok((term.line as usize - 1, term.disabled))
    }

    fn check(&self, text: &str, but: Option<usize>) -> Result<String> {
        let text = text.trim();
        if let Some(what) = invalid_reason(text) {
            return Err(Error::input(what).field(self.name.clone()));
        }
        let folded = fold(text);
        let same = self
            .terms
            .iter()
            .enumerate()
            .find(|(i, t)| Some(*i) != but && fold(&t.text) == folded);
        match same {
            Some((_, term)) => Err(Error::input(format!(
                "`{}` is already in {}",
                term.text, self.name
            ))
            .line(u64::from(term.line))
            .field(self.name.clone())),
            None => Ok(text.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "# Animals.\n\ncat\n#- mouse\n# birds\ncrane # allow: homonym\nowl  # at night\n";

    fn made(text: &str) -> Vocabulary {
        Vocabulary::parse("animal", "vocabularies/animal.txt", text).0
    }

    #[test]
    fn terms_and_comments_parse() {
        let (vocabulary, found) = Vocabulary::parse("animal", "f", FILE);
        assert!(found.is_empty(), "{found:?}");
        let terms: Vec<_> = vocabulary
            .terms()
            .iter()
            .map(|t| (t.text.as_str(), t.line, t.disabled))
            .collect();
        assert_eq!(
            terms,
            [
                ("cat", 3, false),
                ("mouse", 4, true),
                ("crane", 6, false),
                ("owl", 7, false)
            ]
        );
        assert_eq!(vocabulary.terms()[2].allow, [Rule::Homonym]);
        assert_eq!(
            vocabulary.enabled().collect::<Vec<_>>(),
            ["cat", "crane", "owl"]
        );
        assert_eq!(vocabulary.text(), FILE);
        assert_eq!(vocabulary.tidy(), FILE);
    }

    #[test]
    fn edits_keep_other_lines() {
        let mut v = made(FILE);
        v.insert(1, "dog").unwrap();
        assert_eq!(v.text(), FILE.replace("#- mouse", "dog\n#- mouse"));
        v.remove(1).unwrap();
        assert_eq!(v.text(), FILE);
        v.rename(3, "barn owl").unwrap();
        assert_eq!(v.text(), FILE.replace("owl  # at", "barn owl  # at"));
        v.rename(3, "owl").unwrap();
        v.set_disabled(2, true).unwrap();
        assert_eq!(v.text(), FILE.replace("crane", "#- crane"));
        v.set_disabled(2, false).unwrap();
        v.rename(1, "rat").unwrap();
        assert_eq!(v.text(), FILE.replace("mouse", "rat"));
        v.rename(1, "mouse").unwrap();
        assert_eq!(v.text(), FILE);
        v.insert(9, "wolf").unwrap();
        assert_eq!(v.text(), format!("{FILE}wolf\n"));
        v.move_term(4, 0).unwrap();
        assert_eq!(v.terms()[0].text, "wolf");
        v.move_term(0, 99).unwrap();
        assert_eq!(v.text(), format!("{FILE}wolf\n"));
        let mut bare = made("cat");
        bare.insert(1, "dog").unwrap();
        assert_eq!(bare.text(), "cat\ndog\n");
    }

    #[test]
    fn invalid_terms_change_nothing() {
        let mut v = made(FILE);
        for text in [
            "",
            "  ",
            "a {cat}",
            "two\nlines",
            "a\u{7}",
            "# x",
            "CAT",
            &"x".repeat(201),
            "a #b",
        ] {
            assert!(v.insert(0, text).is_err(), "{text:?}");
            assert!(v.rename(0, text).is_err() || text == "CAT", "{text:?}");
        }
        v.rename(0, "cat").unwrap();
        assert_eq!(v.text(), FILE);
        assert!(v.remove(9).is_err());
    }

    #[test]
    fn irregular_files_are_reported() {
        let (v, found) = Vocabulary::parse(
            "x",
            "f",
            "\u{feff}cat\r\n dog \r\na {b}\nx\u{7}y\n#- \nwolf # allow: homonim\n",
        );
        assert_eq!(v.enabled().collect::<Vec<_>>(), ["cat", "dog", "wolf"]);
        let rules: Vec<_> = found.iter().map(|f| (f.line, f.rule)).collect();
        assert_eq!(
            rules,
            [
                (1, Rule::StrayBlank),
                (2, Rule::StrayBlank),
                (3, Rule::BadTerm),
                (4, Rule::BadTerm),
                (6, Rule::BadTerm),
            ]
        );
        assert_eq!(found[3].term, "x\\u{7}y");
        assert_eq!(
            made("\u{feff}cat\r\n dog \n# c \r\n").tidy(),
            "cat\ndog\n# c\n"
        );
        assert!(made("").terms().is_empty());
        assert_eq!(made("").text(), "");
    }
}
