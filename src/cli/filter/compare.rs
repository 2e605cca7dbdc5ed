//! `benchtop filter compare`: compares two folders of pictures.

use std::io::IsTerminal;
use std::path::PathBuf;

use serde_json::json;

use crate::context::Context;
use crate::out;
use benchtop_inference::candle::scorer::{ClipScorer, Options};
use benchtop_inference::hub::Hub;
use benchtop_inference::scoring::ImageTextScorer;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::import::Progress;
use benchtop_model::{Result, clean};
use benchtop_pipeline::scoring::compare::{Comparison, compare};

#[derive(clap::Args)]
pub struct Args {
    /// Folder of pictures, such as the project's images/
    first: PathBuf,
    /// Second folder of pictures, such as a benchmark or a training set
    second: PathBuf,
    /// Minimum cosine similarity of near-duplicates
    #[arg(long, default_value_t = 0.9, value_name = "N")]
    threshold: f32,
    /// CLIP model: a name or a folder [default: the model of benchtop.toml]
    #[arg(long)]
    model: Option<String>,
    /// Seed of the KMMD's sample; sets of more than 3,000 pictures are sampled
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs in this process, without an owner: nothing in the project changes.
pub fn run(context: &Context, args: &Args, json: bool) -> Result<u8> {
    let model = match &args.model {
        Some(model) => model.clone(),
        None => context.project()?.config().filter.clip.clone(),
    };
    let mut model = ClipScorer::open(&Hub::from_env()?.path(&model)?, &Options::cpu())?;
    let name = ImageTextScorer::capabilities(&model).name.clone();
    let show = !json && std::io::stderr().is_terminal();
    let tell = |progress: Progress| {
        if show {
            out::progress(&out::count(progress.done, "picture"));
        }
    };
    let found = compare(
        &mut model,
        &name,
        (&args.first, &args.second),
        (args.threshold, args.seed),
        ProgressSink::new(&tell, Cancel::NEVER),
    )?;
    if show {
        out::progress("");
    }
    out::report(json, &json!(found), || text(&found))
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
    let (m, n) = found.samples;
    out.push_str(&format!(
        "KMMD\t{:.6} unbiased MMD^2\t{:.6} biased\tGaussian kernel, sigma {:.4} (median heuristic), {m} and {n} pictures, {}\n",
        found.kmmd_unbiased, found.kmmd_biased, found.sigma, found.model
    ));
    for (a, b, cosine) in &found.nearest {
        let [a, b] = [a, b].map(|path| path.display().to_string());
        out.push_str(&format!(
            "{cosine:.4}\t{}\t{}\n",
            clean::line(&a),
            clean::line(&b)
        ));
    }
    for (file, why) in &found.skipped {
        let file = file.display().to_string();
        out.push_str(&format!(
            "skipped\t{}\t{}\n",
            clean::line(&file),
            clean::line(why)
        ));
    }
    out
}
