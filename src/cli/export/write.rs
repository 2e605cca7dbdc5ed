//! Writes an export.

use std::collections::HashSet;
use std::io::Write;

use super::source::Source;
use super::tools;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::export::{ExportReport, ExportRequest};
use benchtop_model::{Error, Filter, Form, Prediction, Result};
use benchtop_pipeline::export::{
    Answers, Aside, Destination, EXPORTS, Export, Exporter, Kind, Pictures, named,
};
use benchtop_protocol::Client;
use benchtop_protocol::wire::AnswerSet;

/// Writes an export. Without a path, it goes to `stream`.
///
/// # Errors
/// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for options that the format does not
/// have, drafts that are not wanted, cancellation, and failed writes. Existing files are then
/// unchanged.
pub fn write(
    client: &Client,
    ask: &ExportRequest,
    stream: impl FnOnce() -> Box<dyn Write + Send>,
    watch: ProgressSink<'_>,
) -> Result<ExportReport> {
    let export = format(ask)?;
    check_options(export, ask)?;
    let filter = Filter::parse(&ask.filter)?;
    let source = Source {
        client,
        filter,
        watch,
    };
    source.check_drafts(ask.drafts)?;
    if let Kind::Tables(tables) = &export.kind {
        return tools::write(&source, ask, tables);
    }
    let nested = export.nests && all_nested(&source, export)?;
    let to = match ask.out.as_deref() {
        Some(out) => Destination::Path(out),
        None => Destination::Stream(stream()),
    };
    let mut exporter = Exporter::create(export, to, nested)?.leaving_out();
    let root = client.welcome().root.clone();
    let mut pictures = (ask.images).then(|| Pictures::beside(root, ask.out.as_deref(), export));
    let mut aside = Aside::default();
    source.each("exporting", |item| {
        if let Some(pictures) = pictures.as_mut().filter(|_| (export.takes)(item.form))
            && let Err(problem) = pictures.copy(&item)
        {
            return aside.put(&item.id, problem);
        }
        exporter.push(&item)
    })?;
    if export.answers == Answers::Always {
        predictions(&source, &mut exporter)?;
    }
    let first_problem = exporter.first_problem().map(str::to_string);
    let more_files = exporter.more_files();
    let (items, left_out) = exporter.finish()?;
    Ok(ExportReport {
        items,
        more_files,
        left_out,
        first_problem,
        set_aside: aside.count() as u64,
        aside: aside.first().to_vec(),
        ..ExportReport::default()
    })
}

/// The format that is asked for.
pub(super) fn format(ask: &ExportRequest) -> Result<&'static Export> {
    named(&ask.format)
        .ok_or_else(|| Error::usage(format!("no format `{}`", ask.format)).field("format"))
}

/// Refuses options that the format does not have.
pub(super) fn check_options(export: &Export, ask: &ExportRequest) -> Result<()> {
    if ask.with_predictions && export.answers == Answers::No {
        let holds = EXPORTS.iter().filter(|e| e.answers != Answers::No);
        let names: Vec<&str> = holds.map(|export| export.name).collect();
        let names = names.join(" or --format ");
        return Err(Error::usage("this format cannot hold answers")
            .help(format!("use --format {names}"))
            .field("with_predictions"));
    }
    if let Kind::Tables(_) = export.kind {
        if ask.out.is_none() {
            return Err(Error::usage("this format needs a folder").help("name it with --out DIR"));
        }
        if ask.images {
            return Err(Error::usage("this format always includes the pictures")
                .help("omit --pictures")
                .field("images"));
        }
    }
    Ok(())
}

/// True if all items that Dysca's format can hold are nested records.
fn all_nested(source: &Source<'_>, export: &Export) -> Result<bool> {
    let (mut nested, mut flat) = (0u64, 0u64);
    source.each("reading", |item| {
        match item.form {
            Form::DyscaNested => nested += 1,
            form if (export.takes)(form) => flat += 1,
            _ => {}
        }
        Ok(())
    })?;
    Ok(nested > 0 && flat == 0)
}

fn predictions(source: &Source<'_>, exporter: &mut Exporter) -> Result<()> {
    let sets = source.answer_sets()?;
    let key = |s: &AnswerSet| (s.model.clone(), s.form, s.evaluated);
    let mut done = HashSet::new();
    for set in &sets {
        // MVP-Bench's folder cannot hold answers that came from other tools.
        if set.form == Form::Plain || !done.insert(key(set)) {
            continue;
        }
        // Answers of one model that came in several files are written to one file.
        let parts = sets
            .iter()
            .enumerate()
            .filter(|(_, s)| key(s) == key(set))
            .map(|(at, _)| at as u32);
        let mut rows: Vec<Result<Prediction>> = Vec::new();
        for at in parts {
            source.lines(at, &mut |row| rows.push(row))?;
        }
        exporter.predictions((&set.model, set.form, set.evaluated), &mut rows.into_iter())?;
    }
    Ok(())
}
