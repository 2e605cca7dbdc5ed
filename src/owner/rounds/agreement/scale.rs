//! Maps verdicts to the categories of a scale.

use super::collect::{Keep, VerdictRecord, one_each};
use benchtop_model::agreement::{MAX_CATEGORIES, Scale, UNKNOWN};
use benchtop_model::round::Protocol;
use benchtop_model::sorting::sort_by;
use benchtop_model::verdict::Part;
use benchtop_model::{Result, Verdict};

/// Category of accepted items.
const ACCEPTED: u8 = 0;
/// Category of items not accepted as they are.
const REFUSED: u8 = 1;

/// A scale with its categories.
pub(super) struct Scaled {
    pub(super) scale: Scale,
    /// Names of the categories.
    pub(super) categories: Vec<String>,
    /// Remarks for the reader.
    pub(super) notes: Vec<String>,
    /// The category of each answer.
    answers: Vec<u8>,
}

impl Scaled {
    /// The scale of a protocol. "Fix" counts as a rejection, as for gold items, because the defect
    /// was seen. Each answer is a category of its own.
    pub(super) fn new(
        protocol: Protocol,
        records: &[VerdictRecord],
        answers: &[String],
    ) -> Result<Scaled> {
        let Some(keys) = protocol.key_labels() else {
            return of_answers(records, answers);
        };
        let fixes = records
            .iter()
            .filter(|record| record.part == Part::Main && record.verdict == Verdict::Fix)
            .count();
        let refused = if fixes > 0 {
            format!("{} or fix", keys.reject)
        } else {
            keys.reject.to_string()
        };
        Ok(Scaled {
            scale: Scale::new(2, ACCEPTED)?,
            categories: vec![keys.accept.into(), refused],
            notes: Vec::new(),
            answers: Vec::new(),
        })
    }

    /// The category of a verdict; [`UNKNOWN`] for skips, flags, and unsure verdicts.
    pub(super) fn category(&self, record: &VerdictRecord) -> u8 {
        match record.verdict {
            Verdict::Accept => ACCEPTED,
            Verdict::Reject | Verdict::Fix => REFUSED,
            Verdict::Skip | Verdict::Flag | Verdict::Unsure => UNKNOWN,
            Verdict::Answer => record
                .answer
                .and_then(|at| self.answers.get(at as usize))
                .copied()
                .unwrap_or(UNKNOWN),
        }
    }
}

/// A category for each answer, limited to the most frequent ones.
fn of_answers(records: &[VerdictRecord], answers: &[String]) -> Result<Scaled> {
    let mut counts = vec![0u64; answers.len()];
    for record in one_each(records, Part::Main, Keep::First) {
        if let Some(count) = record.answer.and_then(|at| counts.get_mut(at as usize)) {
            *count += 1;
        }
    }
    let mut order: Vec<usize> = (0..answers.len()).filter(|at| counts[*at] > 0).collect();
    sort_by(&mut order, |a, b| {
        counts[*b]
            .cmp(&counts[*a])
            .then_with(|| answers[*a].cmp(&answers[*b]))
    });
    let left: u64 = order
        .iter()
        .skip(usize::from(MAX_CATEGORIES))
        .map(|at| counts[*at])
        .sum();
    order.truncate(usize::from(MAX_CATEGORIES));
    sort_by(&mut order, |a, b| answers[*a].cmp(&answers[*b]));
    let mut categories: Vec<String> = order.iter().map(|at| answers[*at].clone()).collect();
    let mut codes = vec![UNKNOWN; answers.len()];
    for (code, at) in order.into_iter().enumerate() {
        codes[at] = code as u8;
    }
    // Another answer was always possible.
    while categories.len() < 2 {
        categories.push("another answer".into());
    }
    let notes = match left {
        0 => Vec::new(),
        n => vec![format!(
            "{n} answers are not among the {MAX_CATEGORIES} most frequent and count as missing"
        )],
    };
    Ok(Scaled {
        scale: Scale::new(categories.len() as u8, ACCEPTED)?,
        categories,
        notes,
        answers: codes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(row: u32, verdict: Verdict, answer: Option<u32>) -> VerdictRecord {
        VerdictRecord {
            row,
            person: 0,
            part: Part::Main,
            verdict,
            answer,
            guidelines: None,
            revealed: false,
            at: 0,
        }
    }

    #[test]
    fn undecided_verdicts_are_unknown() {
        let fix = [record(0, Verdict::Fix, None)];
        let scaled = Scaled::new(Protocol::BothAccept, &fix, &[]).unwrap();
        assert_eq!(scaled.categories, ["accept", "reject or fix"]);
        let category = |verdict| scaled.category(&record(0, verdict, None));
        let found = Verdict::ALL.map(category);
        assert_eq!(found, [0, 1, 1, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]);
        let scaled = Scaled::new(Protocol::Equivalence, &[], &[]).unwrap();
        assert_eq!(scaled.categories, ["same answer", "another answer"]);
    }

    #[test]
    fn rare_answers_are_unknown() {
        let one = Scaled::new(
            Protocol::Answer,
            &[record(0, Verdict::Answer, Some(0))],
            &["b".into()],
        )
        .unwrap();
        assert_eq!(
            (one.categories, one.scale.categories),
            (vec!["b".to_string(), "another answer".into()], 2)
        );
        let texts: Vec<String> = (0..20).map(|n| format!("{n:02}")).collect();
        // Later answers are more frequent; the first four occur once.
        let all: Vec<VerdictRecord> = (0..20u32)
            .flat_map(|a| {
                (0..if a < 4 { 1 } else { 2 })
                    .map(move |n| record(a * 2 + n, Verdict::Answer, Some(a)))
            })
            .collect();
        let many = Scaled::new(Protocol::Answer, &all, &texts).unwrap();
        assert_eq!(
            (many.scale.categories, many.categories[0].as_str()),
            (16, "04")
        );
        assert_eq!(many.category(&record(0, Verdict::Answer, Some(3))), UNKNOWN);
        assert_eq!(many.category(&record(0, Verdict::Answer, Some(4))), 0);
        assert!(many.notes[0].starts_with("4 answers"), "{:?}", many.notes);
    }
}
