//! `benchtop recompose`: updates composed items after the metadata changed.

use serde_json::json;

use super::import;
use crate::context::Context;
use crate::out;
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::usage::Tally;
use benchtop_model::{Result, Status, clean};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop recompose --dry-run\n  benchtop recompose --rename 'animal:owl=barn owl'"
)]
pub struct Args {
    /// Follow a renamed term (repeatable)
    #[arg(long, value_name = "VOCABULARY:OLD=NEW", value_parser = rename)]
    rename: Vec<Rename>,
    /// Choose terms for slots that were added to a prompt since its items were composed
    #[arg(long)]
    draw_missing: bool,
    /// Show what would change, without changing it
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

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let ask = request::Recompose {
        renames: args.rename.clone(),
        draw_missing: args.draw_missing,
        dry: args.dry_run,
    };
    let report = import::waited(&context.client()?, ask, !args.json)?;
    let value = value(&report, args.dry_run);
    out::report(args.json, &value, || text(&report, args))
}

fn tally(tally: &Tally) -> serde_json::Value {
    Status::ALL
        .iter()
        .map(|s| (s.name().to_string(), tally.count(*s).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn value(report: &Recomposed, dry: bool) -> serde_json::Value {
    let causes: Vec<_> = report
        .causes
        .iter()
        .map(|(what, items)| json!({"what": what, "items": items}))
        .collect();
    json!({
        "dry_run": dry,
        "composed": report.composed,
        "changed": {"items": report.changed.all(), "by_status": tally(&report.changed)},
        "kept": report.kept,
        "gone": {"items": report.gone.all(), "by_status": tally(&report.gone), "causes": causes},
        "missing": {"items": report.missing.all(), "by_status": tally(&report.missing)},
        "drawn": report.drawn,
        "edited": report.edited,
        "notes": report.notes,
    })
}

fn text(report: &Recomposed, args: &Args) -> String {
    let changed_verb = if args.dry_run {
        "would change"
    } else {
        "changed"
    };
    let (changed, kept, gone) = (report.changed.all(), report.kept, report.gone.all());
    let unchanged = report.composed - changed - kept - gone - report.edited;
    let mut text = format!(
        "{}: {changed} {changed_verb}, {unchanged} unchanged",
        out::count(report.composed, "composed item")
    );
    if kept > 0 {
        text.push_str(&format!(
            ", {kept} with the same text from changed templates"
        ));
    }
    text.push('\n');
    if report.drawn > 0 {
        text.push_str(&format!(
            "{} of the changed items got a term for a new slot\n",
            report.drawn
        ));
    }
    if report.edited > 0 {
        text.push_str(&format!(
            "left out {} edited by hand\n",
            out::count(report.edited, "item")
        ));
    }
    if gone > 0 {
        text.push_str(&format!(
            "left out {} that cannot be composed again:\n",
            out::count(gone, "item")
        ));
        for (what, items) in &report.causes {
            text.push_str(&format!("  {items:>7}  {}\n", clean::line(what)));
        }
    }
    let missing = report.missing.all();
    if missing > 0 && !args.draw_missing {
        text.push_str(&format!(
            "{missing} of these lack only a term for a new slot; --draw-missing chooses one\n"
        ));
    }
    for note in &report.notes {
        text.push_str(&format!("{}\n", clean::line(note)));
    }
    text
}
