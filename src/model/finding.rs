//! Findings of the linter.

use serde::{Deserialize, Serialize};

use super::clean;

crate::named! {
    /// Severity of a finding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Severity {
        /// Worth a look. The questions are sound.
        Warning = "warning",
        /// Questions composed from it would be wrong, or none can be composed.
        Error = "error",
    }
}

macro_rules! rules {
    ($($variant:ident, $name:literal, $severity:ident, $help:literal;)*) => {
        /// The checks of the linter. Most find defects that Dysca's released generator has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Rule { $(#[doc = $help] $variant,)* }

        impl Rule {
            /// All rules, in the order of the reference.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant,)*];

            /// The name in `# allow: NAME`, tables, and JSON.
            pub fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name,)* }
            }

            /// One line about what the rule finds.
            pub fn about(self) -> &'static str {
                match self { $(Rule::$variant => $help,)* }
            }

            pub fn severity(self) -> Severity {
                match self { $(Rule::$variant => Severity::$severity,)* }
            }

            /// The rule with this [`name`](Self::name).
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|r| r.name() == name)
            }
        }
    };
}

rules! {
    // Metadata files.
    Unreadable, "unreadable", Error, "the file cannot be read: not UTF-8, too large, invalid TOML, or a missing or unknown field";
    MissingFile, "missing-file", Error, "a vocabulary or file that a template needs is missing";
    BadTerm, "bad-term", Error, "a term is empty or contains a slot or a control character";
    StrayBlank, "stray-blank", Warning, "leading or trailing blanks, a carriage return, or a byte order mark";
    EmptyVocabulary, "empty-vocabulary", Error, "a vocabulary has too few enabled terms to ask a question";
    DuplicateTerm, "duplicate-term", Error, "a vocabulary contains a term twice, so a distractor can equal the answer";
    BadTemplate, "bad-template", Error, "a template is empty or has an unclosed or empty slot";
    UnknownSlot, "unknown-slot", Error, "a slot names neither a vocabulary nor a fragment";
    CyclicFragment, "cyclic-fragment", Error, "a fragment uses itself";
    UnsupportedSlot, "unsupported-slot", Error, "a question uses a slot that the prompt does not fill";
    BadRule, "bad-rule", Error, "a rule of compatibility.toml is invalid: a field is missing, unknown, or of the wrong type";
    UnknownTerm, "unknown-term", Warning, "a rule names a term or vocabulary that does not exist";
    Ungrouped, "ungrouped", Warning, "a vocabulary has groups, and this term is in no group or alone in one";
    UnusedVocabulary, "unused-vocabulary", Warning, "no template uses this vocabulary, fragment, subject or subtask";
    NearSynonym, "near-synonym", Warning, "two terms can both be right: they differ by a letter, contain each other, or share a head noun";
    Homonym, "homonym", Warning, "a term has another meaning that a picture may show";
    Collision, "collision", Warning, "two vocabularies share a term, so two slots of a prompt can get the same term";
    LengthCue, "length-cue", Warning, "an answer differs from its options in length";
    // Composed or imported questions.
    UnusedTerm, "unused-term", Warning, "no question has this term as its answer";
    DuplicateOption, "duplicate-option", Error, "a question offers the same option twice";
    WrongLabel, "wrong-label", Error, "the label of a true/false question contradicts its prompt";
    Unanswerable, "unanswerable", Error, "the prompt does not contain what the question asks about";
    EmptyQuestion, "empty-question", Error, "the question, an option, or the answer is empty";
    ImpossibleScene, "impossible-scene", Error, "two terms of a picture are incompatible";
    HiddenAnswer, "hidden-answer", Error, "the question asks about something that a term of its picture hides";
    SecondAnswer, "second-answer", Error, "an option of another group can be right too, such as a time of day next to a place";
    LookAlike, "look-alike", Error, "a wrong option looks like the right one";
    ShownAnyway, "shown-anyway", Error, "the picture shows a wrong option anyway";
    RepeatedQuestion, "repeated-question", Warning, "another picture has the same prompt, question, and options";
    FarDistractor, "far-distractor", Warning, "the options of a word to read are easy to tell apart, although the vocabulary has more similar words";
    PositionSkew, "position-skew", Warning, "the right option is not evenly spread over the positions";
    LabelSkew, "label-skew", Warning, "true and false are not balanced";
    AnswerLeak, "answer-leak", Warning, "the question contains the words of the answer";
    WrongLetters, "wrong-letters", Warning, "the hint lists letters that the question does not offer";
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// The file, relative to the metadata folder (`vocabularies/animal.txt`), or as the user named
    /// it.
    pub file: String,
    /// Line, from 1; 0 for the whole file.
    pub line: u32,
    /// Column in characters, from 1; 0 for the whole line.
    pub column: u32,
    /// Length in characters; 0 for the rest of the line.
    pub length: u32,
    pub rule: Rule,
    /// The term, slot, or item concerned; may be empty.
    pub term: String,
    /// What was found, in one sentence without a full stop.
    #[serde(rename = "what")]
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
}

impl Finding {
    /// A finding about a whole file.
    pub fn new(rule: Rule, file: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding {
            file: file.into(),
            line: 0,
            column: 0,
            length: 0,
            rule,
            term: String::new(),
            message: what.into(),
            help: String::new(),
        }
    }

    /// Sets the line, from 1.
    pub fn line(mut self, line: u32) -> Finding {
        self.line = line;
        self
    }

    /// Sets the column (from 1) and length in characters.
    pub fn columns(mut self, column: u32, length: u32) -> Finding {
        (self.column, self.length) = (column, length);
        self
    }

    /// Sets the term, slot, or item.
    pub fn term(mut self, term: impl Into<String>) -> Finding {
        self.term = term.into();
        self
    }

    /// Sets the advice.
    pub fn help(mut self, help: impl Into<String>) -> Finding {
        self.help = help.into();
        self
    }

    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&clean::line(&self.file))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        write!(
            f,
            ": {} [{}] {}",
            self.severity().name(),
            self.rule.name(),
            clean::line(&self.message)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_names_round_trip_and_findings_show_their_location() {
        for rule in Rule::ALL {
            assert_eq!(Rule::from_name(rule.name()), Some(*rule));
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
        }
        let finding = Finding::new(
            Rule::Homonym,
            "vocabularies/animal.txt",
            "`crane` is also a machine",
        )
        .line(7);
        assert_eq!(
            finding.to_string(),
            "vocabularies/animal.txt:7: warning [homonym] `crane` is also a machine"
        );
        assert_eq!(
            finding.columns(3, 5).to_string().split(' ').next(),
            Some("vocabularies/animal.txt:7:3:")
        );
    }
}
