//! What verdicts are on a scale of categories.

use super::collect::{Keep, Said, one_each};
use benchtop_model::agreement::{MOST_CATEGORIES, Scale, UNKNOWN};
use benchtop_model::round::Protocol;
use benchtop_model::verdict::Part;
use benchtop_model::{Result, Verdict};

/// The category of what is accepted.
const ACCEPTED: u8 = 0;
/// The category of what is not accepted as it is.
const REFUSED: u8 = 1;

/// A scale, its words, and what lies on it.
pub(super) struct Scaled {
    pub(super) scale: Scale,
    /// The categories in words.
    pub(super) categories: Vec<String>,
    /// What a reader must know of it.
    pub(super) notes: Vec<String>,
    /// The category of each answer.
    answers: Vec<u8>,
}

impl Scaled {
    /// The scale of a protocol. To want an item fixed is to have seen that it is not right as it is, and so lies with the
    /// rejections, as it does for known items. Answers have a category each.
    ///
    /// # Errors
    /// None that is known: the scale is made to fit.
    pub(super) fn new(protocol: Protocol, said: &[Said], answers: &[String]) -> Result<Scaled> {
        let Some(keys) = protocol.keys() else {
            return of_answers(said, answers);
        };
        let fixes = said
            .iter()
            .filter(|said| said.part == Part::Main && said.verdict == Verdict::Fix)
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

    /// The category of a verdict; skipped, flagged and unsure ones are [`UNKNOWN`].
    pub(super) fn category(&self, said: &Said) -> u8 {
        match said.verdict {
            Verdict::Accept => ACCEPTED,
            Verdict::Reject | Verdict::Fix => REFUSED,
            Verdict::Skip | Verdict::Flag | Verdict::Unsure => UNKNOWN,
            Verdict::Answer => said
                .answer
                .and_then(|at| self.answers.get(at as usize))
                .copied()
                .unwrap_or(UNKNOWN),
        }
    }
}

/// A category for each answer, the commonest ones where they are more than can be compared.
fn of_answers(said: &[Said], answers: &[String]) -> Result<Scaled> {
    let mut counts = vec![0u64; answers.len()];
    for said in one_each(said, Part::Main, Keep::First) {
        if let Some(count) = said.answer.and_then(|at| counts.get_mut(at as usize)) {
            *count += 1;
        }
    }
    let mut order: Vec<usize> = (0..answers.len()).filter(|at| counts[*at] > 0).collect();
    order.sort_by(|a, b| {
        counts[*b]
            .cmp(&counts[*a])
            .then_with(|| answers[*a].cmp(&answers[*b]))
    });
    let left: u64 = order
        .iter()
        .skip(usize::from(MOST_CATEGORIES))
        .map(|at| counts[*at])
        .sum();
    order.truncate(usize::from(MOST_CATEGORIES));
    order.sort_by(|a, b| answers[*a].cmp(&answers[*b]));
    let mut categories: Vec<String> = order.iter().map(|at| answers[*at].clone()).collect();
    let mut codes = vec![UNKNOWN; answers.len()];
    for (code, at) in order.into_iter().enumerate() {
        codes[at] = code as u8;
    }
    // There is always another answer that could have been given.
    while categories.len() < 2 {
        categories.push("another answer".into());
    }
    let notes = match left {
        0 => Vec::new(),
        n => vec![format!(
            "{n} answers are not among the {MOST_CATEGORIES} commonest and are not compared: they count as missing"
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

    fn said(row: u32, verdict: Verdict, answer: Option<u32>) -> Said {
        Said {
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
    fn what_is_not_known_is_on_no_scale() {
        let fix = [said(0, Verdict::Fix, None)];
        let scaled = Scaled::new(Protocol::BothAccept, &fix, &[]).unwrap();
        assert_eq!(scaled.categories, ["accept", "reject or fix"]);
        let category = |verdict| scaled.category(&said(0, verdict, None));
        let found = Verdict::ALL.map(category);
        assert_eq!(found, [0, 1, 1, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]);
        let scaled = Scaled::new(Protocol::Equivalence, &[], &[]).unwrap();
        assert_eq!(scaled.categories, ["same answer", "another answer"]);
    }

    #[test]
    fn answers_have_a_category_each_and_rare_ones_none() {
        let one = Scaled::new(
            Protocol::Answer,
            &[said(0, Verdict::Answer, Some(0))],
            &["b".into()],
        )
        .unwrap();
        assert_eq!(
            (one.categories, one.scale.categories),
            (vec!["b".to_string(), "another answer".into()], 2)
        );
        let texts: Vec<String> = (0..20).map(|n| format!("{n:02}")).collect();
        // The later ones are given more often; the first four once.
        let all: Vec<Said> = (0..20u32)
            .flat_map(|a| {
                (0..if a < 4 { 1 } else { 2 })
                    .map(move |n| said(a * 2 + n, Verdict::Answer, Some(a)))
            })
            .collect();
        let many = Scaled::new(Protocol::Answer, &all, &texts).unwrap();
        assert_eq!(
            (many.scale.categories, many.categories[0].as_str()),
            (16, "04")
        );
        assert_eq!(many.category(&said(0, Verdict::Answer, Some(3))), UNKNOWN);
        assert_eq!(many.category(&said(0, Verdict::Answer, Some(4))), 0);
        assert!(
            many.notes[0].starts_with("4 answers are not among the 16"),
            "{:?}",
            many.notes
        );
    }
}
