//! `benchtop recompose`: composed items in the words that the metadata has now.

use serde_json::json;

use super::import;
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::usage::Tally;
use benchtop_model::{Result, Status, clean};
use benchtop_protocol::wire::request;

/// Arguments of `recompose`.
#[derive(clap::Args)]
pub struct Args {
    /// A term goes by another name now
    #[arg(long, value_name = "VOCABULARY:OLD=NEW", value_parser = rename)]
    rename: Vec<Rename>,
    /// Draw a term for each slot that a prompt got since its items were composed
    #[arg(long)]
    draw_missing: bool,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

fn rename(text: &str) -> std::result::Result<Rename, String> {
    let parts = text
        .split_once(':')
        .and_then(|(v, rest)| Some((v, rest.split_once('=')?)));
    match parts {
        Some((vocabulary, (old, new)))
            if ![vocabulary, old, new].iter().any(|p| p.trim().is_empty()) =>
        {
            Ok(Rename {
                vocabulary: vocabulary.into(),
                old: old.into(),
                new: new.into(),
            })
        }
        _ => Err("expected VOCABULARY:OLD=NEW, such as animal:owl=barn owl".into()),
    }
}

/// Runs it.
///
/// # Errors
/// Errors in the metadata, and the operating system's; then nothing was changed.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = request::Recompose {
        renames: args.rename.clone(),
        draw_missing: args.draw_missing,
        dry: args.dry_run,
    };
    let report = import::waited(&context.client()?, ask, !args.json)?;
    let text = if args.json {
        json(&report, args.dry_run)
    } else {
        text(&report, args)
    };
    print(&text).map(|()| 0)
}

fn tally(tally: &Tally) -> serde_json::Value {
    Status::ALL
        .iter()
        .map(|s| (s.name().to_string(), tally.of(*s).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn json(report: &Recomposed, dry: bool) -> String {
    let causes: Vec<_> = report
        .causes
        .iter()
        .map(|(what, items)| json!({"what": what, "items": items}))
        .collect();
    let value = json!({
        "dry_run": dry,
        "composed": report.composed,
        "changed": {"items": report.changed.all(), "by_status": tally(&report.changed)},
        "kept": report.kept,
        "gone": {"items": report.gone.all(), "by_status": tally(&report.gone), "causes": causes},
        "missing": {"items": report.missing.all(), "by_status": tally(&report.missing)},
        "drawn": report.drawn,
        "edited": report.edited,
        "notes": report.notes,
    });
    out::json_text(&value)
}

fn text(report: &Recomposed, args: &Args) -> String {
    let would = if args.dry_run { "would read" } else { "read" };
    let (changed, kept, gone) = (report.changed.all(), report.kept, report.gone.all());
    let mut out = format!(
        "{} composed items: {changed} {would} differently now",
        report.composed
    );
    if kept > 0 {
        out.push_str(&format!(", {kept} the same from other templates"));
    }
    out.push_str(&format!(
        ", {} as they were\n",
        report.composed - changed - kept - gone - report.edited
    ));
    if report.drawn > 0 {
        out.push_str(&format!(
            "a term was drawn for {} of them: their prompts have a new slot\n",
            report.drawn
        ));
    }
    if report.edited > 0 {
        out.push_str(&format!(
            "{} were edited by hand and stay as they are\n",
            report.edited
        ));
    }
    if gone > 0 {
        out.push_str(&format!(
            "{gone} cannot be composed again and stay as they are:\n"
        ));
        for (what, items) in &report.causes {
            out.push_str(&format!("  {items:>7}  {}\n", clean::line(what)));
        }
    }
    let missing = report.missing.all();
    if missing > 0 && !args.draw_missing {
        out.push_str(&format!(
            "{missing} of them lack only a term for a new slot: --draw-missing draws one\n"
        ));
    }
    for note in &report.notes {
        out.push_str(&format!("{}\n", clean::line(note)));
    }
    out
}
