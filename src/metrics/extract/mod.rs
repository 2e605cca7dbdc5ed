//! Reads the answer in a model's raw output, by named and versioned rules that can explain
//! themselves.
//!
//! [`Extractor::read`] reads an output to a question ([`Asked`]); [`Extractor::trace`] explains the
//! reading. MVP-Bench's rules need no question and also read bare outputs ([`Extractor::extract`]).
//! Ordinary answers are read without allocation.

mod bracket;
pub mod judge_extraction;
mod legacy;
mod mvp;
mod question_parts;
mod strict;
mod strict2;
mod text;
mod yes_no;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use benchtop_model::Item;

pub use self::question_parts::{Asked, Instruction};
pub use self::strict2::python as strict_in_python;

/// A rule that reads answers. A change in what it reads gets a new [`version`](Extractor::version).
/// It is stored and sent by its [`name`](Extractor::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Extractor {
    /// Yes or no (MVP-Bench, `evaluate.py`): the text before the first full stop and then before
    /// the first comma, in any case. If that is neither yes nor no, the stored word of a
    /// language-model judge.
    MvpYesNo,
    /// A letter for CircularEval (MVP-Bench, `evaluate.py`, `evaluate_mcq`): the text before the
    /// first full stop and then before the first comma. Uppercase only; nothing else is stripped.
    MvpCircular,
    /// A letter for single questions (MVP-Bench, `evaluate.py`, `extract_predictions`): the
    /// circular rule, then the text before the first `)`, without round brackets, in any case.
    MvpMcq,
    /// Letters, option texts, yes, and no, if the output commits to exactly one answer, in many
    /// languages. Refused and unparsed are separate states. benchtop's own rule and the default
    /// where no paper specifies another.
    Strict,
    /// The first version of [`Strict`](Extractor::Strict), unchanged: English only, and it accepts
    /// "it could be A or B" as an answer.
    Strict1,
    /// [`Strict`](Extractor::Strict), plus a judge's reading of outputs that it cannot read, if the
    /// project has one for exactly this output (see [`judge_extraction`]). The caller looks up the
    /// readings; without them this rule is `strict`.
    StrictJudge,
    /// [`Strict1`](Extractor::Strict1) with the readings of a judge.
    StrictJudge1,
    /// Dysca's released `Dysca_compute.py` (lines 37 to 86), including its faults: the last letter
    /// in brackets, else the last capital letter, else the option with the smallest Levenshtein
    /// distance. No output is unparsed.
    LegacyDysca,
    /// The first `[[X]]` (AutoBench-V, `pipeline.py`) with exactly one capital letter in it.
    FirstBracket,
    /// Yes or no: the first word, or the only one of the two words in the output.
    YesNo,
}

/// The answer in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Read {
    /// The option with this index, from 0. Rules that do not know the options (`mvp-*`,
    /// `first-bracket`) may return an index that does not exist.
    Option(usize),
    /// Yes, to a question without options.
    Yes,
    /// No, to a question without options.
    No,
    /// The output declines to answer, or picks the refusal option.
    Refused,
    /// The rule cannot read the output.
    Unparsed,
}

impl Read {
    /// The reading of the right answer to an item. `None` if no rule can grade it (free form, or no
    /// right option).
    pub fn gold(item: &Item) -> Option<Read> {
        if let Some(correct) = item.correct() {
            return Some(Read::Option(correct));
        }
        match item.answer.trim() {
            yes if text::same(yes, "yes") || text::same(yes, "true") => Some(Read::Yes),
            no if text::same(no, "no") || text::same(no, "false") => Some(Read::No),
            _ => None,
        }
    }

    /// The reading in a trace: ``read as `B` ``, `refused`, or `not readable`.
    fn traced(self) -> String {
        match self {
            Read::Refused => "refused".into(),
            Read::Unparsed => "not readable".into(),
            read => format!("read as `{}`", read.answer().unwrap_or_default()),
        }
    }

    /// The answer as text: a letter, `yes`, or `no`; `None` for the other states.
    pub fn answer(self) -> Option<String> {
        match self {
            Read::Option(at) => Some(Item::letter(at)),
            Read::Yes => Some("yes".into()),
            Read::No => Some("no".into()),
            Read::Refused | Read::Unparsed => None,
        }
    }

    /// The name of the state: `option`, `yes`, `no`, `refused`, `unparsed`.
    pub fn state(self) -> &'static str {
        match self {
            Read::Option(_) => "option",
            Read::Yes => "yes",
            Read::No => "no",
            Read::Refused => "refused",
            Read::Unparsed => "unparsed",
        }
    }
}

impl From<Extractor> for &'static str {
    fn from(rule: Extractor) -> &'static str {
        rule.name()
    }
}

impl TryFrom<String> for Extractor {
    type Error = String;

    fn try_from(name: String) -> Result<Extractor, String> {
        Extractor::from_name(&name).ok_or_else(|| format!("unknown extraction rule `{name}`"))
    }
}

/// Whether `output` declines to answer in free text: "I'm sorry, but I cannot help with that".
pub fn declines(output: &str) -> bool {
    strict2::declines(output)
}

impl Extractor {
    pub const ALL: [Extractor; 10] = [
        Extractor::Strict,
        Extractor::LegacyDysca,
        Extractor::MvpYesNo,
        Extractor::MvpCircular,
        Extractor::MvpMcq,
        Extractor::FirstBracket,
        Extractor::YesNo,
        Extractor::StrictJudge,
        Extractor::Strict1,
        Extractor::StrictJudge1,
    ];

    /// Name and version, such as `mvp-yn@1`.
    pub fn name(self) -> &'static str {
        match self {
            Extractor::MvpYesNo => "mvp-yn@1",
            Extractor::MvpCircular => "mvp-circular@1",
            Extractor::MvpMcq => "mvp-mcq@1",
            Extractor::Strict => "strict@2",
            Extractor::StrictJudge => "strict+judge@2",
            Extractor::Strict1 => "strict@1",
            Extractor::StrictJudge1 => "strict+judge@1",
            Extractor::LegacyDysca => "legacy-dysca@1",
            Extractor::FirstBracket => "first-bracket@1",
            Extractor::YesNo => "yes-no@1",
        }
    }

    /// Version of the rule, from 1.
    pub fn version(self) -> u32 {
        if matches!(self, Extractor::Strict | Extractor::StrictJudge) {
            2
        } else {
            1
        }
    }

    /// The rule with this name. Without a version, the newest.
    pub fn from_name(name: &str) -> Option<Extractor> {
        let plain = |rule: &Extractor| rule.name().split('@').next();
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == name || plain(rule) == Some(name))
    }

    /// Whether the rule needs data that only a project has.
    pub fn is_of_project(self) -> bool {
        matches!(self, Extractor::StrictJudge | Extractor::StrictJudge1)
    }

    /// Reads `output` as an answer to the question. `judge` is the stored word of a judge, if any.
    /// It is used only if the rule itself reads nothing, and never by `legacy-dysca`,
    /// `first-bracket`, and MVP-Bench's rules for letters.
    pub fn read(self, asked: &Asked, output: &str, judge: Option<&str>) -> Read {
        match self {
            Extractor::Strict | Extractor::StrictJudge => strict2::read(asked, output, judge).0,
            Extractor::Strict1 | Extractor::StrictJudge1 => strict::read(asked, output, judge).0,
            Extractor::LegacyDysca => legacy::read(asked, output),
            Extractor::FirstBracket => bracket::read(output),
            Extractor::YesNo => yes_no::read(asked, output, judge),
            Extractor::MvpYesNo | Extractor::MvpCircular | Extractor::MvpMcq => {
                mvp::read(self, output, judge)
            }
        }
    }

    /// Explains step by step, in one line, what [`read`](Self::read) did.
    pub fn trace(self, asked: &Asked, output: &str, judge: Option<&str>) -> String {
        match self {
            Extractor::Strict | Extractor::StrictJudge => strict2::trace(asked, output, judge),
            Extractor::Strict1 | Extractor::StrictJudge1 => strict::trace(asked, output, judge),
            Extractor::LegacyDysca => legacy::trace(asked, output),
            Extractor::FirstBracket => bracket::trace(output),
            Extractor::YesNo => yes_no::trace(asked, output, judge),
            Extractor::MvpYesNo | Extractor::MvpCircular | Extractor::MvpMcq => {
                mvp::explain(self, output, judge)
            }
        }
    }

    /// The reading as text: the option's text if it is known, else a letter, `yes`, or `no`. `None`
    /// for refused and unparsed outputs. `legacy-dysca` returns the text that the released code
    /// compares with the right answer, which need not be an option.
    pub fn text(self, asked: &Asked, output: &str, judge: Option<&str>) -> Option<String> {
        if self == Extractor::LegacyDysca {
            return Some(legacy::extracted(asked, output).0.into_owned());
        }
        let read = self.read(asked, output, judge);
        match read {
            Read::Option(at) => asked
                .options
                .get(at)
                .map(|o| o.text.clone())
                .or_else(|| read.answer()),
            _ => read.answer(),
        }
    }

    /// Reads a bare `output`: `yes`, `no`, or one capital letter. `judge` is the stored word of a
    /// judge, if any. `None` if the rule cannot read the output.
    pub fn extract(self, output: &str, judge: Option<&str>) -> Option<String> {
        self.read(&Asked::default(), output, judge).answer()
    }

    /// Explains step by step, in one line, what [`extract`](Self::extract) did.
    pub fn explain(self, output: &str, judge: Option<&str>) -> String {
        self.trace(&Asked::default(), output, judge)
    }
}
