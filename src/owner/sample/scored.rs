//! The scores of the sample, and rules on them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::context::OwnerContext;
use benchtop_compose::sample::{MARK, scores};
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::Fingerprint;
use benchtop_model::judge::{JudgeAnswer, Unparsed, Word};
use benchtop_model::scoring::rules::{Condition, Join, Rule, RuleAction, Threshold};
use benchtop_model::scoring::{Measure, Score, ScoreState, Scorer};
use benchtop_model::{Item, Result};
use benchtop_store::rules;
use benchtop_store::scores::{ScorerVersion, Scores};

/// Scores all items, and adds the rules to those of the project.
pub(super) fn make(shared: &Arc<OwnerContext>, cancel: Cancel<'_>) -> Result<()> {
    let judge = Scorer::Judge(scores::JUDGE.into());
    score(shared, Scorer::Clip, scores::LOGIT, cancel, |item| {
        let cosine = scores::cosine(item);
        let detail = json!({ "logit": cosine * scores::LOGIT, "note": scores::MODEL });
        Score::scored(cosine, detail.to_string())
    })?;
    score(shared, judge.clone(), 1.0, cancel, judged)?;
    let mut all = rules::read(&shared.project)?;
    all.rules.rules.extend([
        rule("weak-match", Scorer::Clip, 23.0),
        rule("answer-does-not-stand", judge, 0.5),
    ]);
    let written = rules::write(&shared.project, &all.rules, &all.revision)?;
    shared.scoring.rescored(shared, written);
    Ok(())
}

fn score(
    shared: &OwnerContext,
    scorer: Scorer,
    logit: f32,
    cancel: Cancel<'_>,
    of: impl Fn(&Item) -> Score,
) -> Result<()> {
    let (_, inputs) = shared.scoring.inputs(shared, cancel)?;
    let catalog = shared.items.catalog();
    let mut by_key = BTreeMap::new();
    for row in 0..catalog.len() {
        if let Some(key) = inputs.key(&scorer, row) {
            by_key.insert(key, of(&catalog.item(row)?));
        }
    }
    let print = Fingerprint::default().with("model", scores::MODEL);
    let about = ScorerVersion::new(scorer, scores::MODEL.into(), &print, logit);
    let rows: Vec<(u64, Score)> = by_key.into_iter().collect();
    Scores::make_current(&shared.project.scores(), about)?.append(&rows)
}

/// The reading of a judge's answer, as the judge's runner stores it.
fn judged(item: &Item) -> Score {
    let stands = scores::stands(item);
    let (raw, said) = match stands {
        Some(true) => ("yes", JudgeAnswer::Word(Word::Yes)),
        Some(false) => ("no", JudgeAnswer::Word(Word::No)),
        None => (
            "The picture could mean either.",
            JudgeAnswer::Unparsed(Unparsed::Neither),
        ),
    };
    let detail = json!({
        "raw": raw, "said": said, "found": null, "reason": null, "pass": Word::Yes,
        "certainty": null, "finish": "stop", "model": scores::MODEL,
    })
    .to_string();
    match stands {
        Some(stands) => Score::scored(f32::from(stands), detail),
        None => Score::without_number(ScoreState::Unparsed, detail),
    }
}

fn rule(name: &str, scorer: Scorer, threshold: f64) -> Rule {
    let measure = Measure::with_default_scale(scorer);
    let threshold = Threshold::new(threshold);
    Rule {
        name: format!("{MARK}{name}"),
        then: RuleAction::Flag,
        join: Join::All,
        conditions: threshold
            .map(|threshold| Condition::suspicious(measure, threshold))
            .into_iter()
            .collect(),
    }
}
