//! `benchtop scenario sheet`: what a scenario does to one picture, as one PNG.

use std::path::PathBuf;

use serde_json::json;

use crate::context::{Context, number_of};
use crate::out;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_files::picture_file::PictureFile;
use benchtop_files::{disk, regular};
use benchtop_model::derivation::WORD;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Error, Item, Result, clean};
use benchtop_pipeline::compose;
use benchtop_pipeline::scenario::{self, Parameters, sheet};
use benchtop_protocol::wire::request;
use benchtop_raster::decode::decode;

#[derive(clap::Args)]
pub struct Args {
    /// Number or id of an item, or a picture file
    #[arg(long, value_name = "ITEM|PICTURE")]
    of: String,
    /// The PNG to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Scenario: corruption (corruption x severity), print-attack (factor x level), adversarial (eps)
    #[arg(long, default_value = "corruption", value_name = "NAME")]
    scenario: String,
    /// Only these rows, separated by commas: corruptions, or factors
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    rows: Vec<String>,
    /// The word of a print attack [default: the wrong word of the item]
    #[arg(long)]
    word: Option<String>,
    /// Side of a picture on the sheet, in pixels
    #[arg(long, default_value_t = 192, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=1024))]
    side: u32,
    /// Seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the outcome as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let plan = ScenarioPlan {
        scenario: args.scenario.clone(),
        seed: args.seed,
        ..ScenarioPlan::default()
    };
    let scenario = scenario::of(&plan)?;
    let path = PathBuf::from(&args.of);
    let (bytes, item) = match path.is_file() {
        true => (regular::read(&path, FILE_LIMIT)?, None),
        false => {
            let (bytes, item) = of_item(context, &args.of)?;
            (bytes, Some((item, context.project()?)))
        }
    };
    let mut parameters = match &item {
        // A word on the command line needs no wrong word.
        Some((item, project)) if args.word.is_none() => {
            let (metadata, _) = compose::metadata(Some(project))?;
            let (compiled, _) = CompiledMetadata::compile(&metadata);
            let left_out = |why: String| {
                let what = format!("the scenario leaves such items out: {why}");
                Error::input(what).help("name a word with --word")
            };
            scenario
                .parameters(item, &plan, &compiled)
                .map_err(left_out)?
        }
        _ => Parameters::new(),
    };
    if let Some(word) = &args.word {
        parameters.insert(WORD.into(), word.clone().into());
    }
    let picture = decode(&bytes).map_err(|problem| match item.is_some() {
        true => problem.field("of"),
        false => problem.file(&path),
    })?;
    let layout = scenario.sheet(&plan, &parameters)?.only(&args.rows)?;
    let config = item.as_ref().map(|(_, project)| project.config());
    let painter = scenario.painter(&plan, config)?;
    let sheet = sheet::png(&picture, &*painter, &layout, (args.seed, args.side))?;
    disk::write_atomic(&args.out, &sheet)?;
    let (rows, columns) = (layout.rows.len(), layout.columns.len());
    let value = json!({
        "file": args.out, "scenario": plan.scenario, "rows": rows, "columns": columns,
        "bytes": sheet.len(),
    });
    out::report(args.json, &value, || {
        let file = args.out.display().to_string();
        let (rows, columns) = (out::count(rows, "row"), out::count(columns, "column"));
        format!("{}: {rows} of {columns}\n", clean::line(&file))
    })
}

/// The picture of an item, and the item.
fn of_item(context: &Context, name: &str) -> Result<(Vec<u8>, Item)> {
    let client = context.client()?;
    let number = number_of(&client, name)?;
    let view = client.ask(request::Item(number))?;
    let wrong = |e| Error::corrupt(format!("cannot read item #{number}: {e}"));
    let item: Item = serde_json::from_str(&view.json).map_err(wrong)?;
    let project = context.project()?;
    let image = item.images.first();
    let file = image.and_then(|image| PictureFile::of(project.root(), image));
    let none = || Error::not_found(format!("item #{number} has no picture")).field("of");
    Ok((file.ok_or_else(none)?.read()?, item))
}
