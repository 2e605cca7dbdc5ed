//! Reads the answer in a model's raw output, by named and versioned rules that can explain
//! themselves.
//!
//! [`Extractor::read`] reads an output to a question ([`Asked`]); [`Extractor::trace`] explains the
//! reading. MVP-Bench's rules need no question and also read bare outputs ([`Extractor::extract`]).
//! Ordinary answers are read without allocation.

mod bracket;
mod extractor;
pub mod judge_extraction;
pub mod judge_grading;
mod legacy;
mod mvp;
mod question_parts;
mod reading;
mod strict;
mod strict2;
mod text;
mod yes_no;

#[cfg(test)]
mod tests;

pub use self::extractor::Extractor;
pub use self::question_parts::{Asked, Instruction};
pub use self::reading::Read;
pub use self::strict2::python as strict_in_python;

/// Whether `output` declines to answer in free text: "I'm sorry, but I cannot help with that".
pub fn declines(output: &str) -> bool {
    strict2::declines(output)
}

impl Extractor {
    /// Reads `output` as an answer to the question. `judge` is the stored word of a judge, if any.
    /// It is used only if the rule itself reads nothing, and never by `legacy-dysca`,
    /// `first-bracket`, and MVP-Bench's rules for letters.
    pub fn read(self, asked: &Asked, output: &str, judge: Option<&str>) -> Read {
        match self {
            Extractor::Strict | Extractor::StrictJudge | Extractor::StrictGrade => {
                strict2::read(asked, output, judge).0
            }
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
            Extractor::Strict | Extractor::StrictJudge | Extractor::StrictGrade => {
                strict2::trace(asked, output, judge)
            }
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
