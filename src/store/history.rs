//! All decisions of a project in one order, and what they come to at any moment.
//!
//! The order is that of revisions, which rise with every decision an owner takes and never fall behind one it knows: a
//! decision that was made in knowledge of another comes after it, also when journals of several machines are put
//! together. Those that knew nothing of each other are ordered by time, receipt and content, so that the order depends
//! on what was decided and not on where it was read first.

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
use benchtop_model::{Act, Decision, Error, ErrorKind, Result};

/// All decisions of a project.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The decisions, in their order.
    pub decisions: Vec<Decision>,
    /// What verdicts decide by.
    pub rules: Rules,
    /// By round, the other rotations of a question by the one that is judged.
    rotations: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// What a person should know about the journals.
    pub notices: Vec<String>,
    /// The journals and rounds that it was read from.
    pub digests: PrefixDigests,
}

impl History {
    /// Reads all journals.
    ///
    /// # Errors
    /// The operating system's; bad lines are notices.
    pub fn read(project: &Project) -> Result<History> {
        History::read_first(project, None)
    }

    /// Reads as much of all journals as `known` has: what is written meanwhile is left out.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`ErrorKind::Io`] when a journal is not what was known of it.
    pub fn read_known(project: &Project, known: &PrefixDigests) -> Result<History> {
        let history = History::read_first(project, Some(known))?;
        if history.digests.same_decisions(known) {
            return Ok(history);
        }
        Err(Error::new(ErrorKind::Io, "somebody else changed a journal").file(project.sessions()))
    }

    fn read_first(project: &Project, known: Option<&PrefixDigests>) -> Result<History> {
        let (mut decisions, mut notices) = (Vec::new(), Vec::new());
        let mut digests = PrefixDigests::default();
        for (who, path) in journal::list(&project.sessions())? {
            let length = known.map(|known| known.get(&who).map_or(0, PrefixDigest::length));
            // One that is begun meanwhile.
            if length == Some(0) && known.is_some_and(|known| known.get(&who).is_none()) {
                continue;
            }
            let reading = journal::read_first(&path, length)?;
            let damaged = |p| {
                format!(
                    "not counted: a line of {who}'s journal is damaged, with what {who} decided there: {p}"
                )
            };
            notices.extend(reading.problems.iter().map(damaged));
            if reading.torn {
                notices.push(format!(
                    "the last line of {who}'s journal was cut short before it was acknowledged"
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
                .map(|p| format!("a round is not counted: {p}")),
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

    /// The same with `more` decisions.
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

    /// What the decisions up to `until` come to; also gives what a person should know.
    pub fn fold(
        &self,
        catalog: &Catalog,
        pictures: &Pictures,
        until: HistoryPoint,
    ) -> (Ledger, Vec<String>) {
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
        let mut earlier = earlier(catalog, pictures).into_iter().peekable();
        for decision in self
            .decisions
            .iter()
            .filter(|d| until.includes(d.rev, d.at))
        {
            while let Some(Earlier {
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
                        notices.push(format!("not counted: {problem}"));
                    }
                }
                None => orphans += 1,
            }
        }
        // A time says nothing of a revision of the texts that no decision follows.
        let rest = |e: &Earlier| match until {
            HistoryPoint::Now => true,
            HistoryPoint::Rev(last) => e.rev <= last,
            HistoryPoint::At(_) => false,
        };
        earlier
            .filter(rest)
            .for_each(|e| ledger.revise(&e.rows, e.rev, e.keeps, e.edit));
        if orphans > 0 {
            notices.push(format!(
                "{orphans} decisions are on items that this project does not have; they are kept"
            ));
        }
        ledger.digests.clone_from(&self.digests);
        ledger.orphans = orphans;
        (ledger, notices)
    }

    /// The decisions that are asked for, the newest first, and whether there are more. `ledger` says which count.
    pub fn log(&self, ask: &LogQuery, catalog: &Catalog, ledger: &Ledger) -> (Vec<Entry>, bool) {
        let asked = |decision: &&Decision| {
            let round = match &decision.act {
                Act::Judge(judgement) => judgement.round.as_ref().map(|asked| &asked.round),
                Act::Undo(_) | Act::Redo(_) => None,
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
    // The content last, and only where all else is equal: two machines gave one receipt to different things.
    decisions.sort_by(|a, b| {
        let key = |d: &Decision| (d.rev, d.at, d.uuid);
        key(a)
            .cmp(&key(b))
            .then_with(|| journal::text(a).cmp(&journal::text(b)))
    });
    decisions
}

/// Rows that have another text or picture since a revision of the project.
struct Earlier<'c> {
    rev: u64,
    rows: Cow<'c, [u32]>,
    keeps: bool,
    edit: Option<&'c EditMark>,
}

/// All of them in the order of their revisions.
fn earlier<'c>(catalog: &'c Catalog, pictures: &Pictures) -> Vec<Earlier<'c>> {
    let texts = catalog.revisions().list().iter();
    let mut list: Vec<_> = texts
        .map(|r| Earlier {
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
            _ => list.push(Earlier {
                rev,
                rows: rows.collect(),
                keeps: false,
                edit: None,
            }),
        }
    }
    list.sort_by_key(|e| e.rev);
    list
}
