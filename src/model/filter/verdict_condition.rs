//! Filter conditions on verdicts.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::taxonomy;
use crate::verdict::{Judgement, Seen, Verdict};

/// Conditions on one effective verdict. Values of a field are alternatives; all fields must match.
/// Empty if verdicts do not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictCondition {
    /// Annotators.
    pub who: Vec<String>,
    pub verdict: Vec<Verdict>,
    /// Keys of reasons, each with those below it. An empty string matches verdicts without reasons.
    pub reason: Vec<String>,
    /// Keys of tags, each with those below it. An empty string matches verdicts without tags.
    pub tag: Vec<String>,
    /// Text in the note, ignoring case. An empty string matches verdicts without a note.
    pub note: Vec<String>,
    /// How much of the item had been drawn on screen.
    pub seen: Vec<Seen>,
    /// Rounds. An empty string matches verdicts outside of rounds.
    pub round: Vec<String>,
}

impl VerdictCondition {
    /// Whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        *self == VerdictCondition::default()
    }

    /// Whether a verdict by `who` meets all conditions.
    pub fn passes(&self, who: &str, judgement: &Judgement) -> bool {
        let note = judgement.note.as_deref().unwrap_or_default().to_lowercase();
        let round = judgement
            .round
            .as_ref()
            .map_or("", |asked| asked.round.as_str());
        let among = |wanted: &str, keys: &[String]| match wanted {
            "" => keys.is_empty(),
            wanted => keys.iter().any(|key| taxonomy::is_within(key, wanted)),
        };
        let noted = |wanted: &String| match wanted.as_str() {
            "" => note.is_empty(),
            wanted => note.contains(&wanted.to_lowercase()),
        };
        (self.who.is_empty() || self.who.iter().any(|wanted| wanted == who))
            && (self.verdict.is_empty() || self.verdict.contains(&judgement.verdict))
            && (self.reason.is_empty() || self.reason.iter().any(|r| among(r, &judgement.reasons)))
            && (self.tag.is_empty() || self.tag.iter().any(|tag| among(tag, &judgement.tags)))
            && (self.note.is_empty() || self.note.iter().any(noted))
            && (self.seen.is_empty() || self.seen.contains(&judgement.seen))
            && (self.round.is_empty() || self.round.iter().any(|wanted| wanted == round))
    }
}

/// A value of `judged:`: `yes`, `no`, a UTC day (`2026-11-20`), `<DAY`, `<=DAY`, `>DAY`, `>=DAY`,
/// or `DAY..DAY`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedTime {
    /// The value as written.
    #[serde(rename = "words")]
    pub text: String,
    /// First matching time in milliseconds since 1970. Items without verdicts have time 0.
    pub from: i64,
    /// First time after the matching ones.
    pub until: i64,
}

impl JudgedTime {
    /// Parses a value of `judged:`.
    pub fn parse(words: &str) -> Option<JudgedTime> {
        let day = |text: &str| -> Option<(i64, i64)> {
            let day: Date = text.parse().ok()?;
            let start = |day: Date| {
                Some(
                    day.to_zoned(TimeZone::UTC)
                        .ok()?
                        .timestamp()
                        .as_millisecond(),
                )
            };
            Some((start(day)?, start(day.tomorrow().ok()?)?))
        };
        let (from, until) = match words {
            "no" => (0, 1),
            "yes" => (1, i64::MAX),
            _ => match words.split_once("..") {
                Some((first, last)) => (day(first)?.0, day(last)?.1),
                None if words.starts_with(">=") => (day(&words[2..])?.0, i64::MAX),
                None if words.starts_with("<=") => (1, day(&words[2..])?.1),
                None if words.starts_with('>') => (day(&words[1..])?.1, i64::MAX),
                None if words.starts_with('<') => (1, day(&words[1..])?.0),
                None => day(words)?,
            },
        };
        (from < until).then(|| JudgedTime {
            text: words.into(),
            from,
            until,
        })
    }

    /// Whether a last verdict at this time (milliseconds since 1970; 0 for never) matches.
    pub fn passes(&self, at: i64) -> bool {
        (self.from..self.until).contains(&at)
    }
}

named!(Seen {
    Painted: "painted",
    Partly: "partly",
    Unconfirmed: "unconfirmed",
    Script: "script",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_utc_and_end_at_midnight() {
        let day = 86_400_000;
        let judged = |words| JudgedTime::parse(words).unwrap();
        assert!(judged("1970-01-03").passes(2 * day) && judged("1970-01-03").passes(3 * day - 1));
        assert!(!judged("1970-01-03").passes(3 * day) && !judged("1970-01-03").passes(2 * day - 1));
        assert!(
            judged(">1970-01-03").passes(3 * day) && !judged(">1970-01-03").passes(3 * day - 1)
        );
        assert!(
            judged(">=1970-01-03").passes(2 * day) && judged("<=1970-01-03").passes(3 * day - 1)
        );
        assert!(
            judged("<1970-01-03").passes(2 * day - 1) && !judged("<1970-01-03").passes(2 * day)
        );
        assert!(
            judged("1970-01-02..1970-01-03").passes(day)
                && !judged("1970-01-02..1970-01-03").passes(3 * day)
        );
        assert!(
            judged("no").passes(0)
                && !judged("no").passes(1)
                && judged("yes").passes(1)
                && !judged("yes").passes(0)
        );
        assert!(
            !judged("<1970-01-03").passes(0),
            "no verdict is not a verdict before that day"
        );
        for wrong in [
            "",
            "maybe",
            "2026-13-01",
            "2026-11-20..",
            "2026-11-20..2026-11-19",
            "<",
        ] {
            assert!(JudgedTime::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn conditions_apply_to_one_verdict() {
        let said = VerdictCondition {
            who: vec!["ann".into()],
            verdict: vec![Verdict::Reject],
            ..VerdictCondition::default()
        };
        assert!(said.passes("ann", &Judgement::new(Verdict::Reject, Seen::Painted)));
        assert!(!said.passes("bob", &Judgement::new(Verdict::Reject, Seen::Painted)));
        assert!(!said.passes("ann", &Judgement::new(Verdict::Accept, Seen::Painted)));
        let noted = VerdictCondition {
            note: vec!["BLUR".into()],
            ..VerdictCondition::default()
        };
        let note = Some("too blurry".to_string());
        assert!(noted.passes(
            "ann",
            &Judgement {
                note,
                ..Judgement::new(Verdict::Accept, Seen::Painted)
            }
        ));
        assert!(!noted.passes("ann", &Judgement::new(Verdict::Accept, Seen::Painted)));
        let bare = VerdictCondition {
            note: vec![String::new()],
            reason: vec![String::new()],
            ..VerdictCondition::default()
        };
        assert!(bare.passes("ann", &Judgement::new(Verdict::Accept, Seen::Painted)));
    }
}
