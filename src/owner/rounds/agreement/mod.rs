//! Agreement in a round or outside of rounds, quality of each annotator, and one's own pace.
//!
//! Agreement uses first verdicts, given before verdicts of others could be seen. Skips, flags, and
//! unsure verdicts count as missing and never as agreement.
//!
//! | module | purpose |
//! |---|---|
//! | `collect` | reads verdicts from the ledger in chunks |
//! | `material` | what agreement is computed from |
//! | `scale` | verdicts as categories |
//! | `quality` | each person against gold items and against themselves |
//! | `report` | the report of a round |
//! | `pace` | one's own pace |

pub(super) mod collect;
mod material;
mod pace;
mod quality;
mod report;
mod scale;

pub(super) use self::material::allowed;

use self::material::Material;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_metrics::agreement::{methods_paragraph, quality_sentences, round_sentences};
use benchtop_model::Result;
use benchtop_model::agreement::analysis::{AgreementAnalysis, AgreementQuery, GroupBy, Row};
use benchtop_protocol::wire::request;

impl Query for request::Agreement {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<AgreementAnalysis> {
        Material::of(view, self.0.round.as_deref(), watch.cancel)?.agreed(&self.0)
    }
}

impl Material<'_> {
    fn agreed(&self, ask: &AgreementQuery) -> Result<AgreementAnalysis> {
        let mut counts = self.agreement.counts().clone();
        if ask.by != GroupBy::Pair {
            counts = counts.everybody();
        }
        let report = self.measured(&counts, ask.bootstrap)?;
        let quality = quality::of(self)?;
        let categories: Vec<&str> = self.scaled.categories.iter().map(String::as_str).collect();
        let round = self.snapshot.as_ref().map(|snapshot| &snapshot.round);
        let mut methods = vec![
            methods_paragraph(&report, &categories),
            quality_sentences(&quality),
        ];
        if let Some(round) = round {
            methods.insert(0, round_sentences(round));
        }
        methods.retain(|part| !part.is_empty());
        let pairs = if ask.by == GroupBy::Pair {
            report.pairs.clone()
        } else {
            Vec::new()
        };
        let raters = report.raters.clone();
        let mut rows = vec![Row::group("all", report)];
        rows.extend(
            pairs
                .into_iter()
                .map(|pair| Row::pair(pair, &self.collected.people)),
        );
        rows.extend(self.groups(ask.by, ask.bootstrap)?);
        let mut notes = self.scaled.notes.clone();
        if let Some(out) = self
            .snapshot
            .as_ref()
            .map(|snapshot| snapshot.state.left_out)
            .filter(|out| *out > 0)
        {
            notes.push(format!(
                "{out} items are left out because a blind round hides them from you"
            ));
        }
        match round {
            Some(round) if round.blind => {}
            Some(_) => {
                notes.push("the round is not blind: annotators could see verdicts of others".into())
            }
            None => notes.push("outside of rounds, annotators can see verdicts of others".into()),
        }
        Ok(AgreementAnalysis {
            round: ask.round.clone(),
            protocol: self.protocol,
            by: ask.by,
            scale: self.scaled.scale,
            categories: self.scaled.categories.clone(),
            people: self.collected.people.clone(),
            raters,
            rows,
            quality,
            bootstrap: ask.bootstrap,
            notes,
            methods: methods.join(" "),
        })
    }
}
