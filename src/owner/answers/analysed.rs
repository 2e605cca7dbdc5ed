//! Closer looks at the whole leaderboard.

use super::Watch;
use super::scored::{chosen, rule, scored};
use crate::model::board::{BoardAsk, Curated};
use crate::model::{Filter, Result, Status};
use crate::owner::sight::Sight;
use crate::pipeline::analysis::{AnalyseAsk, Analysis, Kept, What, analyse};

/// The analysis that is asked for.
///
/// # Errors
/// As the board of the same questions, and as [`analyse`]; where it would tell what a blind round keeps back.
pub(super) fn analysed(sight: &Sight, ask: &AnalyseAsk, watch: &Watch<'_>) -> Result<Analysis> {
    let of = scored(sight.shared(), rule(ask.board.rule.as_deref())?)?;
    let before = chosen(sight, &of, &ask.board)?;
    let after = match &ask.what {
        What::Cleaning(cleaning) => Some(chosen(sight, &of, &left(&cleaning.kept))?),
        _ => None,
    };
    analyse(&of, &before, after.as_ref(), &ask.what, &|| !(watch.cancelled)())
}

/// The board of what is left.
fn left(kept: &Kept) -> BoardAsk {
    match kept {
        Kept::Accepted => BoardAsk { curated: Curated::Accepted, ..BoardAsk::default() },
        Kept::Round(name) => BoardAsk { curated: Curated::Round(name.clone()), ..BoardAsk::default() },
        Kept::NotRejected => {
            let status = Status::ALL.into_iter().filter(|s| *s != Status::Rejected).collect();
            BoardAsk { filter: Filter { status, ..Filter::default() }, ..BoardAsk::default() }
        }
    }
}
