//! `benchtop export`: writes items and predictions in an interchange format.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{items, out};
use crate::context::Context;
use benchtop_files::picture_file::PictureFile;
use benchtop_model::generated_image::{PictureState, check_drafts};
use benchtop_model::{Error, ErrorKind, Filter, Form, Item, Prediction, Result};
use benchtop_pipeline::export::{
    self, Answers, Aside, Destination, EXPORTS, Export, Exporter, Kind, unlink,
};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{AnswerSet, PageRequest, request};

mod tools;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop export --format jsonl --filter status:accepted --out accepted.jsonl\n  benchtop export --format vlmevalkit --out vlmevalkit/ --with-predictions"
)]
pub struct Args {
    /// Output format
    #[arg(long, value_parser = format())]
    format: &'static Export,
    /// Output file (dysca, jsonl) or folder (all others) [default: standard output]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Export only items that match this filter, such as `status:accepted`
    #[arg(long, value_name = "WORDS")]
    filter: Option<String>,
    /// Copy the pictures next to the file, under the names in the records
    #[arg(long, requires = "out")]
    images: bool,
    /// Include items that show a draft picture, and mark them
    #[arg(long)]
    drafts: bool,
    /// Export the models' answers as well (vlmevalkit; always on for mvp)
    #[arg(long)]
    with_predictions: bool,
}

/// The formats as values of an option.
fn format() -> impl TypedValueParser<Value = &'static Export> {
    let value = |export: &Export| PossibleValue::new(export.name).help(export.summary);
    PossibleValuesParser::new(EXPORTS.iter().copied().map(value))
        .try_map(|name| export::named(&name).ok_or("no such format"))
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let export = args.format;
    if args.with_predictions && export.answers == Answers::No {
        let holds = EXPORTS.iter().filter(|e| e.answers != Answers::No);
        let names: Vec<&str> = holds.map(|export| export.name).collect();
        let names = names.join(" or --format ");
        return Err(
            Error::usage("this format cannot hold answers").help(format!("use --format {names}"))
        );
    }
    if let Kind::Tables(tables) = &export.kind {
        return tools::run(context, args, tables);
    }
    let filter = Filter::parse(args.filter.as_deref().unwrap_or_default())?;
    let client = context.client()?;
    check(&client, &filter, args.drafts)?;
    let nested = export.nests && all_nested(&client, &filter, export)?;
    let to = args.out.as_deref().map_or_else(
        || Destination::Stream(Box::new(out::data())),
        Destination::Path,
    );
    let mut exporter = Exporter::create(export, to, nested)?.leaving_out();
    let mut pictures = args
        .images
        .then(|| Pictures::new(client.welcome().root.clone(), args.out.as_deref(), export));
    let mut aside = Aside::default();
    items::each_item(&client, filter, |_, item| {
        if let Some(pictures) = pictures.as_mut().filter(|_| (export.takes)(item.form))
            && let Err(problem) = pictures.copy(&item)
        {
            return aside.put(&item.id, problem);
        }
        exporter.push(&item)
    })?;
    if export.answers == Answers::Always {
        predictions(&client, &mut exporter)?;
    }
    let first_problem = exporter
        .first_problem()
        .map(|why| format!(" (first: {why})"))
        .unwrap_or_default();
    let (written, left_out) = exporter.finish()?;
    out::tell(format_args!("wrote {}", out::count(written, "item")));
    if left_out > 0 {
        out::tell(format_args!(
            "left out {} that this format cannot hold{first_problem}; --format jsonl writes all",
            out::count(left_out, "item")
        ));
    }
    Ok(report_aside(&aside))
}

/// Lists the items that were set aside. Returns the exit code.
fn report_aside(aside: &Aside) -> u8 {
    for (id, problem) in aside.first() {
        out::tell(format_args!("set aside: {id}: {problem}"));
    }
    if aside.count() > 0 {
        out::tell(format_args!(
            "set aside {} with damaged or missing pictures",
            out::count(aside.count(), "item")
        ));
    }
    u8::from(aside.count() > 0)
}

/// Refuses to export drafts unless `wanted`.
fn check(client: &Client, filter: &Filter, wanted: bool) -> Result<()> {
    let page = |filter: Filter| PageRequest {
        generation: 1,
        filter,
        sort: Vec::new(),
        offset: 0,
        count: 0,
    };
    let count = |filter: Filter| {
        client
            .ask(request::Page(page(filter)))
            .map(|page| page.total)
    };
    let is_draft = filter.picture.is_empty() || filter.picture.contains(&PictureState::Draft);
    if wanted || !is_draft {
        return Ok(());
    }
    let drafts = count(Filter {
        picture: vec![PictureState::Draft],
        ..filter.clone()
    })?;
    if drafts == 0 {
        Ok(())
    } else {
        check_drafts(drafts, (count(filter.clone())?, "items"), false)
    }
}

/// True if all items that Dysca's format can hold are nested records.
fn all_nested(client: &Client, filter: &Filter, export: &Export) -> Result<bool> {
    let (mut nested, mut flat) = (0u64, 0u64);
    items::each_item(client, filter.clone(), |_, item| {
        match item.form {
            Form::DyscaNested => nested += 1,
            form if (export.takes)(form) => flat += 1,
            _ => {}
        }
        Ok(())
    })?;
    Ok(nested > 0 && flat == 0)
}

fn predictions(client: &Client, exporter: &mut Exporter) -> Result<()> {
    let sets = client.ask(request::AnswerSets)?;
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
            lines(client, at, &mut |row| rows.push(row))?;
        }
        exporter.predictions((&set.model, set.form, set.evaluated), &mut rows.into_iter())?;
    }
    Ok(())
}

/// Calls `take` with every prediction of an answer set.
fn lines(client: &Client, set: u32, take: &mut dyn FnMut(Result<Prediction>)) -> Result<()> {
    let mut part = 0;
    while let Some(text) = client.ask(request::AnswerLines { set, part })? {
        let row = |line| {
            serde_json::from_str(line).map_err(|e| Error::new(ErrorKind::Corrupt, e.to_string()))
        };
        text.lines().for_each(|line| take(row(line)));
        part += 1;
    }
    Ok(())
}

/// Copies pictures to the paths in the exported records.
struct Pictures {
    root: PathBuf,
    to: PathBuf,
    done: HashSet<String>,
}

impl Pictures {
    fn new(root: PathBuf, out: Option<&Path>, export: &Export) -> Pictures {
        let out = out.unwrap_or(Path::new("."));
        let to = match export.kind {
            Kind::Folder { pictures, .. } => out.join(pictures),
            _ => out.parent().unwrap_or(out).to_path_buf(),
        };
        Pictures {
            root,
            to,
            done: HashSet::new(),
        }
    }

    /// Copies all pictures of an item, or none if one of them is damaged.
    fn copy(&mut self, item: &Item) -> Result<()> {
        let mut read = Vec::new();
        for image in &item.images {
            let name = Path::new(&image.name);
            let inside = name
                .components()
                .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
            let from = PictureFile::of(&self.root, image);
            let Some(from) = from.filter(|_| inside && !self.done.contains(&image.name)) else {
                continue;
            };
            read.push((image.name.clone(), from.read()?));
        }
        for (name, bytes) in read {
            let to = self.to.join(&name);
            if let Some(dir) = to.parent() {
                std::fs::create_dir_all(dir).map_err(|e| write_error(&e, dir))?;
            }
            unlink(&to);
            std::fs::write(&to, bytes).map_err(|e| write_error(&e, &to))?;
            self.done.insert(name);
        }
        Ok(())
    }
}

/// A write error ends the export, so its kind must not be one of a damaged picture.
fn write_error(error: &std::io::Error, path: &Path) -> Error {
    let problem = Error::io(error, "cannot write the picture", path);
    if problem.kind == ErrorKind::DiskFull {
        problem
    } else {
        Error {
            kind: ErrorKind::Io,
            ..problem
        }
    }
}
