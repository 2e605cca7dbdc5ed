//! Agreement in a round or outside of rounds, quality of each annotator, and one's own pace.
//!
//! Agreement uses first verdicts, given before verdicts of others could be seen. Skips, flags, and
//! unsure verdicts count as missing and never as agreement.
//!
//! | module | purpose |
//! |---|---|
//! | `collect` | reads verdicts from the ledger in chunks |
//! | `scale` | verdicts as categories |
//! | `quality` | each person against gold items and against themselves |
//! | `report` | the report of a round |
//! | `pace` | one's own pace |

mod collect;
mod pace;
mod quality;
mod report;
mod scale;

use std::collections::HashSet;

use self::collect::{Collected, Keep, collect, one_each};
use self::scale::Scaled;
use super::open::RoundSnapshot;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_metrics::agreement::{
    Agreement, Counts, methods_paragraph, quality_sentences, round_sentences,
};
use benchtop_model::agreement::analysis::{
    AgreementAnalysis, AgreementQuery, GroupBy, OwnPace, Row,
};
use benchtop_model::agreement::{AgreementReport, Bootstrap};
use benchtop_model::round::Protocol;
use benchtop_model::round::report::RoundReport;
use benchtop_model::scoring::Outcome;
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, QuestionKind, Result};
use benchtop_protocol::wire::request;
use benchtop_store::columns::Columns;

impl Query for request::Agreement {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<AgreementAnalysis> {
        Material::of(sight, self.0.round.as_deref(), watch.cancelled)?.agreed(&self.0)
    }
}

impl Query for request::RoundReport {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<RoundReport> {
        report::report(sight, &self.round, self.bootstrap, watch.cancelled)
    }
}

impl Query for request::Pace {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<OwnPace> {
        pace::own(sight, self.0.as_deref(), watch.cancelled)
    }
}

/// A snapshot of a round that the annotator may see statistics of; `None` outside of rounds.
///
/// # Errors
/// [`ErrorKind::Denied`] while a blind round hides any of its items, because statistics over items
/// would reveal verdicts.
pub(super) fn allowed(sight: &AnnotatorView, round: Option<&str>) -> Result<Option<RoundSnapshot>> {
    let Some(name) = round else {
        // Whether anybody judged a hidden item outside of rounds must not show in the result, so
        // refuse.
        sight.scores()?;
        return Ok(None);
    };
    let mut glance = sight
        .shared()
        .rounds
        .of(name, |open| open.glance(sight.who()))?;
    // Use the current state, since the round may be newer than the view.
    let now = AnnotatorView::of(sight.shared(), sight.who());
    if glance.blind {
        now.scores()?;
    }
    let veiled = glance.all().any(|row| now.veils(row));
    if veiled && glance.state.closed.is_none() {
        now.scores()?;
    }
    if veiled {
        // A closed round is reported without the items that an open blind round contains.
        glance.state.left_out = glance.leave_out(|row| now.veils(row));
        if glance.items().next().is_none() {
            now.scores()?;
        }
    }
    Ok(Some(glance))
}

/// The collected verdicts with their scale.
struct Material<'m> {
    sight: &'m AnnotatorView,
    cancelled: &'m dyn Fn() -> bool,
    glance: Option<RoundSnapshot>,
    protocol: Protocol,
    collected: Collected,
    scaled: Scaled,
    agreement: Agreement,
}

impl<'m> Material<'m> {
    fn of(
        sight: &'m AnnotatorView,
        round: Option<&str>,
        cancelled: &'m dyn Fn() -> bool,
    ) -> Result<Material<'m>> {
        let glance = allowed(sight, round)?;
        let people = glance
            .as_ref()
            .map_or(&[][..], |glance| &glance.round.people);
        let only: Option<HashSet<u32>> = glance
            .as_ref()
            .filter(|glance| glance.state.left_out > 0)
            .map(|glance| glance.all().collect());
        let mut collected = collect(sight, round, people, cancelled)?;
        collected
            .records
            .retain(|record| only.as_ref().is_none_or(|rows| rows.contains(&record.row)));
        let outside = sight.shared().project.config().review.protocol;
        let protocol = glance
            .as_ref()
            .map_or(outside, |glance| glance.round.protocol);
        let scaled = Scaled::new(protocol, &collected.records, &collected.answers)?;
        let keep = if glance.is_some() {
            Keep::First
        } else {
            Keep::Last
        };
        let records = one_each(&collected.records, Part::Main, keep);
        let asked: Option<HashSet<u32>> = glance.as_ref().map(|glance| glance.items().collect());
        let records = records
            .into_iter()
            .filter(|record| asked.as_ref().is_none_or(|rows| rows.contains(&record.row)));
        let ratings = records.map(|record| (record.row, record.person, scaled.category(record)));
        let agreement = Agreement::of(scaled.scale, ratings)?;
        Ok(Material {
            sight,
            cancelled,
            glance,
            protocol,
            collected,
            scaled,
            agreement,
        })
    }

    fn measured(&self, counts: &Counts, bootstrap: Option<Bootstrap>) -> Result<AgreementReport> {
        match bootstrap {
            Some(plan) => counts.bootstrapped(plan, &mut |_| !(self.cancelled)()),
            None => Ok(counts.report()),
        }
    }

    fn agreed(&self, ask: &AgreementQuery) -> Result<AgreementAnalysis> {
        let mut counts = self.agreement.counts().clone();
        if ask.by != GroupBy::Pair {
            counts = counts.everybody();
        }
        let report = self.measured(&counts, ask.bootstrap)?;
        let quality = quality::of(self)?;
        let categories: Vec<&str> = self.scaled.categories.iter().map(String::as_str).collect();
        let round = self.glance.as_ref().map(|glance| &glance.round);
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
            .glance
            .as_ref()
            .map(|glance| glance.state.left_out)
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

    /// The groups of items in display order.
    fn groups(&self, by: GroupBy, bootstrap: Option<Bootstrap>) -> Result<Vec<Row>> {
        let shared = self.sight.shared();
        let catalog = shared.items.catalog();
        let columns = catalog.columns();
        let row = |(name, counts): (String, Counts)| {
            Ok(Row::group(
                name,
                self.measured(&counts.everybody(), bootstrap)?,
            ))
        };
        let mut groups: Vec<(String, Counts)> = match by {
            GroupBy::Pair => return Ok(Vec::new()),
            GroupBy::Type => {
                let of = |row: u32| columns.kind.get(row as usize).map(|code| u32::from(*code));
                let name = |code: u32| {
                    QuestionKind::ALL
                        .get(code as usize)
                        .map_or("", |kind| kind.name())
                };
                self.agreement
                    .by_group(of)
                    .into_iter()
                    .map(|(code, counts)| (name(code).into(), counts))
                    .collect()
            }
            GroupBy::Outcome => {
                self.sight.scores()?;
                let (rules, _, outcomes) =
                    shared.scoring.outcomes(shared, &|| !(self.cancelled)())?;
                if rules.rules.is_empty() {
                    let what = "there are no filter rules, so there are no outcomes to group by";
                    return Err(
                        Error::new(ErrorKind::Conflict, what).help("add rules on the filter bench")
                    );
                }
                let of = |row: u32| Some(u32::from(outcomes.of_row(row as usize).code()));
                let name = |code: u32| Outcome::from_code(code as u8).name();
                self.agreement
                    .by_group(of)
                    .into_iter()
                    .map(|(code, counts)| (name(code).into(), counts))
                    .collect()
            }
            GroupBy::Subtask | GroupBy::Level | GroupBy::Style => {
                let Some(at) = by.field().and_then(Columns::named) else {
                    return Ok(Vec::new());
                };
                let of = |row: u32| {
                    columns.codes[at]
                        .get(row as usize)
                        .map(|code| u32::from(*code))
                };
                let name = |code: u32| columns.names[at].name(code as u16).to_string();
                self.agreement
                    .by_group(of)
                    .into_iter()
                    .map(|(code, counts)| (name(code), counts))
                    .collect()
            }
        };
        if matches!(by, GroupBy::Subtask | GroupBy::Level | GroupBy::Style) {
            groups.sort_by_key(|(name, _)| (name.is_empty(), name.to_lowercase()));
        }
        groups.into_iter().map(row).collect()
    }
}
