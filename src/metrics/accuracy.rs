//! Plain accuracy for questions outside image pairs that have options or are answered by yes or no.

use std::collections::BTreeSet;

use super::score::{Measure, Question, Unit};
use crate::model::QuestionKind;

/// `Acc` over all such questions, `Acc.type.<type>` for every question type and `Acc.<subtask>` for every subtask there is; none
/// without such questions. Letters are read by [`super::extract::Extractor::MvpMcq`].
pub fn measures(questions: &[Question]) -> Vec<Measure> {
    let plain = || (0u32..).zip(questions).filter(|(_, q)| q.pair.is_none());
    let mut all = Measure::new("Acc", "Acc", "an answer to a question with options or by yes or no", Unit::Answer);
    plain().for_each(|(at, _)| all.push([at]));
    if all.is_empty() {
        return Vec::new();
    }
    let mut found = vec![all];
    for kind in QuestionKind::ALL {
        let help = "an answer to a question of this type";
        let mut measure = Measure::new(format!("Acc.type.{}", kind.name()), "Acc by type", help, Unit::Answer);
        plain().filter(|(_, q)| q.kind == kind).for_each(|(at, _)| measure.push([at]));
        found.push(measure);
    }
    let subtasks: BTreeSet<&str> = plain().filter_map(|(_, q)| q.subtask.as_deref()).collect();
    for subtask in subtasks {
        let help = "an answer to a question of this subtask";
        let mut measure = Measure::new(format!("Acc.{subtask}"), "Acc by subtask", help, Unit::Answer);
        plain().filter(|(_, q)| q.subtask.as_deref() == Some(subtask)).for_each(|(at, _)| measure.push([at]));
        found.push(measure);
    }
    found.retain(|m| !m.is_empty());
    found
}
