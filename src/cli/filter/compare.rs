//! `benchtop filter compare`: compares folders of pictures.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::agreement::table::{Words, plain};
use crate::context::Context;
use crate::out;
use benchtop_inference::candle::scorer::{ClipScorer, Options};
use benchtop_inference::hub::Hub;
use benchtop_inference::scoring::ImageTextScorer;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::import::Progress;
use benchtop_model::scoring::NEAR;
use benchtop_model::{Error, Result, clean};
use benchtop_pipeline::scoring::compare::{Comparison, Distances, compare, distances};

#[derive(clap::Args)]
pub struct Args {
    /// Folders of pictures, such as the project's images/ and those of benchmarks or training sets
    ///
    /// Two are compared by near-duplicates and KMMD. Of more, the KMMD of each pair is computed.
    #[arg(value_name = "FOLDER", num_args = 2.., required = true)]
    folders: Vec<PathBuf>,
    /// Minimum cosine similarity of near-duplicates, for two folders [default: 0.9]
    #[arg(long, value_name = "N")]
    threshold: Option<f32>,
    /// CLIP model: a name or a folder [default: the model of benchtop.toml]
    #[arg(long)]
    model: Option<String>,
    /// Seed of the KMMD's sample; sets of more than 3,000 pictures are sampled
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs in this process, without an owner: nothing in the project changes.
pub fn run(context: &Context, args: &Args, json: bool) -> Result<u8> {
    let pair = match &args.folders[..] {
        [first, second] => Some((first.as_path(), second.as_path())),
        _ if args.threshold.is_some() => {
            return Err(Error::usage("--threshold applies to two folders").help("omit it"));
        }
        _ => None,
    };
    let model = match &args.model {
        Some(model) => model.clone(),
        None => context.project()?.config().filter.clip.clone(),
    };
    let mut model = ClipScorer::open(&Hub::from_env()?.path(&model)?, &Options::cpu())?;
    let name = ImageTextScorer::capabilities(&model).name.clone();
    let show = !json && std::io::stderr().is_terminal();
    let tell = |progress: Progress| {
        if show {
            let Progress { what, done, of } = progress;
            out::progress(&match of {
                Some(of) => format!("{done} of {of} {what}"),
                None => out::count(done, "picture"),
            });
        }
    };
    let watch = ProgressSink::new(&tell, Cancel::NEVER);
    let seed = args.seed;
    let clear = || {
        if show {
            out::progress("");
        }
    };
    match pair {
        Some(folders) => {
            let asked = (args.threshold.unwrap_or(NEAR), seed);
            let found = compare(&mut model, &name, folders, asked, watch);
            clear();
            let found = found?;
            out::report(json, &json!(found), || text(&found))
        }
        None => {
            let found = distances(&mut model, &name, &args.folders, seed, watch);
            clear();
            let found = found?;
            out::report(json, &json!(found), || table(&found))
        }
    }
}

/// The unbiased estimates of each pair, and their mean by column.
fn table(found: &Distances) -> String {
    let shown = |path: &Path| clean::line(&path.display().to_string()).into_owned();
    let number = |(at, _): (usize, &(PathBuf, u64))| format!("{}", at + 1);
    let mut head = vec!["KMMD".to_string()];
    head.extend(found.sets.iter().enumerate().map(number));
    let cell = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.6}"));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (at, pairs) in found.pairs.iter().enumerate() {
        let mut row = vec![format!("{}", at + 1)];
        row.extend(
            pairs
                .iter()
                .map(|pair| cell(pair.map(|pair| pair.kmmd_unbiased))),
        );
        rows.push(row);
    }
    let mut mean = vec!["mean".to_string()];
    mean.extend(found.mean.iter().map(|mean| cell(Some(*mean))));
    rows.push(mean);
    let mut out = plain(&Words { head, rows });
    out.push_str(&format!(
        "unbiased MMD^2, Gaussian kernel with its own width for each pair (median heuristic), {}\n",
        clean::line(&found.model)
    ));
    for (at, (folder, pictures)) in found.sets.iter().enumerate() {
        let pictures = out::count(*pictures, "picture");
        out.push_str(&format!("{}\t{}\t{pictures}\n", at + 1, shown(folder)));
    }
    out + &skipped(&found.skipped)
}

/// The files that are not pictures.
fn skipped(files: &[(PathBuf, String)]) -> String {
    let line = |(file, why): &(PathBuf, String)| {
        let file = file.display().to_string();
        format!("skipped\t{}\t{}\n", clean::line(&file), clean::line(why))
    };
    files.iter().map(line).collect()
}

fn text(found: &Comparison) -> String {
    let share = found.contaminated;
    let mut out = format!(
        "contaminated\t{:.2} % [{:.2}, {:.2}]\t{} of {} at cosine {} or more\n",
        share.share() * 100.0,
        share.low * 100.0,
        share.high * 100.0,
        share.k,
        share.n,
        found.threshold
    );
    let distance = found.distance;
    let (m, n) = distance.samples;
    out.push_str(&format!(
        "KMMD\t{:.6} unbiased MMD^2\t{:.6} biased\tGaussian kernel, sigma {:.4} (median heuristic), {m} and {n} pictures, {}\n",
        distance.kmmd_unbiased, distance.kmmd_biased, distance.sigma, found.model
    ));
    for (a, b, cosine) in &found.nearest {
        let [a, b] = [a, b].map(|path| path.display().to_string());
        out.push_str(&format!(
            "{cosine:.4}\t{}\t{}\n",
            clean::line(&a),
            clean::line(&b)
        ));
    }
    out + &skipped(&found.skipped)
}
