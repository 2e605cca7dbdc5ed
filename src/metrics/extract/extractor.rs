//! The rules that read answers: their names and versions.

use serde::{Deserialize, Serialize};

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
    /// [`StrictJudge`](Extractor::StrictJudge), and the score of a free-form answer is the grade that a
    /// judge gave it (see [`judge_grading`](super::judge_grading)), in place of its similarity.
    StrictGrade,
    /// Dysca's released `Dysca_compute.py` (lines 37 to 86), including its faults: the last letter
    /// in brackets, else the last capital letter, else the option with the smallest Levenshtein
    /// distance. No output is unparsed.
    LegacyDysca,
    /// The first `[[X]]` (AutoBench-V, `pipeline.py`) with exactly one capital letter in it.
    FirstBracket,
    /// Yes or no: the first word, or the only one of the two words in the output.
    YesNo,
}

impl Extractor {
    pub const ALL: [Extractor; 11] = [
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
        Extractor::StrictGrade,
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
            Extractor::StrictGrade => "strict+grade@1",
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
        matches!(self, Extractor::StrictJudge | Extractor::StrictJudge1) || self.grades()
    }

    /// Whether free-form answers are graded by a judge.
    pub fn grades(self) -> bool {
        self == Extractor::StrictGrade
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
