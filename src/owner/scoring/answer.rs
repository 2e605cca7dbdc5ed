//! Handles requests about scores and rules.

use std::sync::Arc;

use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::queries;
use crate::visibility::AnnotatorView;
use benchtop_model::cancel::Cancel;
use benchtop_model::scoring::job::ScoringState;
use benchtop_model::scoring::queries::{
    Counted, Explanation, FlagOrder, MatchingRule, RulesDiff, RulesState, Sample, ScorerState,
    ThresholdTuning,
};
use benchtop_model::scoring::{Outcome, Scorer};
use benchtop_model::{Error, Filter, Item, Result, Status};
use benchtop_pipeline::scoring::column::Column;
use benchtop_pipeline::scoring::rules::{Outcomes, scorers};
use benchtop_pipeline::scoring::{build, explain, flag_priority, threshold_tuning};
use benchtop_protocol::wire::request;
use benchtop_store::{StatusColumns, rules};

/// Maximum number of characters of a sample's text.
const TEXT: usize = 200;

impl Query for request::Score {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<ScoringState> {
        view.check_filter(&Filter::parse(&self.0.filter)?)?;
        let of = (&self.0, self.1);
        view.scoring.begin(view, view.who(), of, watch.cancel)
    }
}

impl Query for request::Rules {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<RulesState> {
        rules_state(view, watch.cancel)
    }
}

impl Query for request::TryRules {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<RulesDiff> {
        let (shared, scoring, next) = (view.shared(), &view.scoring, &self.0);
        let (before, _, now) = scoring.outcomes(shared, watch.cancel)?;
        let columns = scoring.columns(shared, scorers(&next.measures()), watch.cancel)?;
        let then = Outcomes::of(next, &columns, &shared.items.catalog());
        Ok(now.diff(&then, &statuses(shared), (&before, next)))
    }
}

impl Query for request::ApplyRules {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<RulesState> {
        view.scoring.rules_are(
            view,
            rules::write(&view.project, &self.rules, &self.revision)?,
        );
        rules_state(view, watch.cancel)
    }
}

impl Query for request::RevertRules {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<RulesState> {
        view.scoring
            .rules_are(view, rules::revert(&view.project, &self.revision)?);
        rules_state(view, watch.cancel)
    }
}

fn statuses(shared: &OwnerContext) -> StatusColumns {
    shared.items.data().overlay.snapshot(false)
}

impl Query for request::Scorers {
    /// All scorers: the built-in ones, and a judge for each question in the metadata, the scores, or
    /// the rules.
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Vec<ScorerState>> {
        let (shared, cancel) = (view.shared(), watch.cancel);
        let mut all: Vec<Scorer> = Scorer::ALL.to_vec();
        let judges = build::judges(&shared.project)
            .into_iter()
            .map(Scorer::Judge);
        let known = benchtop_store::scores::scorers(&shared.project.scores());
        for scorer in judges
            .chain(known)
            .chain(scorers(&shared.scoring.rules(shared).set().measures()))
        {
            if !all.contains(&scorer) {
                all.push(scorer);
            }
        }
        let state = |scorer: Scorer| {
            let mut not_ready = shared.scoring.not_ready(&shared.project, &scorer);
            let column = match shared.scoring.column(shared, &scorer, cancel) {
                // Its setting names a column that the board does not have.
                Err(problem) if scorer == Scorer::Consensus && problem.place.field.is_some() => {
                    not_ready = Some(problem.to_string());
                    Arc::new(Column::without(shared.items.catalog().len()))
                }
                found => found?,
            };
            Ok(ScorerState {
                what: scorer.help().into(),
                doubt: scorer.suspicious_end(),
                not_ready,
                version: column.version.clone(),
                items: column.counts(),
                job: shared.scoring.job_of(shared, &scorer),
                scorer,
            })
        };
        all.into_iter().map(state).collect()
    }
}

impl Query for request::ThresholdTuning {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<ThresholdTuning> {
        let (shared, ask, cancel) = (view.shared(), &self.0, watch.cancel);
        let column = shared.scoring.column(shared, &ask.measure.scorer, cancel)?;
        let other = match &ask.other {
            Some((measure, _)) => Some(shared.scoring.column(shared, &measure.scorer, cancel)?),
            None => None,
        };
        let rows = match ask.filter.is_empty() {
            true => None,
            false => Some(
                queries::numbers(&AnnotatorView::unrestricted(shared), &ask.filter)?
                    .into_iter()
                    .map(|n| n - 1)
                    .collect::<Vec<u32>>(),
            ),
        };
        let catalog = shared.items.catalog();
        let (mut tuning, near) = threshold_tuning::analyze(
            ask,
            (&column, other.as_deref()),
            (&catalog, &statuses(shared)),
            rows.as_deref(),
        )?;
        let sample = |row: &u32| -> Result<Sample> {
            let json = queries::line(shared, *row)?;
            let item: Item = serde_json::from_str(&json)
                .map_err(|e| Error::corrupt(format!("cannot read item #{}: {e}", row + 1)))?;
            let text = item.prompt.unwrap_or(item.question);
            let picture = item
                .images
                .into_iter()
                .next()
                .and_then(|i| Some((i.hash?, i.ext.unwrap_or_default())));
            let value = ask.measure.shown(
                column.value(*row as usize).unwrap_or_default(),
                column.logit,
            );
            Ok(Sample {
                number: row + 1,
                value,
                picture,
                text: text.chars().take(TEXT).collect(),
            })
        };
        tuning.good = near.good.iter().map(sample).collect::<Result<_>>()?;
        tuning.bad = near.bad.iter().map(sample).collect::<Result<_>>()?;
        Ok(tuning)
    }
}

fn rules_state(shared: &Arc<OwnerContext>, cancel: Cancel<'_>) -> Result<RulesState> {
    let (rules, _, outcomes) = shared.scoring.outcomes(shared, cancel)?;
    let held = shared.scoring.rules(shared);
    Ok(RulesState {
        rules,
        revision: held.written.map(|w| w.revision).unwrap_or_default(),
        tally: outcomes.tally(&statuses(shared)),
        hits: outcomes.hits.clone(),
        history: rules::reverts(&shared.project),
        problem: held.problem,
    })
}

impl Query for request::FlaggedItems {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Vec<u32>> {
        let (shared, order, cancel) = (view.shared(), self.order, watch.cancel);
        let mut filter = self.filter;
        if filter.outcome.is_empty() && order != FlagOrder::AgainstPeople {
            filter.outcome = vec![Outcome::Flagged, Outcome::Parked];
        }
        let rows: Vec<u32> = queries::numbers(&AnnotatorView::unrestricted(shared), &filter)?
            .into_iter()
            .map(|n| n - 1)
            .collect();
        let (rules, columns, outcomes) = shared.scoring.outcomes(shared, cancel)?;
        let ordered = flag_priority::order(
            &rows,
            order,
            self.seed,
            (&rules, &columns, &outcomes),
            (&shared.items.catalog(), &statuses(shared)),
        );
        Ok(ordered.into_iter().map(|row| row + 1).collect())
    }
}

/// The rules that match the item in `row`, as far as known without waiting.
pub fn chips(shared: &Arc<OwnerContext>, row: u32) -> Vec<MatchingRule> {
    let cached = shared.scoring.cached(shared);
    cached.map_or(Vec::new(), |(rules, columns)| {
        explain::chips(&rules, &columns, &shared.items.catalog(), row as usize)
    })
}

impl Query for request::Explain {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Explanation> {
        view.check_item(self.number)?;
        let (shared, cancel) = (view.shared(), watch.cancel);
        let catalog = shared.items.catalog();
        let row = catalog.row(self.number)? as usize;
        let (rules, _, outcomes) = shared.scoring.outcomes(shared, cancel)?;
        let known = benchtop_store::scores::scorers(&shared.project.scores()).into_iter();
        let asked = scorers(&rules.measures());
        let columns = shared.scoring.columns(
            shared,
            known.chain(asked).chain([Scorer::Consensus, Scorer::Blind]),
            cancel,
        )?;
        let (_, inputs) = shared.scoring.inputs(shared, cancel)?;
        let detail = |scorer: &Scorer| {
            if matches!(scorer, Scorer::Consensus | Scorer::Blind) {
                return counted(shared, scorer, row);
            }
            let key = inputs.key(scorer, row);
            let found = shared.scoring.scores(shared, scorer).ok().flatten();
            let score = key.zip(found).map(|(key, scores)| scores.lock().score(key));
            match score {
                Some(Ok(score)) => {
                    let counted = if *scorer == Scorer::Alignment {
                        of_alignment(&score.detail)
                    } else {
                        None
                    };
                    (score.detail, false, counted)
                }
                Some(Err(problem)) => (
                    serde_json::json!({ "why": problem.to_string() }).to_string(),
                    false,
                    None,
                ),
                None => (String::new(), false, None),
            }
        };
        let overlay = statuses(shared);
        let mut said = explain::explain(
            row,
            (&rules, &columns, &outcomes),
            (&catalog, &overlay),
            &detail,
        );
        said.nearest_accepted = nearest_accepted(shared, row, &inputs.picture, &overlay)?;
        Ok(said)
    }
}

/// Explains a score that is computed from predictions.
fn counted(shared: &Arc<OwnerContext>, scorer: &Scorer, row: usize) -> explain::StoredScore {
    match queries::counted_of(shared, scorer, row) {
        Ok(Some((counted, tally, models))) if counted.n + counted.left_out > 0 => {
            let missing = tally.unknown - tally.refused - tally.unparsed;
            let mut said = serde_json::json!({
                "right": tally.right, "wrong": tally.against, "refused": tally.refused, "unparsed": tally.unparsed,
                "missing": missing,
            });
            if !models.is_empty() {
                said["models"] = models.into();
            }
            (said.to_string(), false, Some(counted))
        }
        Ok(_) => (String::new(), false, None),
        Err(problem) => (
            serde_json::json!({ "why": problem.to_string() }).to_string(),
            false,
            None,
        ),
    }
}

/// The number of questions that a picture passes, if the score records it.
fn of_alignment(detail: &str) -> Option<Counted> {
    let said: serde_json::Value = serde_json::from_str(detail).ok()?;
    let of = |name: &str| said.get(name)?.as_u64();
    Some(Counted {
        k: of("right")?,
        n: of("known")?,
        left_out: of("left_out")?,
    })
}

/// The accepted item with the most similar picture, with the cosine similarity.
fn nearest_accepted(
    shared: &Arc<OwnerContext>,
    row: usize,
    pictures: &[u64],
    overlay: &StatusColumns,
) -> Result<Option<(u32, f32)>> {
    let Some(embeddings) = shared.scoring.embeddings(shared)? else {
        return Ok(None);
    };
    let Some(mine) = pictures.get(row).and_then(|key| embeddings.get(*key)) else {
        return Ok(None);
    };
    let accepted = (0..overlay.len())
        .filter(|r| overlay.status(*r) == Status::Accepted && pictures[*r] != pictures[row]);
    let of = |at: usize| {
        Some((
            at as u32 + 1,
            dot(mine, embeddings.get(*pictures.get(at)?)?),
        ))
    };
    Ok(accepted.filter_map(of).max_by(|a, b| a.1.total_cmp(&b.1)))
}

fn dot(a: &[half::f16], b: &[half::f16]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.to_f32() * b.to_f32()).sum()
}
