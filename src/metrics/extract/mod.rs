//! From a model's raw output to the answer it gives: named rules with a version, each of which can say what it did.
//!
//! [`Extractor::read`] reads an output for what was [`Asked`]; [`Extractor::trace`] tells how. The rules of MVP-Bench need no
//! question and read bare outputs too ([`Extractor::extract`]). Nothing here allocates on the way of an ordinary answer.

mod asked;
mod bracket;
pub mod judge_extraction;
mod legacy;
mod mvp;
mod strict;
mod strict2;
mod text;
mod yes_no;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use benchtop_model::Item;

pub use self::asked::{Asked, Instruction};
pub use self::strict2::python as strict_in_python;

/// A rule that reads an answer. A change of what it reads is a new [`version`](Extractor::version).
/// It is stored and sent by its [`name`](Extractor::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Extractor {
    /// Yes or no (MVP-Bench, `evaluate.py`): the text before the first full stop, of that before the first comma; if it is
    /// neither yes nor no in any case, the stored word of a language-model judge.
    MvpYesNo,
    /// A letter for CircularEval (MVP-Bench, `evaluate.py`, `evaluate_mcq`): the text before the first full stop, of that before
    /// the first comma; upper case only, nothing else stripped.
    MvpCircular,
    /// A letter for single questions (MVP-Bench, `evaluate.py`, `extract_predictions`): as the circular rule, then the text before
    /// the first `)`, round brackets stripped; any case.
    MvpMcq,
    /// Letters, option texts, yes and no where the output commits itself to exactly one; refusals and everything else are states of
    /// their own, in many languages. Of benchtop, and what is read with where no paper says otherwise.
    Strict,
    /// The first version of [`Strict`](Extractor::Strict), as it was: English alone, and it takes "it could be A or B" for an answer.
    Strict1,
    /// As [`Strict`](Extractor::Strict); what that cannot read is what a judge read, where a project has its reading of exactly this
    /// output (see [`judge_extraction`]). Readings are no words of an output: whoever has them looks them up, and without them this is `strict`.
    StrictJudge,
    /// As [`Strict1`](Extractor::Strict1), with the readings of a judge.
    StrictJudge1,
    /// What Dysca's released `Dysca_compute.py` does (lines 37 to 86), faults included: the last letter in brackets, else the last
    /// capital letter, else the option at the least Levenshtein distance; nothing is ever unparsed.
    LegacyDysca,
    /// The first `[[X]]` (AutoBench-V, `pipeline.py`): exactly one capital letter within it.
    FirstBracket,
    /// Yes or no: the first word, else the only one of the two words in the output.
    YesNo,
}

/// What an output says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Read {
    /// The option at this place, from 0. The rules that know no options (`mvp-*`, `first-bracket`) can name one that is not there.
    Option(usize),
    /// Yes, to a question that has no options.
    Yes,
    /// No, to a question that has no options.
    No,
    /// It declines to answer, or chooses the option that does.
    Refused,
    /// The rule cannot read it.
    Unparsed,
}

impl Read {
    /// What the right answer to an item is read as; `None` where no rule can grade it (free form, or no right option).
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

    /// How a trace says it: ``read as `B` ``, `refused` or `not readable`.
    fn traced(self) -> String {
        match self {
            Read::Refused => "refused".into(),
            Read::Unparsed => "not readable".into(),
            read => format!("read as `{}`", read.answer().unwrap_or_default()),
        }
    }

    /// The answer as text: a letter, `yes` or `no`; `None` for the other states.
    pub fn answer(self) -> Option<String> {
        match self {
            Read::Option(at) => Some(Item::letter(at)),
            Read::Yes => Some("yes".into()),
            Read::No => Some("no".into()),
            Read::Refused | Read::Unparsed => None,
        }
    }

    /// The state's name: `option`, `yes`, `no`, `refused`, `unparsed`.
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
        Extractor::from_name(&name).ok_or_else(|| format!("no rule `{name}`"))
    }
}

/// Whether `output` declines to answer in prose: "I'm sorry, but I cannot help with that".
pub fn declines(output: &str) -> bool {
    strict2::declines(output)
}

impl Extractor {
    /// All rules.
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

    /// Name and version, e.g. `mvp-yn@1`.
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

    /// The rule of that name, with its version or without: then the newest.
    pub fn from_name(name: &str) -> Option<Extractor> {
        let plain = |rule: &Extractor| rule.name().split('@').next();
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == name || plain(rule) == Some(name))
    }

    /// Whether the rule goes by what only a project has.
    pub fn is_of_project(self) -> bool {
        matches!(self, Extractor::StrictJudge | Extractor::StrictJudge1)
    }

    /// What `output` says to what was asked. `judge` is the stored word of a judge, if any: asked only where the rule itself
    /// reads nothing, and never by `legacy-dysca`, `first-bracket` and MVP-Bench's rules for letters.
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

    /// What [`read`](Self::read) did, step by step, in one line.
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

    /// What was read, as text: the option's text where the question has it, else a letter, `yes` or `no`; `None` for a refusal and
    /// what cannot be read. `legacy-dysca` gives what the released code compares with the right answer, which need not be an option.
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

    /// The answer read from a bare `output`: `yes` or `no`, or one capital letter. `judge` is the stored word of a judge, if any.
    /// `None` when the rule cannot read it.
    pub fn extract(self, output: &str, judge: Option<&str>) -> Option<String> {
        self.read(&Asked::default(), output, judge).answer()
    }

    /// What [`extract`](Self::extract) did, step by step, in one line.
    pub fn explain(self, output: &str, judge: Option<&str>) -> String {
        self.trace(&Asked::default(), output, judge)
    }
}
