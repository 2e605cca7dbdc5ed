//! A vocabulary: a text file with one term a line, edited without touching the lines around.
//!
//! `# ...` is a comment and `#- term` a disabled term: kept, not sampled. A `#` after a blank ends the term; what
//! follows is a comment too, and `# allow: homonym, collision` in it tells the linter that this is meant.

use benchtop_model::{Error, Finding, Result, Rule};

/// Longest term in characters.
pub const TERM_CHARS: usize = 200;
/// How a line with a disabled term begins.
const DISABLED: &str = "#- ";

/// One term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The term, without blanks at its edges.
    pub text: String,
    /// Line of the file, from 1.
    pub line: u32,
    /// Kept but not sampled.
    pub disabled: bool,
    /// Rules that the linter lets pass here.
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

/// Why a text cannot be a term, if it cannot.
pub fn flaw(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        Some("a term must say something")
    } else if text.contains(['{', '}']) {
        Some("a term cannot hold a slot or a brace")
    } else if text.contains(['\n', '\r']) {
        Some("a term is one line")
    } else if text.chars().any(char::is_control) {
        Some("a term cannot hold control characters")
    } else if text.starts_with('#') || text.contains(" #") || text.contains("\t#") {
        Some("a `#` at the start or after a blank begins a comment")
    } else if text.chars().count() > TERM_CHARS {
        Some("a term has at most 200 characters")
    } else {
        None
    }
}

/// Two terms are the same term when they differ in case alone.
pub fn fold(term: &str) -> String {
    term.to_lowercase()
}

/// A line that is not a comment: disabled or not, the term as it stands, its trailing comment.
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
    // The comment takes the blanks before it along.
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
    /// Reads the text of a vocabulary called `name`; `file` is what findings call it. Terms that cannot be used are
    /// left out and found.
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

    /// Takes the terms out of the lines.
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
                    Finding::new(Rule::StrayBlank, file, "blanks, a carriage return or a byte order mark at its edges")
                        .line(line)
                        .term(text)
                        .help("they are not taken as part of the term; `benchtop vocab check --fix` removes them"),
                );
            }
            if let Some(what) = flaw(text) {
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
                    Finding::new(
                        Rule::BadTerm,
                        file,
                        format!("`{name}` is not a rule that can be allowed"),
                    )
                    .line(line)
                    .term(text)
                    .help("`benchtop lint --rules` lists them"),
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

    /// Its name: that of its file, without folder and ending; slots use it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its terms, in the order of the file, disabled ones included.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The terms that are sampled.
    pub fn enabled(&self) -> impl Iterator<Item = &str> {
        self.terms
            .iter()
            .filter(|t| !t.disabled)
            .map(|t| t.text.as_str())
    }

    /// The whole file.
    pub fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        if self.ended && !self.lines.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The same file with LF line ends and no blanks at the edges of its terms.
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

    /// Puts a term before the one at position `at` of [`terms`](Self::terms), or at the end.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] when it cannot be a term or is there already; then nothing is changed.
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

    /// Gives the term at position `at` another text; its trailing comment stays.
    ///
    /// # Errors
    /// As [`insert`](Self::insert), and when there is no such term.
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

    /// Takes the term at position `at` out of the sampling, or back into it.
    ///
    /// # Errors
    /// When there is no such term.
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
    /// When there is no such term.
    pub fn remove(&mut self, at: usize) -> Result<()> {
        let (line, _) = self.place(at)?;
        self.lines.remove(line);
        self.read("");
        Ok(())
    }

    /// Moves the term at position `from` so that it ends at position `to` (the end at most); comments stay.
    ///
    /// # Errors
    /// When there is no such term.
    pub fn shift(&mut self, from: usize, to: usize) -> Result<()> {
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
        let term = term
            .ok_or_else(|| Error::input(format!("{} has no term number {}", self.name, at + 1)))?;
        Ok((term.line as usize - 1, term.disabled))
    }

    fn check(&self, text: &str, but: Option<usize>) -> Result<String> {
        let text = text.trim();
        if let Some(what) = flaw(text) {
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
                "`{}` is in {} already",
                term.text, self.name
            ))
            .line(u64::from(term.line))
            .field(self.name.clone())),
            None => Ok(text.to_string()),
        }
    }
}

/// The text with what cannot be printed escaped, cut to a line's length.
fn printable(text: &str) -> String {
    text.chars()
        .take(60)
        .flat_map(|c| c.escape_debug())
        .collect()
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
    fn terms_disabled_terms_and_comments() {
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
    fn edits_touch_their_own_lines_alone() {
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
        v.shift(4, 0).unwrap();
        assert_eq!(v.terms()[0].text, "wolf");
        v.shift(0, 99).unwrap();
        assert_eq!(v.text(), format!("{FILE}wolf\n"));
        let mut bare = made("cat");
        bare.insert(1, "dog").unwrap();
        assert_eq!(bare.text(), "cat\ndog\n");
    }

    #[test]
    fn what_cannot_be_a_term_is_refused_and_changes_nothing() {
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
    fn odd_files_are_read_and_said() {
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
