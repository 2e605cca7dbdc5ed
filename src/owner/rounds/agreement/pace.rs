//! One's own pace.

use super::collect::walk;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_metrics::agreement::pace::pace;
use benchtop_model::agreement::analysis::OwnPace;
use benchtop_model::annotator::Step;
use benchtop_model::{Result, Verdict};
use benchtop_protocol::wire::request;

impl Query for request::Pace {
    /// The pace of the annotator, in a round or overall. It covers all items shown; gold items and
    /// repeats are not distinguished.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) for an unknown round;
    /// [`ErrorKind::Cancelled`](benchtop_model::ErrorKind::Cancelled).
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<OwnPace> {
        let (round, cancel) = (self.0.as_deref(), watch.cancel);
        if let Some(name) = round {
            view.shared().rounds.of(name, |_| ())?;
        }
        let mut all: Vec<(Step, bool)> = Vec::new();
        walk(view, cancel, &mut |ledger, places| {
            let Some(me) = ledger.names().position(|name| name == view.who()) else {
                return;
            };
            for told in ledger
                .counted_verdicts(places)
                .filter(|told| usize::from(told.person) == me)
            {
                let j = told.judgement;
                let here =
                    round.is_none() || j.round.as_ref().map(|asked| asked.round.as_str()) == round;
                if here && j.verdict != Verdict::Skip {
                    let verdict = Verdict::ALL
                        .iter()
                        .position(|v| *v == j.verdict)
                        .unwrap_or_default() as u8;
                    all.push((
                        Step {
                            at: told.at,
                            ms: j.ms.unwrap_or_default(),
                            verdict,
                        },
                        j.ms.is_some(),
                    ));
                }
            }
        })?;
        let accept = Verdict::ALL
            .iter()
            .position(|v| *v == Verdict::Accept)
            .unwrap_or_default() as u8;
        let timed: Vec<Step> = all
            .iter()
            .filter(|(_, timed)| *timed)
            .map(|(step, _)| *step)
            .collect();
        let steps: Vec<Step> = all.into_iter().map(|(step, _)| step).collect();
        // Verdicts from scripts and unconfirmed terminals have no duration. They must not count as fast
        // ones.
        let known = pace(&timed, accept);
        let mut pace = pace(&steps, accept);
        (pace.median_seconds, pace.drift) = (known.median_seconds, known.drift);
        let (who, round) = (view.who().to_string(), round.map(str::to_string));
        Ok(OwnPace {
            who,
            round,
            pace,
            timed: timed.len() as u64,
        })
    }
}
