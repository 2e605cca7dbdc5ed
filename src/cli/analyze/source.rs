//! The board that an analysis uses.

use crate::board::{Of, References, Source, choose};
use crate::context::Context;
use crate::import::waited;
use benchtop_model::Result;
use benchtop_model::analysis::{Analysis, AnalysisQuery, What};
use benchtop_model::cancel::ProgressSink;
use benchtop_pipeline::analysis::analyze;
use benchtop_protocol::wire::request;

/// Opens the board that the options name, and lists the skipped files.
///
/// # Errors
/// As [`Source::open`].
pub fn open(context: &Context, of: &Of) -> Result<Source> {
    let refusal = (
        "--curated and --filter apply only to a project's board",
        "omit PATH to analyze the project's board",
    );
    let source = Source::open(context, of, References::default(), refusal)?;
    source.skipped();
    Ok(source)
}

impl Source {
    /// The names of the columns that match `globs`; empty if `globs` is `None`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) if no column matches.
    pub fn columns(&self, globs: Option<&str>) -> Result<Vec<String>> {
        let Some(globs) = globs else {
            return Ok(Vec::new());
        };
        let mut board = self.board()?;
        choose(&mut board, globs)?;
        Ok(board.columns.into_iter().map(|c| c.name).collect())
    }

    /// Analyzes the board, here for files and in the owner for a project.
    pub fn analyzed(&self, what: What) -> Result<Analysis> {
        match self {
            Source::Files(scored, _) => analyze(
                scored,
                &scored.engine().choose(None),
                None,
                &what,
                ProgressSink::NONE,
            ),
            Source::Project(client, board) => {
                let board = board.clone();
                let ask = request::Analyze(Box::new(AnalysisQuery { board, what }));
                waited(client, ask, true)
            }
        }
    }
}
