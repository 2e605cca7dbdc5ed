//! The source of a board and its analyses: files, or the project's owner.

use std::path::{Path, PathBuf};

use super::args::{Args, Of, References, extractor};
use crate::context::Context;
use crate::out;
use benchtop_formats::published_figures as published;
use benchtop_metrics::extract::Extractor;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::board::analysis::{CellInterval, Disagreement, ModelComparison, Rank, TOOL};
use benchtop_model::board::{Board, BoardQuery, Curated, DrilldownPage, ItemAnswers};
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, Filter, Result};
use benchtop_pipeline::board::{BoardData, DRILLDOWN_FURTHER_PAGE, from_paths_by};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

pub enum Source {
    /// Files, read by this process, and the rows to show after the scored ones.
    Files(Box<BoardData>, References),
    /// The project's owner.
    Project(Box<Client>, BoardQuery),
}

/// Reads the board of files.
fn read(paths: &[PathBuf], rule: Option<Extractor>, mapping: Option<&Path>) -> Result<BoardData> {
    let mapping = mapping.map(crate::import::mapping).transpose()?;
    from_paths_by(paths, rule, mapping.as_ref())
}

impl Source {
    /// Opens the files of the options, or the project if there are none. `rows` are those to
    /// show after the scored ones, and `refusal` says why files refuse the options of a project, and
    /// what to do.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for options that apply only to a
    /// project; errors of the files or the project.
    pub fn open(
        context: &Context,
        of: &Of,
        rows: References,
        (what, help): (&str, &str),
    ) -> Result<Source> {
        let rule = of.rule.as_deref().map(extractor).transpose()?;
        let filter = of.filter.as_deref().map(Filter::parse).transpose()?;
        if !of.paths.is_empty() {
            if of.curated.is_some() || filter.is_some() {
                return Err(Error::usage(what).help(help));
            }
            let scored = read(&of.paths, rule, of.mapping.as_deref())?;
            return Ok(Source::Files(Box::new(scored), rows));
        }
        let ask = BoardQuery {
            curated: match of.curated.as_deref() {
                None | Some("all") => Curated::All,
                Some("accepted") => Curated::Accepted,
                Some(round) => Curated::Round(round.into()),
            },
            filter: filter.unwrap_or_default(),
            // The owner expects full names of rules.
            rule: rule.map(|rule| rule.name().to_string()),
            printed: rows.printed,
            chance: rows.chance,
        };
        Ok(Source::Project(Box::new(context.client()?), ask))
    }

    /// Lists the skipped files on standard error.
    pub fn skipped(&self) {
        if let Source::Files(scored, _) = self {
            for problem in &scored.skipped {
                out::tell(format_args!("skipped: {problem}"));
            }
        }
    }

    /// The damaged prediction files, which are left out.
    pub(super) fn damaged(&self) -> &[Error] {
        match self {
            Source::Files(scored, _) => &scored.damaged,
            Source::Project(..) => &[],
        }
    }

    pub fn board(&self) -> Result<Board> {
        match self {
            Source::Files(scored, rows) => {
                let mut board = scored.full_board();
                published::beside(&mut board, &rows.printed)?;
                if rows.chance {
                    let all = scored.engine().choose(None);
                    board.rows.push(scored.engine().chance_row(&all));
                }
                Ok(board)
            }
            Source::Project(client, ask) => client.ask(request::Board(Box::new(ask.clone()))),
        }
    }

    pub(super) fn ranked(&self, column: &str) -> Result<Vec<(String, Rank)>> {
        match self {
            Source::Files(scored, _) => scored.ranks(column, &scored.engine().choose(None)),
            Source::Project(client, ask) => client.ask(request::Ranks {
                ask: Box::new(ask.clone()),
                column: column.into(),
            }),
        }
    }

    pub(super) fn interval(
        &self,
        model: &str,
        column: &str,
        plan: Bootstrap,
    ) -> Result<CellInterval> {
        match self {
            Source::Files(scored, _) => scored.confidence_intervals(
                model,
                column,
                &scored.engine().choose(None),
                plan,
                Cancel::NEVER,
            ),
            Source::Project(client, ask) => {
                let (ask, model, column) = (Box::new(ask.clone()), model.into(), column.into());
                client.ask(request::CellInterval {
                    ask,
                    model,
                    column,
                    plan,
                })
            }
        }
    }

    pub(super) fn compared(
        &self,
        (a, b): (&str, &str),
        column: &str,
        plan: Bootstrap,
    ) -> Result<ModelComparison> {
        match self {
            Source::Files(scored, _) => {
                let chosen = scored.engine().choose(None);
                scored.compare((a, b), column, &chosen, plan, (Cancel::NEVER, &|_| true))
            }
            Source::Project(client, ask) => {
                let (ask, models, column) =
                    (Box::new(ask.clone()), [a.into(), b.into()], column.into());
                client.ask(request::Compare {
                    ask,
                    models,
                    column,
                    plan,
                })
            }
        }
    }

    /// One page of the answers behind a cell.
    pub(super) fn drilldown(
        &self,
        (model, column): (&str, &str),
        from: u64,
    ) -> Result<DrilldownPage> {
        match self {
            Source::Files(scored, _) => scored.drilldown(
                model,
                column,
                &scored.engine().choose(None),
                (from, DRILLDOWN_FURTHER_PAGE),
            ),
            Source::Project(client, ask) => {
                let (ask, model, column) = (Box::new(ask.clone()), model.into(), column.into());
                client.ask(request::Drilldown {
                    ask,
                    model,
                    column,
                    from,
                })
            }
        }
    }

    /// The answers of all models to one question.
    pub(super) fn answers_to(&self, item: &str, args: &Args) -> Result<ItemAnswers> {
        match self {
            Source::Files(scored, _) => {
                scored.answers_to(scored.row_named(item)?, args.column.as_deref())
            }
            Source::Project(client, ask) => {
                let (rule, column) = (ask.rule.clone(), args.column.clone());
                client.ask(request::ModelAnswers {
                    rule,
                    column,
                    item: item.into(),
                })
            }
        }
    }

    /// The answers that another rule reads differently. Without a rule: those that the tools that
    /// wrote them judged differently.
    pub(super) fn against(
        &self,
        other: Option<Extractor>,
        args: &Args,
    ) -> Result<Vec<Disagreement>> {
        match self {
            Source::Files(scored, _) => {
                let Some(other) = other else {
                    return scored
                        .against_tools(&scored.engine().choose(None), (Cancel::NEVER, &|_| true));
                };
                let second = read(&args.paths, Some(other), args.mapping.as_deref())?;
                scored.disagreements(
                    &second,
                    &scored.engine().choose(None),
                    (Cancel::NEVER, &|_| true),
                )
            }
            Source::Project(client, ask) => {
                let other = Some(other.map_or(TOOL, Extractor::name).to_string());
                client.ask(request::Disagreements {
                    ask: Box::new(ask.clone()),
                    other,
                })
            }
        }
    }
}
