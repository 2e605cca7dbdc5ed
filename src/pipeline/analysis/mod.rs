//! Analyses of whole boards: correlation, clustering, stability, cleaning, confidence intervals,
//! and published figures. Each is requested by a [`What`] and computed from a [`BoardData`] with
//! [`benchtop_metrics`].

mod alignment;
mod cleaning;
mod cluster;
mod columns;
mod contamination;
mod correlate;
mod intervals;
mod stability;
mod variants;

pub use self::alignment::{Votes, aligned};
pub use self::contamination::{Contamination, contamination};

use super::board::BoardData;
use benchtop_formats::published_figures;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::analysis::{Analysis, What};
use benchtop_model::board::PublishedFigures;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, ErrorKind, Result};

/// Analyzes the board on the questions in `chosen`. `after` are the remaining questions if items
/// are removed.
///
/// # Errors
///
/// [`ErrorKind::NotFound`] for an unknown column, [`ErrorKind::Input`] if there is too little data,
/// and [`ErrorKind::Cancelled`].
pub fn analyze(
    scored: &BoardData,
    chosen: &ItemSelection,
    after: Option<&ItemSelection>,
    what: &What,
    watch: ProgressSink<'_>,
) -> Result<Analysis> {
    Ok(match what {
        What::Correlate(ask) => {
            Analysis::Correlated(Box::new(correlate::correlated(&scored.board(chosen), ask)?))
        }
        What::Cluster(ask) => Analysis::Clustered(cluster::clustered(&scored.board(chosen), ask)?),
        What::Stability(ask) => Analysis::Stable(stability::stable(scored, chosen, ask, watch)?),
        What::Cleaning(ask) => {
            let after = after.ok_or_else(|| {
                Error::new(ErrorKind::Usage, "cleaning needs a project")
                    .help("run it in a project with judged items, without PATHs")
            })?;
            Analysis::Cleaned(cleaning::cleaned(scored, (chosen, after), ask, watch)?)
        }
        What::Intervals(ask) => {
            Analysis::Intervals(intervals::confidence_intervals(scored, chosen, ask, watch)?)
        }
        What::Published(paper) => {
            let mut board = scored.board(chosen);
            published_figures::beside(
                &mut board,
                &paper
                    .clone()
                    .map_or(PublishedFigures::All, PublishedFigures::Paper),
            )?;
            Analysis::Published(board)
        }
        What::Variants(ask) => Analysis::Variants(variants::variants(scored, chosen, ask)?),
        What::Alignment(_) => {
            return Err(Error::new(ErrorKind::Usage, "alignment needs a project")
                .help("run it in a project with scored or judged pictures, without PATHs"));
        }
        What::Contamination => {
            return Err(
                Error::new(ErrorKind::Usage, "contamination needs a project")
                    .help("run it in a project with scored pictures, without PATHs"),
            );
        }
    })
}
