//! `benchtop filter rules`: shows, tries, applies, and reverts the rules that flag items.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde::Deserialize;
use serde_json::json;

use crate::out;
use benchtop_files::bounded;
use benchtop_files::regular::SETTINGS_LIMIT;
use benchtop_model::scoring::queries::{RulesDiff, RulesState};
use benchtop_model::scoring::rules::{Rule, RuleAction, RuleSet, Threshold};
use benchtop_model::scoring::{Measure, Outcome, Scorer};
use benchtop_model::{Error, ErrorKind, Result, clean};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Show the rules of benchtop.toml and how many items match each
    Show,
    /// Show what the rules of a file would change
    Try {
        /// TOML file with `[[rules]]`
        file: PathBuf,
    },
    /// Write the rules of a file into benchtop.toml
    Apply {
        /// TOML file with `[[rules]]`
        file: PathBuf,
    },
    /// Restore the rules before the last change
    Revert,
}

#[derive(Deserialize)]
struct File {
    rules: RuleSet,
}

fn read(path: &Path) -> Result<RuleSet> {
    let text = bounded::text(path, SETTINGS_LIMIT)?;
    let file: File = toml::from_str(&text).map_err(|e| {
        let at = e.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.get(..at).unwrap_or_default().matches('\n').count() as u64 + 1;
        Error::input(e.message().replace('\n', " "))
            .file(path)
            .line(line)
            .field("rules")
    })?;
    Ok(file.rules)
}

/// Checks thresholds from the command line.
pub(super) fn thresholds(
    all: [(RuleAction, Option<f64>); 2],
) -> Result<Vec<(RuleAction, Threshold)>> {
    let given = all
        .into_iter()
        .filter_map(|(then, number)| Some((then, number?)));
    let check = |(then, number)| {
        let wrong = || Error::usage(format!("`{number}` is no threshold"));
        Ok((then, Threshold::new(number).ok_or_else(wrong)?))
    };
    given.map(check).collect()
}

/// Sets thresholds on the scores of a scorer in the rules of the project.
pub(super) fn set(
    client: &Client,
    scorer: &Scorer,
    thresholds: &[(RuleAction, Threshold)],
) -> Result<()> {
    if thresholds.is_empty() {
        return Ok(());
    }
    let now = present(client)?;
    let measure = Measure::with_default_scale(scorer.clone());
    let rules = thresholds.iter().fold(now.rules, |rules, (then, at)| {
        rules.with(&measure, *then, None, Some(*at))
    });
    let revision = now.revision;
    client.ask(request::ApplyRules { rules, revision })?;
    Ok(())
}

/// The present rules.
fn present(client: &Client) -> Result<RulesState> {
    let now = client.ask(request::Rules)?;
    match &now.problem {
        None => Ok(now),
        Some(problem) => {
            let what = format!("cannot read the present rules: {problem}");
            Err(Error::new(ErrorKind::Conflict, what).help("fix benchtop.toml first"))
        }
    }
}

pub fn run(client: &Client, args: &Args, json: bool) -> Result<u8> {
    let state = || client.ask(request::Rules);
    match args.what.as_ref().unwrap_or(&What::Show) {
        What::Show => show(&state()?, json),
        What::Try { file } => {
            let diff = client.ask(request::TryRules(read(file)?))?;
            out::report(json, &json!(diff), || words(&diff))
        }
        What::Apply { file } => {
            let rules = read(file)?;
            let now = present(client)?;
            let now = client.ask(request::ApplyRules {
                rules,
                revision: now.revision,
            })?;
            show(&now, json)
        }
        What::Revert => {
            let revision = state()?.revision;
            let now = client.ask(request::RevertRules { revision })?;
            show(&now, json)
        }
    }
}

fn show(state: &RulesState, json: bool) -> Result<u8> {
    out::report(json, &json!(state), || text(state))
}

/// The rules with the number of items that match each, one per line.
pub(super) fn lines(state: &RulesState) -> String {
    let rules = state.rules.rules.iter().zip(&state.hits);
    let line = |(rule, hits): (&Rule, &u64)| {
        let (name, words) = (clean::line(&rule.name), rule.describe());
        let hits = out::count(*hits, "item");
        format!("{name}\t{hits}\t{}\n", clean::line(&words))
    };
    rules.map(line).collect()
}

fn text(state: &RulesState) -> String {
    let mut out = lines(state);
    if out.is_empty() {
        out.push_str("no rules; see docs/filters.md\n");
    }
    let [kept, flagged, parked] = state.tally.items;
    out.push_str(&format!(
        "{kept} kept, {flagged} flagged, {parked} parked\n"
    ));
    if let Some(problem) = &state.problem {
        out.push_str(&format!(
            "cannot read benchtop.toml, so the last valid rules apply: {problem}\n"
        ));
    }
    out
}

fn words(diff: &RulesDiff) -> String {
    let mut out: String = diff
        .lines
        .iter()
        .map(|line| format!("{}\n", clean::line(line)))
        .collect();
    for outcome in Outcome::ALL {
        out.push_str(&format!(
            "{} more {}, {} fewer\n",
            diff.newly(outcome),
            outcome.name(),
            diff.no_longer(outcome)
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_file_of_rules_and_locates_errors() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.toml");
        std::fs::write(
            &path,
            "[[rules]]\nname='a'\nthen='flag'\nall=[{score='ocr',below=0.8}]\n",
        )
        .unwrap();
        assert_eq!(read(&path).unwrap().rules.len(), 1);
        std::fs::write(
            &path,
            "[[rules]]\nname='a'\nthen='drop'\nall=[{score='ocr',below=0.8}]\n",
        )
        .unwrap();
        let problem = read(&path).unwrap_err();
        assert!(problem.place.line.is_some() && problem.what.contains("drop"));
        assert_eq!(
            read(&dir.path().join("none")).unwrap_err().kind,
            ErrorKind::NotFound
        );
    }

    #[test]
    fn diff_counts_items_by_outcome() {
        let mut diff = RulesDiff {
            lines: vec!["~ weak".into()],
            ..RulesDiff::default()
        };
        diff.moves[1][0] = 312;
        diff.moves[0][1] = 41;
        let text = words(&diff);
        assert!(
            text.contains("312 more kept, 41 fewer") && text.contains("41 more flagged, 312 fewer"),
            "{text}"
        );
    }
}
