//! Answering what is asked of a board beyond its cells: ranks, intervals, two models, two rules.

use std::sync::Arc;

use super::Watch;
use super::scored::{chosen, rule, scored};
use crate::metrics::score::ItemSelection;
use crate::model::board::analysis::TOOL;
use crate::model::board::{AnswerDetail, BoardAsk};
use crate::model::{Error, ErrorKind, Result};
use crate::owner::visibility::AnnotatorView;
use crate::owner::wire::{Request, Response};
use crate::pipeline::board::BoardData;
use crate::store::columns::id_hash;

fn parts(sight: &AnnotatorView, ask: &BoardAsk) -> Result<(Arc<BoardData>, ItemSelection)> {
    let scored = scored(sight.shared(), rule(ask.rule.as_deref())?)?;
    let chosen = chosen(sight, &scored, ask)?;
    Ok((scored, chosen))
}

/// Whether what models said of a row may be shown to the one who asks: not while a blind round keeps it, which also holds for
/// rounds that ask for the answer itself.
fn seen(sight: &AnnotatorView, row: u32) -> bool {
    !sight.veils(row)
}

/// The row of the item with this id, or this number.
fn row_of(sight: &AnnotatorView, name: &str) -> Result<u32> {
    let catalog = sight.catalog();
    let by_number = || {
        let number: u32 = name.trim_start_matches('#').parse().ok()?;
        number.checked_sub(1).filter(|row| (*row as usize) < catalog.len())
    };
    let none = || Error::new(ErrorKind::NotFound, format!("there is no item `{name}`"));
    catalog.row_of(name)?.or_else(by_number).ok_or_else(none)
}

/// Leaves the answers that may be shown to the one who asks.
pub(super) fn keep_back(sight: &AnnotatorView, answers: &mut Vec<AnswerDetail>) {
    let catalog = sight.catalog();
    answers.retain(|a| catalog.row_of_hash(id_hash(&a.item)).is_none_or(|row| seen(sight, row)));
}

/// The answer to what is asked of a board's cells; what is asked of anything else is none.
///
/// # Errors
/// For a filter or a round that cannot be, a model, column or rule that is not there; when items or predictions cannot be read; when
/// nobody waits for it any more.
pub(super) fn answer(sight: &AnnotatorView, ask: &Request, watch: &Watch<'_>) -> Result<Option<Response>> {
    let wanted = || !(watch.cancelled)();
    let visible = |row: u32| seen(sight, row);
    Ok(Some(match ask {
        Request::Ranks { ask, column } => {
            let (scored, chosen) = parts(sight, ask)?;
            Response::Ranks(scored.ranks(column, &chosen)?)
        }
        Request::Sure { ask, model, column, plan } => {
            let (scored, chosen) = parts(sight, ask)?;
            Response::Sure(Box::new(scored.sure(model, column, &chosen, *plan, &wanted)?))
        }
        Request::Compare { ask, models, column, plan } => {
            let (scored, chosen) = parts(sight, ask)?;
            let [a, b] = models;
            Response::Compared(Box::new(scored.compare((a, b), column, &chosen, *plan, (&wanted, &visible))?))
        }
        Request::Disagreements { ask, other } => {
            let (first, chosen) = parts(sight, ask)?;
            if other.as_deref() == Some(TOOL) {
                return Ok(Some(Response::Disagreements(first.against_tools(&chosen, (&wanted, &visible))?)));
            }
            let second = scored(sight.shared(), rule(other.as_deref())?)?;
            Response::Disagreements(first.disagreements(&second, &chosen, (&wanted, &visible))?)
        }
        Request::Answered { rule: name, column, item } => {
            let row = row_of(sight, item)?;
            // The gold answer and what models said of it would tell as much as a score.
            sight.item(row + 1)?;
            let scored = scored(sight.shared(), rule(name.as_deref())?)?;
            Response::Answered(Box::new(scored.answers_to(row as usize, column.as_deref())?))
        }
        _ => return Ok(None),
    }))
}
