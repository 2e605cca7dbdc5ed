//! Which board is analysed.

use std::path::PathBuf;

use crate::board::{choose, extractor};
use crate::context::Context;
use crate::{import, out};
use benchtop_model::analysis::{AnalyseAsk, Analysis, What};
use benchtop_model::board::{Board, BoardAsk, Curated};
use benchtop_model::{Error, ErrorKind, Filter, Result};
use benchtop_pipeline::analysis::analyse;
use benchtop_pipeline::board::{BoardData, from_paths_by};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

/// The board that is meant.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Of {
    /// Question and prediction files, or folders of them; the project's board without any
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// A mapping.toml that says which column of a table among PATHs is what
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// The rule that reads answers; that of each question's paper otherwise
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
    /// Score all items of the project, the accepted ones, or those accepted in the round of this name
    #[arg(long, value_name = "all|accepted|ROUND")]
    pub curated: Option<String>,
    /// Score only what this filter of the item list finds in the project
    #[arg(long, value_name = "WORDS")]
    pub filter: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A board that is there.
pub enum Source {
    /// The project's, at its owner.
    Project(Box<Client>, Box<BoardAsk>),
    /// Of files.
    Files(Box<BoardData>),
}

impl Source {
    /// Opens it.
    ///
    /// # Errors
    /// Those of the files or of the project; [`ErrorKind::Usage`] for options that files do not have.
    pub fn open(context: &Context, of: &Of) -> Result<Source> {
        let rule = of.rule.as_deref().map(extractor).transpose()?;
        if of.paths.is_empty() {
            let curated = match of.curated.as_deref() {
                None | Some("all") => Curated::All,
                Some("accepted") => Curated::Accepted,
                Some(round) => Curated::Round(round.into()),
            };
            let filter = of
                .filter
                .as_deref()
                .map(Filter::parse)
                .transpose()?
                .unwrap_or_default();
            // The owner knows rules by their whole names.
            let ask = BoardAsk {
                curated,
                filter,
                rule: rule.map(|rule| rule.name().to_string()),
                ..BoardAsk::default()
            };
            return Ok(Source::Project(Box::new(context.client()?), Box::new(ask)));
        }
        if of.curated.is_some() || of.filter.is_some() {
            return Err(Error::new(
                ErrorKind::Usage,
                "--curated and --filter choose items of a project",
            )
            .help("leave the PATHs away to analyse the project's board"));
        }
        let mapping = of.mapping.as_deref().map(import::mapping).transpose()?;
        let scored = from_paths_by(&of.paths, rule, mapping.as_ref())?;
        for problem in &scored.skipped {
            out::tell(format_args!("skipped: {problem}"));
        }
        Ok(Source::Files(Box::new(scored)))
    }

    /// The board itself.
    ///
    /// # Errors
    /// What the owner refuses.
    pub fn board(&self) -> Result<Board> {
        match self {
            Source::Files(scored) => Ok(scored.whole()),
            Source::Project(client, ask) => client.ask(request::Board(ask.clone())),
        }
    }

    /// The names of the columns that match; none when nothing is said.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when none does.
    pub fn columns(&self, globs: Option<&str>) -> Result<Vec<String>> {
        let Some(globs) = globs else {
            return Ok(Vec::new());
        };
        let mut board = self.board()?;
        choose(&mut board, globs)?;
        Ok(board.columns.into_iter().map(|c| c.name).collect())
    }

    /// The analysis of it.
    ///
    /// # Errors
    /// As [`analyse`], and what the owner refuses.
    pub fn analysed(&self, what: What) -> Result<Analysis> {
        match self {
            Source::Files(scored) => {
                analyse(scored, &scored.ruled().choose(None), None, &what, &|| true)
            }
            Source::Project(client, board) => {
                let ask = AnalyseAsk {
                    board: (**board).clone(),
                    what,
                };
                client.ask(request::Analyse(Box::new(ask)))
            }
        }
    }
}
