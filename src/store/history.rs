//! All decisions of a project in one order, and the ledger at any point in time.
//!
//! Decisions are ordered by revision. The owner gives each decision a revision above all that it
//! knows, so a decision that was made with knowledge of another always follows it, even after
//! journals of several machines are merged. Concurrent decisions are ordered by time, receipt, and
//! content. The order therefore depends only on the decisions and not on where they were read
//! first.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::columns::id_hash;
use super::ledger::Rules;
use super::pictures::Pictures;
use super::prefix_digest::{PrefixDigest, PrefixDigests};
use super::{Catalog, Ledger, journal, rounds};
use benchtop_files::project::Project;
use benchtop_model::edit::EditMark;
use benchtop_model::history::{Entry, HistoryPoint, LogQuery};
use benchtop_model::sorting::{sort_by, sort_by_key};
use benchtop_model::{Act, Decision, Error, Result};

/// All decisions of a project.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Decisions in revision order.
    pub decisions: Vec<Decision>,
    /// The protocols that decide the status of an item.
    pub rules: Rules,
    /// For each round, the other rotations of each judged question.
    rotations: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Notices about the journals, for people.
    pub notices: Vec<String>,
    /// Digests of the journals and rounds that were read.
    pub digests: PrefixDigests,
}

/// A notice from folding the history.
#[derive(Clone, Debug)]
pub enum FoldNotice {
    /// A decision that does not count.
    NotCounted(Error),
    /// Number of decisions on items that the project does not have.
    Orphans(u64),
}

impl std::fmt::Display for FoldNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FoldNotice::NotCounted(problem) => write!(f, "not counted: {problem}"),
            FoldNotice::Orphans(count) => write!(
                f,
                "{count} decisions are on items that this project does not have; they are kept"
            ),
        }
    }
}

impl History {
    /// Reads all journals. Bad lines become notices.
    pub fn read(project: &Project) -> Result<History> {
        History::read_first(project, None)
    }

    /// Reads only the prefix of each journal that `known` covers. Lines that are written meanwhile
    /// are left out.
    ///
    /// # Errors
    /// [`Error::failed`] if a journal no longer has the known prefix.
    pub fn read_known(project: &Project, known: &PrefixDigests) -> Result<History> {
        let history = History::read_first(project, Some(known))?;
        if history.digests.same_decisions(known) {
            return Ok(history);
        }
        Err(Error::failed("another program changed a journal").file(project.sessions()))
    }

    fn read_first(project: &Project, known: Option<&PrefixDigests>) -> Result<History> {
        let (mut decisions, mut notices) = (Vec::new(), Vec::new());
        let mut digests = PrefixDigests::default();
        for (who, path) in journal::list(&project.sessions())? {
            let length = known.map(|known| known.get(&who).map_or(0, PrefixDigest::length));
            // A journal that was created meanwhile.
            if length == Some(0) && known.is_some_and(|known| known.get(&who).is_none()) {
                continue;
            }
            let reading = journal::read_first(&path, length)?;
            let damaged = |p| format!("a damaged line in {who}'s journal does not count: {p}");
            notices.extend(reading.problems.iter().map(damaged));
            if reading.torn {
                notices.push(format!(
                    "the last line of {who}'s journal is incomplete and was never acknowledged"
                ));
            }
            decisions.extend(reading.decisions);
            digests.put(who, reading.prefix);
        }
        let (rounds, problems) = rounds::read(project)?;
        rounds::digests(project, &mut digests)?;
        notices.extend(
            problems
                .iter()
                .map(|p| format!("a round file has an error: {p}")),
        );
        let protocols = rounds
            .iter()
            .map(|round| (round.name.clone(), round.protocol))
            .collect();
        let rules = Rules {
            outside: project.config().review.protocol,
            rounds: protocols,
            ..Rules::default()
        };
        let rotated = rounds
            .into_iter()
            .filter(|round| !round.rotations.is_empty());
        let rotations = rotated.map(|round| (round.name, round.rotations)).collect();
        Ok(History {
            decisions: in_order(decisions),
            rules,
            rotations,
            notices,
            digests,
        })
    }

    /// A copy of the history with `more` decisions.
    pub fn with(&self, more: impl IntoIterator<Item = Decision>) -> History {
        let all = self.decisions.iter().cloned().chain(more).collect();
        let (rules, digests) = (self.rules.clone(), self.digests.clone());
        let rotations = self.rotations.clone();
        History {
            decisions: in_order(all),
            rules,
            rotations,
            notices: self.notices.clone(),
            digests,
        }
    }

    /// Folds the decisions up to `until` into a ledger.
    pub fn fold(
        &self,
        catalog: &Catalog,
        pictures: &Pictures,
        until: HistoryPoint,
    ) -> (Ledger, Vec<FoldNotice>) {
        let mut notices = Vec::new();
        let row = |id: &String| catalog.row_of_hash(id_hash(id));
        let rows = |of: &BTreeMap<String, Vec<String>>| {
            of.iter()
                .filter_map(|(id, others)| {
                    Some((row(id)?, others.iter().filter_map(row).collect()))
                })
                .collect()
        };
        let rotations = self
            .rotations
            .iter()
            .map(|(name, of)| (name.clone(), rows(of)))
            .collect();
        let mut ledger = Ledger::new(Rules {
            rotations,
            ..self.rules.clone()
        });
        let mut orphans = 0u64;
        let mut earlier = row_revisions(catalog, pictures).into_iter().peekable();
        for decision in self
            .decisions
            .iter()
            .filter(|d| until.includes(d.rev, d.at))
        {
            while let Some(RowRevision {
                rev,
                rows,
                keeps,
                edit,
            }) = earlier.next_if(|e| e.rev < decision.rev)
            {
                ledger.revise(&rows, rev, keeps, edit);
            }
            match catalog.row_of_hash(id_hash(&decision.item)) {
                Some(row) => {
                    if let Err(problem) = ledger.apply(decision, row) {
                        notices.push(FoldNotice::NotCounted(problem));
                    }
                }
                None => orphans += 1,
            }
        }
        // A time cannot date a text revision that no decision follows.
        let rest = |e: &RowRevision| match until {
            HistoryPoint::Now => true,
            HistoryPoint::Rev(last) => e.rev <= last,
            HistoryPoint::At(_) => false,
        };
        earlier
            .filter(rest)
            .for_each(|e| ledger.revise(&e.rows, e.rev, e.keeps, e.edit));
        if orphans > 0 {
            notices.push(FoldNotice::Orphans(orphans));
        }
        ledger.digests.clone_from(&self.digests);
        ledger.orphans = orphans;
        (ledger, notices)
    }

    /// The requested decisions, newest first, and whether there are more. `ledger` tells which
    /// verdicts count.
    pub fn log(&self, ask: &LogQuery, catalog: &Catalog, ledger: &Ledger) -> (Vec<Entry>, bool) {
        let asked = |decision: &&Decision| {
            let round = match &decision.act {
                Act::Judge(judgement) => judgement.round.as_ref().map(|asked| &asked.round),
                Act::Undo(_) | Act::Redo(_) | Act::Comment(_) => None,
            };
            ask.who.as_ref().is_none_or(|who| *who == decision.who)
                && ask.item.as_ref().is_none_or(|item| *item == decision.item)
                && ask.round.as_ref().is_none_or(|name| round == Some(name))
                && ask
                    .since
                    .is_none_or(|since| !since.includes(decision.rev, decision.at))
                && ask.until.includes(decision.rev, decision.at)
        };
        let mut left = self
            .decisions
            .iter()
            .rev()
            .filter(asked)
            .skip(usize::try_from(ask.skip).unwrap_or(usize::MAX));
        let page = left
            .by_ref()
            .take(ask.count as usize)
            .map(|decision| Entry {
                uuid: decision.uuid,
                rev: decision.rev,
                at: decision.at,
                who: decision.who.clone(),
                item: decision.item.clone(),
                number: catalog
                    .row_of_hash(id_hash(&decision.item))
                    .map(|row| row + 1),
                act: decision.act.clone(),
                counts: matches!(decision.act, Act::Judge(_)) && ledger.counts(&decision.uuid),
            });
        let page = page.collect();
        (page, left.next().is_some())
    }
}

fn in_order(mut decisions: Vec<Decision>) -> Vec<Decision> {
    // The content comes last. It matters only if two machines gave one receipt to different
    // decisions.
    sort_by(&mut decisions, |a, b| {
        let key = |d: &Decision| (d.rev, d.at, d.uuid);
        key(a)
            .cmp(&key(b))
            .then_with(|| journal::text(a).cmp(&journal::text(b)))
    });
    decisions
}

/// Rows whose text or picture changed at a revision of the project.
struct RowRevision<'c> {
    rev: u64,
    rows: Cow<'c, [u32]>,
    keeps: bool,
    edit: Option<&'c EditMark>,
}

/// All of them in revision order.
fn row_revisions<'c>(catalog: &'c Catalog, pictures: &Pictures) -> Vec<RowRevision<'c>> {
    let texts = catalog.revisions().list.iter();
    let mut list: Vec<_> = texts
        .map(|r| RowRevision {
            rev: r.rev,
            rows: Cow::Borrowed(&r.rows[..]),
            keeps: r.keeps,
            edit: r.edit.as_ref(),
        })
        .collect();
    for (rev, items) in pictures.revisions() {
        let rows = items.iter().filter_map(|hash| catalog.row_of_hash(*hash));
        match list.last_mut() {
            Some(last) if last.rev == rev && !last.keeps => last.rows.to_mut().extend(rows),
            _ => list.push(RowRevision {
                rev,
                rows: rows.collect(),
                keeps: false,
                edit: None,
            }),
        }
    }
    sort_by_key(&mut list, |e| e.rev);
    list
}
