//! Filtered, sorted, and paged lists of items.

use std::sync::Arc;

use super::comments;
use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::search::{ByScore, Derived, DerivedData, List, Parts};
use crate::visibility::AnnotatorView;
use benchtop_model::cancel::Cancel;
use benchtop_model::filter::VerdictCondition;
use benchtop_model::{Field, Filter, Result, Sort, history};
use benchtop_protocol::wire::{Page, QUESTION_CHARS, Request, Row, request};
use benchtop_store::query::comment_count;
use benchtop_store::{Catalog, StatusColumns};

/// Maximum number of rows per page.
const PAGE_LIMIT: u32 = 1000;

/// Items, statuses, and revision at one point in time.
pub(super) struct ListView {
    pub(super) catalog: Arc<Catalog>,
    pub(super) overlay: StatusColumns,
    rev: u64,
    beside: DerivedData,
}

impl ListView {
    fn now(
        view: &AnnotatorView,
        filter: &Filter,
        sort: &[Sort],
        cancel: Cancel<'_>,
    ) -> Result<ListView> {
        let shared = view.shared();
        if filter.asks_scores() || filter.asks_releases() {
            view.check_scores()?;
        }
        for filter in filter.all() {
            shared
                .releases
                .check(&shared.project, &shared.items.catalog(), &filter.releases)?;
        }
        let asks_fresh = filter.all().any(|f| !f.fresh.is_empty());
        let derived = filter
            .asks_metadata()
            .then(|| derived(shared, asks_fresh, cancel))
            .transpose()?;
        if let Some(derived) = derived.as_ref().filter(|_| asks_fresh) {
            derived.held.in_force.check()?;
        }
        let states = || {
            shared
                .requested
                .states(shared, filter.asks_broken(), cancel)
        };
        let pictures = filter.asks_pictures().then(states).transpose()?;
        let scores = || scored_by(shared, filter, cancel);
        let scores = filter.asks_scores().then(scores).transpose()?;
        let said = filter
            .all()
            .map(|f| &f.verdicts)
            .filter(|said| !said.is_empty());
        let said = said
            .map(|said| Ok((said.clone(), said_of(view, said, cancel)?)))
            .collect::<Result<_>>()?;
        let commented = filter
            .all()
            .map(|f| &f.comments)
            .filter(|said| !said.is_empty());
        let commented = commented
            .map(|said| Ok((said.clone(), comments::rows(view, said, cancel)?)))
            .collect::<Result<_>>()?;
        let beside = DerivedData {
            derived,
            pictures,
            scores,
            said,
            commented,
            releases: filter.asks_releases().then(|| {
                shared
                    .releases
                    .rows(&shared.project, &shared.items.catalog())
            }),
            mask: view.key(),
        };
        // Read the revision first. A list of newer statuses under an older revision is recomputed;
        // the reverse would stay in the cache.
        let rev = shared.items.ledger().rev();
        let times = sort.iter().any(|s| s.field == Field::Judged)
            || filter.all().any(|f| !f.judged.is_empty());
        let (catalog, mut overlay) = view.items(times);
        if sort.iter().any(|s| s.field == Field::Comments) {
            overlay.comments = Arc::new(view.comment_counts());
        }
        Ok(ListView {
            catalog,
            overlay,
            rev,
            beside,
        })
    }

    fn parts(&self) -> Parts<'_> {
        (&self.catalog, &self.overlay, self.rev, &self.beside)
    }
}

/// The metadata and its usage by items. `fresh` also finds derived items whose source changed.
fn derived(shared: &OwnerContext, fresh: bool, cancel: Cancel<'_>) -> Result<Derived> {
    let held = shared.metadata.now(shared)?;
    let usage = shared.metadata.usage(shared, cancel)?;
    let stale = match fresh {
        true => shared.metadata.stale_sources(shared, cancel)?,
        false => Arc::default(),
    };
    Ok(Derived { held, usage, stale })
}

/// Rule outcomes and scores, as far as the filter uses them.
fn scored_by(shared: &OwnerContext, filter: &Filter, cancel: Cancel<'_>) -> Result<ByScore> {
    let generation = shared.scoring.generation();
    let asked: Vec<_> = filter
        .all()
        .flat_map(|f| &f.scores)
        .map(|c| c.score.scorer.clone())
        .collect();
    let columns = shared.scoring.columns(shared, asked, cancel)?;
    let outcomes = if filter.all().all(|f| f.outcome.is_empty()) {
        None
    } else {
        Some(shared.scoring.outcomes(shared, cancel)?.2)
    };
    Ok(ByScore {
        generation,
        columns,
        outcomes,
    })
}

/// Rows that are read under one lock, which delays decisions.
const AT_ONCE: usize = 4096;

/// Rows, in rising order, with a visible effective verdict that meets all conditions.
fn said_of(view: &AnnotatorView, said: &VerdictCondition, cancel: Cancel<'_>) -> Result<Vec<u32>> {
    let judged = view.shared().items.ledger().judged_rows();
    let mut found = Vec::new();
    for rows in judged.chunks(AT_ONCE) {
        cancel.check()?;
        let ledger = view.shared().items.ledger();
        let passes = |row: u32| {
            ledger
                .effective_verdicts(row)
                .iter()
                .any(|s| view.sees(row, &s.who) && said.passes(&s.who, &s.judgement))
        };
        found.extend(rows.iter().copied().filter(|row| passes(*row)));
    }
    Ok(found)
}

pub(super) fn rows(view: &AnnotatorView, filter: &Filter, sort: &[Sort]) -> Result<Vec<u32>> {
    let list_view = ListView::now(view, filter, sort, Cancel::NEVER)?;
    let list = view
        .search
        .list(list_view.parts(), filter, sort, Cancel::NEVER, &mut |_| ())?;
    if list.partial {
        return view.search.all_rows(list_view.parts(), filter, &list.rows);
    }
    Ok(list.rows.clone())
}

/// Number of items that match a filter. Unlike [`rows`], it does not replace a list that somebody
/// pages through.
pub(super) fn count(view: &AnnotatorView, filter: &Filter, cancel: Cancel<'_>) -> Result<u64> {
    let list_view = ListView::now(view, filter, &[], cancel)?;
    view.search.count(list_view.parts(), filter)
}

/// Numbers of the items that match a filter, in rising order.
///
/// # Errors
/// [`ErrorKind::Corrupt`] if the stored texts are damaged.
pub fn numbers(view: &AnnotatorView, filter: &Filter) -> Result<Vec<u32>> {
    let sort = [Sort::by(Field::Number)];
    Ok(rows(view, filter, &sort)?
        .into_iter()
        .map(|row| row + 1)
        .collect())
}

pub(super) fn filtered(view: &AnnotatorView, filter: &Filter) -> Result<(ListView, Vec<u32>)> {
    let sort = [Sort::by(Field::Judged), Sort::by(Field::Comments)];
    // This list_view only provides the cells; the rows are filtered below.
    let list_view = ListView::now(view, &Filter::default(), &sort, Cancel::NEVER)?;
    let rows = rows(view, filter, &[Sort::by(Field::Number)])?;
    Ok((list_view, rows))
}

impl Query for request::Page {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Page> {
        let ask = &self.0;
        let list_view = ListView::now(view, &ask.filter, &ask.sort, watch.cancel)?;
        let count = ask.count.min(PAGE_LIMIT);
        let make = |list: &List, offset: u64| -> Result<Page> {
            let wanted = list.rows.iter().skip(offset as usize).take(count as usize);
            let rows = wanted
                .map(|row| list_row(&list_view, &ask.filter, view, *row as usize))
                .collect::<Result<_>>()?;
            Ok(Page {
                generation: ask.generation,
                offset,
                rows,
                total: list.total,
                of: list_view.catalog.len() as u64,
                partial: false,
            })
        };
        let mut failed = None;
        let Watch { cancel, partial } = watch;
        let cancel = *cancel;
        let mut tell = |list: &List| match make(list, 0) {
            Ok(page) => partial(request::Page::pack(Page {
                partial: true,
                ..page
            })),
            Err(problem) => failed = Some(problem),
        };
        let list =
            view.search
                .list(list_view.parts(), &ask.filter, &ask.sort, cancel, &mut tell)?;
        if let Some(problem) = failed {
            return Err(problem);
        }
        cancel.check()?;
        if list.partial && ask.offset + u64::from(count) > list.rows.len() as u64 {
            let rows = view
                .search
                .all_rows(list_view.parts(), &ask.filter, &list.rows)?;
            return make(
                &List {
                    total: rows.len() as u64,
                    rows,
                    partial: false,
                },
                ask.offset,
            );
        }
        make(&list, ask.offset)
    }

    fn generation(&self) -> Option<u64> {
        Some(self.0.generation)
    }
}

fn list_row(
    list_view: &ListView,
    filter: &Filter,
    view: &AnnotatorView,
    row: usize,
) -> Result<Row> {
    let mut item = list_view.catalog.item(row)?;
    if let Some((end, _)) = item.question.char_indices().nth(QUESTION_CHARS) {
        item.question.truncate(end);
    }
    let (status, at) = view.status(row as u32);
    let judged = history::to_the_second(at);
    let comments = view.comments(row as u32).len();
    let mut row = Row::of(row as u32 + 1, &item, status, &judged);
    row.put(Field::Comments, comment_count(comments as u32));
    if !filter.text.trim().is_empty() {
        row.marks = benchtop_search::highlight(row.text(Field::Question), &filter.text)
            .into_iter()
            .map(|at| at as u32)
            .collect();
    }
    Ok(row)
}
