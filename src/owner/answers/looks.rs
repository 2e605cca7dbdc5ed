//! Answering what is asked of a board beyond its cells: ranks, intervals, two models, two rules.

use std::sync::Arc;

use super::Watch;
use super::scored::{chosen, rule, scored};
use crate::metrics::score::Chosen;
use crate::model::Result;
use crate::model::board::{Behind, BoardAsk};
use crate::owner::sight::Sight;
use crate::owner::wire::{Answer, Ask};
use crate::pipeline::board::Scored;
use crate::store::columns::id_hash;

fn parts(sight: &Sight, ask: &BoardAsk) -> Result<(Arc<Scored>, Chosen)> {
    let scored = scored(sight.shared(), rule(ask.rule.as_deref())?)?;
    let chosen = chosen(sight, &scored, ask)?;
    Ok((scored, chosen))
}

/// Whether what models said of a row may be shown to the one who asks: not while a blind round keeps it, which also holds for
/// rounds that ask for the answer itself.
fn seen(sight: &Sight, row: u32) -> bool {
    !sight.veils(row)
}

/// Leaves the answers that may be shown to the one who asks.
pub(super) fn keep_back(sight: &Sight, answers: &mut Vec<Behind>) {
    let catalog = sight.catalog();
    answers.retain(|a| catalog.row_of_hash(id_hash(&a.item)).is_none_or(|row| seen(sight, row)));
}

/// The answer to what is asked of a board's cells; what is asked of anything else is none.
///
/// # Errors
/// For a filter or a round that cannot be, a model, column or rule that is not there; when items or predictions cannot be read; when
/// nobody waits for it any more.
pub(super) fn answer(sight: &Sight, ask: &Ask, watch: &Watch<'_>) -> Result<Option<Answer>> {
    let wanted = || !(watch.cancelled)();
    let visible = |row: u32| seen(sight, row);
    Ok(Some(match ask {
        Ask::Ranks { ask, column } => {
            let (scored, chosen) = parts(sight, ask)?;
            Answer::Ranks(scored.ranks(column, &chosen)?)
        }
        Ask::Sure { ask, model, column, plan } => {
            let (scored, chosen) = parts(sight, ask)?;
            Answer::Sure(Box::new(scored.sure(model, column, &chosen, *plan, &wanted)?))
        }
        Ask::Compare { ask, models, column, plan } => {
            let (scored, chosen) = parts(sight, ask)?;
            let [a, b] = models;
            Answer::Compared(Box::new(scored.compare((a, b), column, &chosen, *plan, (&wanted, &visible))?))
        }
        Ask::Disagreements { ask, other } => {
            let (first, chosen) = parts(sight, ask)?;
            let second = scored(sight.shared(), rule(other.as_deref())?)?;
            Answer::Disagreements(first.disagreements(&second, &chosen, (&wanted, &visible))?)
        }
        _ => return Ok(None),
    }))
}
