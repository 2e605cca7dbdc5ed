//! What the linter says: one finding, where it is and how to mend it.

use serde::{Deserialize, Serialize};

use super::clean;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth a look; the questions are sound.
    Warning,
    /// Questions made from this would be wrong, or none can be made.
    Error,
}

impl Severity {
    /// The name used in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

macro_rules! rules {
    ($($variant:ident, $name:literal, $severity:ident, $help:literal;)*) => {
        /// What the linter looks for. Most are defects that Dysca's released generator has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Rule { $(#[doc = $help] $variant,)* }

        impl Rule {
            /// Every rule, in the order of the reference.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant,)*];

            /// The name used in `# allow: NAME`, in tables and in JSON.
            pub fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name,)* }
            }

            /// One line that says what is looked for.
            pub fn about(self) -> &'static str {
                match self { $(Rule::$variant => $help,)* }
            }

            /// How much a finding of this rule matters.
            pub fn severity(self) -> Severity {
                match self { $(Rule::$variant => Severity::$severity,)* }
            }

            /// The rule of that [`name`](Self::name).
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|r| r.name() == name)
            }
        }
    };
}

rules! {
    // Of a metadata file.
    Unreadable, "unreadable", Error, "the file cannot be read: not UTF-8, too large, not TOML, a field missing or unknown";
    MissingFile, "missing-file", Error, "a vocabulary or file that a template needs is not there";
    BadTerm, "bad-term", Error, "a term has a slot, a control character or nothing in it";
    StrayBlank, "stray-blank", Warning, "blanks at the edges of a line, a carriage return or a byte order mark";
    EmptyVocabulary, "empty-vocabulary", Error, "a vocabulary has too few enabled terms to ask a question";
    DuplicateTerm, "duplicate-term", Error, "a vocabulary holds a term twice, so that a distractor can equal the answer";
    BadTemplate, "bad-template", Error, "a template has an unclosed or empty slot, or says nothing";
    UnknownSlot, "unknown-slot", Error, "a slot is neither a vocabulary nor a fragment: a misspelling";
    CyclicFragment, "cyclic-fragment", Error, "a fragment uses itself";
    UnsupportedSlot, "unsupported-slot", Error, "a question uses a term that the prompt does not put into the picture";
    BadRule, "bad-rule", Error, "a rule of compatibility.toml cannot be used: a field is missing, unknown or of another kind";
    UnknownTerm, "unknown-term", Warning, "a rule names a term or vocabulary that is not there";
    Ungrouped, "ungrouped", Warning, "a vocabulary has groups and this term is in none, or alone in its own";
    UnusedVocabulary, "unused-vocabulary", Warning, "no template uses this vocabulary, fragment, subject or subtask";
    NearSynonym, "near-synonym", Warning, "two terms can both answer: one letter apart, one inside the other, or one head noun";
    Homonym, "homonym", Warning, "a term has a second meaning that a picture may show instead";
    Collision, "collision", Warning, "two vocabularies share a term, so that two slots of a prompt can say the same";
    LengthCue, "length-cue", Warning, "an answer stands out among its options by its length";
    // Of composed or imported questions.
    UnusedTerm, "unused-term", Warning, "no question has this term as its answer";
    DuplicateOption, "duplicate-option", Error, "a question offers the same option twice";
    WrongLabel, "wrong-label", Error, "a true/false question is labelled against its own prompt";
    Unanswerable, "unanswerable", Error, "the prompt does not hold what the question asks for";
    EmptyQuestion, "empty-question", Error, "the question, an option or the answer is empty";
    ImpossibleScene, "impossible-scene", Error, "two terms of a picture cannot stand together";
    HiddenAnswer, "hidden-answer", Error, "the question asks about what a term of its picture hides";
    SecondAnswer, "second-answer", Error, "an option of another group can be right as well: a time of day beside a place";
    LookAlike, "look-alike", Error, "a wrong option looks like the right one";
    ShownAnyway, "shown-anyway", Error, "the picture shows a wrong option anyway";
    RepeatedQuestion, "repeated-question", Warning, "the same prompt, question and options stand on another picture";
    FarDistractor, "far-distractor", Warning, "a word to read has options that differ at a glance, and the list has nearer ones";
    PositionSkew, "position-skew", Warning, "the right option is not spread evenly over the positions";
    LabelSkew, "label-skew", Warning, "true and false are not balanced";
    AnswerLeak, "answer-leak", Warning, "the words of the answer stand in the question";
    WrongLetters, "wrong-letters", Warning, "the hint lists letters that the question does not offer";
}

/// One thing the linter found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// The file, relative to the metadata folder (`vocabularies/animal.txt`), or as it was named.
    pub file: String,
    /// Line in it, from 1; 0 for the whole file.
    pub line: u32,
    /// Column in that line in characters, from 1; 0 for the whole line.
    pub column: u32,
    /// Characters it spans; 0 to the end of the line.
    pub length: u32,
    /// What was looked for.
    pub rule: Rule,
    /// The term, slot or item it is about; may be empty.
    pub term: String,
    /// What was found, in one sentence without a full stop.
    pub what: String,
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
            what: what.into(),
            help: String::new(),
        }
    }

    /// In this line, from 1.
    pub fn line(mut self, line: u32) -> Finding {
        self.line = line;
        self
    }

    /// In these characters of the line: column from 1, and how many.
    pub fn columns(mut self, column: u32, length: u32) -> Finding {
        (self.column, self.length) = (column, length);
        self
    }

    /// About this term, slot or item.
    pub fn term(mut self, term: impl Into<String>) -> Finding {
        self.term = term.into();
        self
    }

    /// With this advice.
    pub fn help(mut self, help: impl Into<String>) -> Finding {
        self.help = help.into();
        self
    }

    /// How much it matters.
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
            clean::line(&self.what)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_by_their_names_and_a_finding_says_where() {
        for rule in Rule::ALL {
            assert_eq!(Rule::from_name(rule.name()), Some(*rule));
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
        }
        let finding = Finding::new(
            Rule::Homonym,
            "vocabularies/animal.txt",
            "`crane` is a machine too",
        )
        .line(7);
        assert_eq!(
            finding.to_string(),
            "vocabularies/animal.txt:7: warning [homonym] `crane` is a machine too"
        );
        assert_eq!(
            finding.columns(3, 5).to_string().split(' ').next(),
            Some("vocabularies/animal.txt:7:3:")
        );
    }
}
