//! Checks of the terms of one vocabulary.

use std::collections::{HashMap, HashSet};

use super::homonyms;
use super::pairs::{pairs, parts};
use crate::ambiguity::{ComparableTerm, Overlap, TermKind, plain};
use crate::metadata::vocabulary::fold;
use crate::metadata::{Metadata, STYLE, Style, Vocabulary, file_of};
use benchtop_model::{Finding, Rule};

/// Minimum ratio to the quartile of lengths for a length cue.
const STANDS_OUT: f64 = 2.5;
/// Minimum difference in characters for a long term.
const LONGER: usize = 10;
/// Minimum difference in characters for a short term.
const SHORTER: usize = 8;

/// An enabled term of a vocabulary, or a style's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'m> {
    pub text: &'m str,
    pub line: u32,
    pub allow: &'m [Rule],
}

impl Entry<'_> {
    pub fn allows(&self, rule: Rule) -> bool {
        self.allow.contains(&rule)
    }
}

pub(super) fn entries(vocabulary: &Vocabulary) -> Vec<Entry<'_>> {
    let enabled = vocabulary.terms().iter().filter(|t| !t.disabled);
    enabled
        .map(|t| Entry {
            text: &t.text,
            line: t.line,
            allow: &t.allow,
        })
        .collect()
}

pub(super) fn styles(styles: &[Style]) -> Vec<Entry<'_>> {
    let enabled = styles.iter().filter(|s| !s.disabled);
    enabled
        .map(|s| Entry {
            text: &s.name,
            line: s.line,
            allow: &s.allow,
        })
        .collect()
}

/// How the templates ask about a vocabulary. The findings depend only on this and on its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Whether its terms are titles, names, or phrases.
    pub phrases: bool,
    /// Whether its terms are words to be read in the picture, which need no meaning.
    pub read: bool,
    /// The questions that ask about it, as in the file.
    pub questions: Vec<String>,
}

impl Asked {
    /// How `metadata` asks about this vocabulary.
    pub fn about(metadata: &Metadata, vocabulary: &str) -> Asked {
        let mut asked = Asked::default();
        let subtasks = metadata
            .templates()
            .subtasks
            .values()
            .filter(|s| s.vocabulary == vocabulary);
        for subtask in subtasks {
            let read = subtask.task.eq_ignore_ascii_case("ocr");
            asked.read = read && (asked.read || asked.questions.is_empty());
            // The last subtask decides, as in the compiled metadata.
            asked.phrases = subtask.phrases;
            asked
                .questions
                .push(subtask.question.template.source().to_string());
        }
        asked
    }

    fn terms(&self) -> TermKind {
        if self.phrases {
            TermKind::Phrases
        } else {
            TermKind::Nouns
        }
    }
}

/// Findings about the terms of one vocabulary, and its terms in plain words.
pub(super) fn check(
    vocabulary: &str,
    entries: &[Entry<'_>],
    asked: &Asked,
) -> (Vec<Finding>, Vec<String>) {
    let words: Vec<ComparableTerm> = entries
        .iter()
        .map(|e| ComparableTerm::new(e.text, asked.terms()))
        .collect();
    let mut list = List {
        file: file_of(vocabulary),
        entries,
        found: Vec::new(),
    };
    list.near(&words, asked);
    if !asked.read && !asked.phrases && vocabulary != STYLE {
        list.homonyms(vocabulary, &words);
    }
    list.lengths();
    list.leaks(&words, asked);
    (
        list.found,
        words.iter().map(|w| w.folded().to_string()).collect(),
    )
}

struct List<'a, 'm> {
    file: String,
    entries: &'a [Entry<'m>],
    found: Vec<Finding>,
}

impl List<'_, '_> {
    fn say(&mut self, rule: Rule, at: usize, what: String, help: &str) {
        let entry = &self.entries[at];
        if !entry.allows(rule) || rule == Rule::DuplicateTerm {
            self.found.push(
                Finding::new(rule, self.file.as_str(), what)
                    .line(entry.line)
                    .term(entry.text)
                    .help(help),
            );
        }
    }

    /// Reports duplicate and overlapping terms, at the later one of each pair.
    fn near(&mut self, words: &[ComparableTerm], asked: &Asked) {
        let entries = self.entries;
        // The last word of most terms is the topic of the list: "red color", "blue color".
        let mut heads: HashMap<&str, usize> = HashMap::new();
        for (_, head) in words.iter().filter_map(|w| w.folded().rsplit_once(' ')) {
            *heads.entry(head).or_default() += 1;
        }
        let common = heads
            .into_iter()
            .find(|(_, n)| 2 * n > words.len() && *n > 2)
            .map(|(head, _)| head);
        let ends = |at: u32| {
            words[at as usize]
                .folded()
                .rsplit_once(' ')
                .map(|(_, head)| head)
        };
        let mut pairs = pairs(words, asked.terms(), asked.read);
        pairs.retain(|(later, _, near)| {
            *near != Overlap::Head || common.is_none() || ends(*later) != common
        });
        for pairs in pairs.chunk_by(|a, b| a.0 == b.0) {
            let at = pairs[0].0 as usize;
            let entry = &entries[at];
            let before = |earlier: u32| &entries[earlier as usize];
            let twice = |(_, earlier, near): &&(u32, u32, Overlap)| {
                *near == Overlap::Same && fold(before(*earlier).text) == fold(entry.text)
            };
            if let Some((_, earlier, _)) = pairs.iter().find(twice) {
                let what = format!(
                    "`{}` is already in line {}",
                    entry.text,
                    before(*earlier).line
                );
                self.say(Rule::DuplicateTerm, at, what, "remove one of the two lines");
                continue;
            }
            let meant = |(_, earlier, _): &&(u32, u32, Overlap)| {
                !before(*earlier).allows(Rule::NearSynonym)
            };
            let mut rest = pairs.iter().filter(meant);
            let Some((_, earlier, near)) = rest.next() else {
                continue;
            };
            let (other, more) = (before(*earlier), rest.count());
            let mut what = format!(
                "`{}` and `{}` in line {} {}",
                entry.text,
                other.text,
                other.line,
                near.description()
            );
            if more > 0 {
                what.push_str(&format!("; {more} more terms overlap too"));
            }
            let help = "rename or disable one of them, or write `# allow: near-synonym` after an intended one";
            self.say(Rule::NearSynonym, at, what, help);
        }
    }

    fn homonyms(&mut self, vocabulary: &str, words: &[ComparableTerm]) {
        for (at, word) in words.iter().enumerate() {
            if let Some(other) = homonyms::other(word.folded(), vocabulary) {
                let what = format!("`{}` can also mean {other}", self.entries[at].text);
                let help =
                    "make it more specific, disable it, or write `# allow: homonym` after it";
                self.say(Rule::Homonym, at, what, help);
            }
        }
    }

    /// Reports terms so long or short that they stand out among the options of any question.
    fn lengths(&mut self) {
        let chars: Vec<usize> = self
            .entries
            .iter()
            .map(|e| e.text.chars().count())
            .collect();
        let mut sorted = chars.clone();
        sorted.sort_unstable();
        let at = |share: usize| {
            sorted
                .get(sorted.len() * share / 4)
                .copied()
                .unwrap_or_default()
        };
        let (low, high) = (at(1), at(3));
        if sorted.len() < 4 {
            return;
        }
        for (at, &own) in chars.iter().enumerate() {
            let term = self.entries[at].text;
            let help =
                "reword it like the others, disable it, or write `# allow: length-cue` after it";
            let (others, end) = if own as f64 >= high as f64 * STANDS_OUT && own >= high + LONGER {
                (format!("at most {high}"), "longest")
            } else if own as f64 * STANDS_OUT <= low as f64 && own + SHORTER <= low {
                (format!("at least {low}"), "shortest")
            } else {
                continue;
            };
            let what = format!(
                "`{term}` has {own} characters, but three quarters of the others have {others}, so as an answer it is the {end} \
                 option"
            );
            self.say(Rule::LengthCue, at, what, help);
        }
    }

    /// Reports terms that occur in the questions that ask about them.
    fn leaks(&mut self, words: &[ComparableTerm], asked: &Asked) {
        // Slots become a character that no term contains.
        let texts: Vec<String> = asked
            .questions
            .iter()
            .map(|q| plain(&without_slots(q)))
            .collect();
        let in_questions: HashSet<&str> = texts.iter().flat_map(|t| parts(t)).collect();
        for (at, _) in words
            .iter()
            .enumerate()
            .filter(|(_, w)| in_questions.contains(w.folded()))
        {
            let what = format!(
                "the question that asks about `{}` contains it",
                self.entries[at].text
            );
            let help =
                "reword the question, disable the term, or write `# allow: answer-leak` after it";
            self.say(Rule::AnswerLeak, at, what, help);
        }
    }
}

/// A template's text with `{slots}` replaced by a character that no term contains.
fn without_slots(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut inside = false;
    for c in source.chars() {
        match c {
            '{' => (inside, text) = (true, text + "\u{1}"),
            '}' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text
}
