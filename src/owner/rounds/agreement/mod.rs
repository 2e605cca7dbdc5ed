//! How far people agree in a round or outside of rounds, how steady each of them is, and how one's own work goes.
//!
//! Agreement is that of first verdicts: what somebody said before anything of others could be seen. Skipped, flagged and
//! unsure ones are missing, and never agreement.
//!
//! | file | what it does |
//! |---|---|
//! | `collect` | verdicts out of the ledger, a part at a time |
//! | `scale` | verdicts as categories |
//! | `quality` | each person against known items and against themselves |
//! | `report` | a whole round as it is reported |
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
use benchtop_model::agreement::analysis::{Agreed, AgreementAsk, By, OwnPace, Row};
use benchtop_model::agreement::{AgreementReport, Bootstrap};
use benchtop_model::round::Protocol;
use benchtop_model::round::report::RoundReport;
use benchtop_model::scoring::Outcome;
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, QuestionKind, Result};
use benchtop_protocol::wire::request;
use benchtop_store::columns::Columns;

impl Query for request::Agreement {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Agreed> {
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

/// A round that may be told of to the one who asks; none for what was judged outside of rounds.
///
/// # Errors
/// [`ErrorKind::Denied`] while a blind round keeps some of it back: numbers over items would tell of each.
pub(super) fn allowed(sight: &AnnotatorView, round: Option<&str>) -> Result<Option<RoundSnapshot>> {
    let Some(name) = round else {
        // Whether somebody judged a veiled item outside of rounds must not be told by an answer in place of a refusal.
        sight.scores()?;
        return Ok(None);
    };
    let mut glance = sight
        .shared()
        .rounds
        .of(name, |open| open.glance(sight.who()))?;
    // As it is now: the round may be newer than the sight.
    let now = AnnotatorView::of(sight.shared(), sight.who());
    if glance.blind {
        now.scores()?;
    }
    let veiled = glance.all().any(|row| now.veils(row));
    if veiled && glance.state.closed.is_none() {
        now.scores()?;
    }
    if veiled {
        // A closed round is told of without the items that a blind one asks for or mixes in.
        glance.state.left_out = glance.leave_out(|row| now.veils(row));
        if glance.items().next().is_none() {
            now.scores()?;
        }
    }
    Ok(Some(glance))
}

/// The verdicts of a round, or of no round, ready to be compared.
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
            .said
            .retain(|said| only.as_ref().is_none_or(|rows| rows.contains(&said.row)));
        let outside = sight.shared().project.config().review.protocol;
        let protocol = glance
            .as_ref()
            .map_or(outside, |glance| glance.round.protocol);
        let scaled = Scaled::new(protocol, &collected.said, &collected.answers)?;
        let keep = if glance.is_some() {
            Keep::First
        } else {
            Keep::Last
        };
        let said = one_each(&collected.said, Part::Main, keep);
        let asked: Option<HashSet<u32>> = glance.as_ref().map(|glance| glance.items().collect());
        let said = said
            .into_iter()
            .filter(|said| asked.as_ref().is_none_or(|rows| rows.contains(&said.row)));
        let ratings = said.map(|said| (said.row, said.person, scaled.category(said)));
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

    fn agreed(&self, ask: &AgreementAsk) -> Result<Agreed> {
        let mut counts = self.agreement.counts().clone();
        if ask.by != By::Pair {
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
        let pairs = if ask.by == By::Pair {
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
                "{out} items are left out: a blind round keeps them from you"
            ));
        }
        match round {
            Some(round) if round.blind => {}
            Some(_) => {
                notes.push("the round is open: people could see what others had said".into())
            }
            None => notes.push("outside of rounds people can see what others said".into()),
        }
        Ok(Agreed {
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

    /// The groups of items, in the order they are shown.
    fn groups(&self, by: By, bootstrap: Option<Bootstrap>) -> Result<Vec<Row>> {
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
            By::Pair => return Ok(Vec::new()),
            By::Type => {
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
            By::Outcome => {
                self.sight.scores()?;
                let (rules, _, outcomes) =
                    shared.scoring.outcomes(shared, &|| !(self.cancelled)())?;
                if rules.rules.is_empty() {
                    let what = "there are no rules, and so no outcomes to group by";
                    return Err(
                        Error::new(ErrorKind::Conflict, what).help("the filter bench makes some")
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
            By::Subtask | By::Level | By::Style => {
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
        if matches!(by, By::Subtask | By::Level | By::Style) {
            groups.sort_by_key(|(name, _)| (name.is_empty(), name.to_lowercase()));
        }
        groups.into_iter().map(row).collect()
    }
}
