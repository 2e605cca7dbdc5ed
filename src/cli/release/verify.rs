//! `benchtop release verify`.

use std::io::IsTerminal;
use std::path::PathBuf;

use crate::out;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::import::Progress;
use benchtop_model::{Result, clean};
use benchtop_pipeline::release::verify::{Verified, verify};

#[derive(clap::Args)]
pub struct Args {
    /// Folder of the release
    dir: PathBuf,
    /// The hash of everything that the release must have
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// Print the findings as one JSON object
    #[arg(long)]
    json: bool,
}

/// The exit code is 1 if something is wrong.
pub fn run(args: &Args) -> Result<u8> {
    let shows = !args.json && std::io::stderr().is_terminal();
    let tell = |progress: Progress| {
        if shows && progress.done.is_multiple_of(64) {
            out::progress(&format!("{}: {}", progress.what, progress.done));
        }
    };
    let watch = ProgressSink::new(&tell, Cancel::NEVER);
    let found = verify(&args.dir, args.hash.as_deref(), watch);
    if shows {
        out::progress("");
    }
    let found = found?;
    out::report(args.json, &found, || text(&found))?;
    Ok(u8::from(!found.sound))
}

fn text(found: &Verified) -> String {
    let mut text = String::new();
    let lists = [
        ("missing", &found.missing),
        ("extra", &found.extra),
        ("changed", &found.changed),
        ("not a file", &found.not_files),
    ];
    for (word, paths) in lists {
        for path in paths {
            text += &format!("{word}: {}\n", clean::line(path));
        }
    }
    if !found.hash_matches {
        text += "the hash of everything does not match\n";
    }
    text += &format!(
        "{} {}: {} of {}, hash {}\n",
        clean::line(&found.name),
        if found.sound {
            "is sound"
        } else {
            "is not sound"
        },
        out::count(found.files, "file"),
        out::count(found.bytes, "byte"),
        clean::line(&found.hash)
    );
    text
}
