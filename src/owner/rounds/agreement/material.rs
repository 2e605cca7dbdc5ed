//! The verdicts that agreement is computed from, with their scale.

use std::collections::HashSet;

use super::collect::{Collected, Keep, collect, one_each};
use super::scale::Scaled;
use crate::rounds::open::RoundSnapshot;
use crate::visibility::AnnotatorView;
use benchtop_metrics::agreement::{Agreement, Counts};
use benchtop_model::agreement::analysis::{GroupBy, Row};
use benchtop_model::agreement::{AgreementReport, Bootstrap};
use benchtop_model::cancel::Cancel;
use benchtop_model::round::Protocol;
use benchtop_model::scoring::Outcome;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::verdict::Part;
use benchtop_model::{Error, QuestionKind, Result};
use benchtop_store::columns::Columns;

/// A snapshot of a round that the annotator may see statistics of; `None` outside of rounds.
///
/// # Errors
/// [`Error::denied`] while a blind round hides any of its items, because statistics over items
/// would reveal verdicts.
pub(in crate::rounds) fn allowed(
    view: &AnnotatorView,
    round: Option<&str>,
) -> Result<Option<RoundSnapshot>> {
    let Some(name) = round else {
        // Whether anybody judged a hidden item outside of rounds must not show in the result, so
        // refuse.
        view.check_scores()?;
        return Ok(None);
    };
    let mut snapshot = view
        .shared()
        .rounds
        .of(name, |open| open.snapshot(view.who()))?;
    // Use the current state, since the round may be newer than the view.
    let now = AnnotatorView::of(view.shared(), view.who());
    if snapshot.blind {
        now.check_scores()?;
    }
    let hides_any = snapshot.all().any(|row| now.hides(row));
    if hides_any && snapshot.state.closed.is_none() {
        now.check_scores()?;
    }
    if hides_any {
        // A closed round is reported without the items that an open blind round contains.
        snapshot.state.left_out = snapshot.leave_out(|row| now.hides(row));
        if snapshot.items().next().is_none() {
            now.check_scores()?;
        }
    }
    Ok(Some(snapshot))
}

/// The collected verdicts with their scale.
pub(super) struct Material<'m> {
    pub(super) view: &'m AnnotatorView,
    pub(super) cancel: Cancel<'m>,
    pub(super) snapshot: Option<RoundSnapshot>,
    pub(super) protocol: Protocol,
    pub(super) collected: Collected,
    pub(super) scaled: Scaled,
    pub(super) agreement: Agreement,
}

impl<'m> Material<'m> {
    pub(super) fn of(
        view: &'m AnnotatorView,
        round: Option<&str>,
        cancel: Cancel<'m>,
    ) -> Result<Material<'m>> {
        let snapshot = allowed(view, round)?;
        let people = snapshot
            .as_ref()
            .map_or(&[][..], |snapshot| &snapshot.round.people);
        let only: Option<HashSet<u32>> = snapshot
            .as_ref()
            .filter(|snapshot| snapshot.state.left_out > 0)
            .map(|snapshot| snapshot.all().collect());
        let mut collected = collect(view, round, people, cancel)?;
        collected
            .records
            .retain(|record| only.as_ref().is_none_or(|rows| rows.contains(&record.row)));
        let outside = view.shared().project.config().review.protocol;
        let protocol = snapshot
            .as_ref()
            .map_or(outside, |snapshot| snapshot.round.protocol);
        let scaled = Scaled::new(protocol, &collected.records, &collected.answers)?;
        let keep = if snapshot.is_some() {
            Keep::First
        } else {
            Keep::Last
        };
        let records = one_each(&collected.records, Part::Main, keep);
        let asked: Option<HashSet<u32>> =
            snapshot.as_ref().map(|snapshot| snapshot.items().collect());
        let records = records
            .into_iter()
            .filter(|record| asked.as_ref().is_none_or(|rows| rows.contains(&record.row)));
        let ratings = records.map(|record| (record.row, record.person, scaled.category(record)));
        let agreement = Agreement::of(scaled.scale, ratings)?;
        Ok(Material {
            view,
            cancel,
            snapshot,
            protocol,
            collected,
            scaled,
            agreement,
        })
    }

    pub(super) fn measured(
        &self,
        counts: &Counts,
        bootstrap: Option<Bootstrap>,
    ) -> Result<AgreementReport> {
        match bootstrap {
            Some(plan) => counts.bootstrapped(plan, self.cancel),
            None => Ok(counts.report()),
        }
    }

    /// The groups of items in display order.
    pub(super) fn groups(&self, by: GroupBy, bootstrap: Option<Bootstrap>) -> Result<Vec<Row>> {
        let shared = self.view.shared();
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
                self.view.check_scores()?;
                let (rules, _, outcomes) = shared.scoring.outcomes(shared, self.cancel)?;
                if rules.rules.is_empty() {
                    let what = "there are no filter rules, so there are no outcomes to group by";
                    return Err(Error::conflict(what).help(
                        "add rules in the Filters pane or with `benchtop filter rules apply`",
                    ));
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
            sort_by_key(&mut groups, |(name, _)| {
                (name.is_empty(), name.to_lowercase())
            });
        }
        groups.into_iter().map(row).collect()
    }
}
