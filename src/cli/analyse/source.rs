//! The board that an analysis uses.

use std::path::PathBuf;

use crate::board::{choose, extractor};
use crate::context::Context;
use crate::{import, out};
use benchtop_model::analysis::{AnalyseAsk, Analysis, What};
use benchtop_model::board::{Board, BoardQuery, Curated};
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, ErrorKind, Filter, Result};
use benchtop_pipeline::analysis::analyse;
use benchtop_pipeline::board::{BoardData, from_paths_by};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

#[derive(Clone, Debug, Default, clap::Args)]
pub struct Of {
    /// Question and prediction files, or folders of them [default: the project's board]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// mapping.toml that explains the columns of tables among PATH
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Extraction rule [default: the rule of each question's paper]
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
    /// Score all items, the accepted ones, or those accepted in a round [default: all]
    #[arg(long, value_name = "all|accepted|ROUND")]
    pub curated: Option<String>,
    /// Score only items that match this filter
    #[arg(long, value_name = "WORDS")]
    pub filter: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// An opened board: of the project, through its owner, or of files.
pub enum Source {
    Project(Box<Client>, Box<BoardQuery>),
    Files(Box<BoardData>),
}

impl Source {
    /// Opens the board that the options name.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for options that apply only to a project; errors of the files or the
    /// project.
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
            // The owner expects full names of rules.
            let ask = BoardQuery {
                curated,
                filter,
                rule: rule.map(|rule| rule.name().to_string()),
                ..BoardQuery::default()
            };
            return Ok(Source::Project(Box::new(context.client()?), Box::new(ask)));
        }
        if of.curated.is_some() || of.filter.is_some() {
            return Err(Error::new(
                ErrorKind::Usage,
                "--curated and --filter apply only to a project's board",
            )
            .help("omit PATH to analyze the project's board"));
        }
        let mapping = of.mapping.as_deref().map(import::mapping).transpose()?;
        let scored = from_paths_by(&of.paths, rule, mapping.as_ref())?;
        for problem in &scored.skipped {
            out::tell(format_args!("skipped: {problem}"));
        }
        Ok(Source::Files(Box::new(scored)))
    }

    pub fn board(&self) -> Result<Board> {
        match self {
            Source::Files(scored) => Ok(scored.full_board()),
            Source::Project(client, ask) => client.ask(request::Board(ask.clone())),
        }
    }

    /// The names of the columns that match `globs`; empty if `globs` is `None`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if no column matches.
    pub fn columns(&self, globs: Option<&str>) -> Result<Vec<String>> {
        let Some(globs) = globs else {
            return Ok(Vec::new());
        };
        let mut board = self.board()?;
        choose(&mut board, globs)?;
        Ok(board.columns.into_iter().map(|c| c.name).collect())
    }

    /// Analyzes the board, here for files and in the owner for a project.
    pub fn analysed(&self, what: What) -> Result<Analysis> {
        match self {
            Source::Files(scored) => analyse(
                scored,
                &scored.engine().choose(None),
                None,
                &what,
                Cancel::NEVER,
            ),
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
