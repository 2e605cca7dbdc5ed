//! OCR with the command line of Tesseract (Smith 2007): `tesseract - - tsv`, with the picture on
//! standard input.
//!
//! Several processes run in parallel, each with one thread. This is faster than one process with
//! several threads, and keeps the machine responsive. A process that times out or is canceled is
//! killed with its process group.

mod process;
mod tsv;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use self::process::{End, run};
use super::BatchEvent;
use super::batch::Batch;
use super::reader::TextReader;
use benchtop_model::generation::{Failure, FailureKind, Fingerprint};
use benchtop_model::ocr::ReadText;
use benchtop_model::vlm::Encoded;
use benchtop_model::{Error, Result};

/// Part of the fingerprint. Increase it with every change of the parser.
const VERSION: u32 = 1;
/// Timeout for the program to print its version.
const HELLO: Duration = Duration::from_secs(20);
const INSTALL: &str =
    "install it: apt-get install tesseract-ocr, dnf install tesseract, or brew install tesseract";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Path of the program, or its name in `PATH`.
    pub program: PathBuf,
    /// Tesseract's names of the languages, joined by `+`: `eng`, `eng+chi_sim`.
    pub languages: String,
    /// Page segmentation mode, 0 to 13. Mode 11 finds words anywhere, such as on signs and shirts.
    /// Mode 3, Tesseract's default, is made for pages.
    pub segmentation: u8,
    /// Timeout per picture.
    pub timeout: Duration,
    /// Number of parallel processes; 0 for one per core.
    pub processes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            program: "tesseract".into(),
            languages: "eng".into(),
            segmentation: 11,
            timeout: Duration::from_secs(60),
            processes: 0,
        }
    }
}

/// An installed Tesseract.
#[derive(Debug)]
pub struct Tesseract {
    options: Options,
    name: String,
    fingerprint: Fingerprint,
}

impl Tesseract {
    /// Checks that the program is installed and has the languages.
    ///
    /// # Errors
    /// [`Error::not_found`] if the program or a language is missing, [`Error::input`] for
    /// invalid options, [`Error::failed`] if the program does not run.
    pub fn open(options: Options) -> Result<Tesseract> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_/-.".contains(c);
        let languages: Vec<&str> = options.languages.split('+').collect();
        if languages
            .iter()
            .any(|l| l.is_empty() || l.starts_with('-') || !l.chars().all(plain))
        {
            let what = format!(
                "invalid Tesseract languages `{}`",
                options.languages.escape_debug()
            );
            return Err(
                Error::input(what).help("join names of languages with `+`, such as eng+chi_sim")
            );
        }
        if options.segmentation > 13 {
            return Err(Error::input(format!(
                "unknown page segmentation mode {}",
                options.segmentation
            ))
            .help("choose a mode from 0 to 13; `tesseract --help-psm` lists them"));
        }
        let printed = query(&options.program, "--version")?;
        let version = printed
            .lines()
            .map(str::trim)
            .find(|l| !l.is_empty())
            .unwrap_or_default();
        if !version.to_ascii_lowercase().starts_with("tesseract") {
            let what = format!(
                "this is not Tesseract: its version is \"{}\"",
                excerpt(version)
            );
            return Err(Error::failed(what).file(&options.program).help(INSTALL));
        }
        let listed = query(&options.program, "--list-langs")?;
        let installed: Vec<&str> = listed.lines().skip(1).map(str::trim).collect();
        if let Some(missing) = languages.iter().find(|l| !installed.contains(*l)) {
            let what = format!(
                "the Tesseract language `{missing}` is not installed; installed: {}",
                installed.join(", ")
            );
            let package = missing.to_lowercase().replace('_', "-");
            return Err(Error::not_found(what).file(&options.program).help(format!(
                "install it: apt-get install tesseract-ocr-{package}"
            )));
        }
        let mut fingerprint = Fingerprint::default()
            .with("backend", "tesseract")
            .with("version", VERSION)
            .with("program", version)
            .with("languages", &options.languages)
            .with("segmentation", options.segmentation);
        // The models are separate files, so the version of the program does not fix them.
        let folder = listed.split('"').nth(1).map(PathBuf::from);
        for language in &languages {
            let model = folder
                .as_ref()
                .and_then(|f| std::fs::read(f.join(format!("{language}.traineddata"))).ok());
            if let Some(model) = model {
                fingerprint =
                    fingerprint.with(&format!("model {language}"), blake3::hash(&model).to_hex());
            }
        }
        Ok(Tesseract {
            name: version.to_string(),
            fingerprint,
            options,
        })
    }

    fn one(&self, picture: &Encoded, stop: &AtomicBool) -> std::result::Result<ReadText, Failure> {
        let segmentation = self.options.segmentation.to_string();
        let args = [
            "-",
            "-",
            "-l",
            &self.options.languages,
            "--psm",
            &segmentation,
            "tsv",
        ];
        let ended = run(
            &self.options.program,
            &args,
            picture.bytes(),
            self.options.timeout,
            stop,
        )
        .map_err(|e| {
            Failure::new(
                FailureKind::Unavailable,
                format!("cannot run Tesseract: {e}"),
            )
        })?;
        let fail = |kind, what: String| Err(Failure::new(kind, what));
        match ended {
            End::Done { out, .. } => tsv::parse(&String::from_utf8_lossy(&out))
                .map_err(|why| Failure::new(FailureKind::BadOutput, why)),
            End::Failed { code, stderr } => {
                let message = match excerpt(&stderr) {
                    text if text.is_empty() => "no message".to_string(),
                    text => format!("\"{text}\""),
                };
                fail(
                    FailureKind::BadOutput,
                    format!("Tesseract cannot read this picture (exit code {code}): {message}"),
                )
            }
            End::Signal(signal) => fail(
                FailureKind::Unavailable,
                format!(
                    "Tesseract was killed by signal {signal}; signal 9 may mean that memory ran out"
                ),
            ),
            End::Late => {
                let seconds = self.options.timeout.as_secs_f32();
                fail(
                    FailureKind::Transport,
                    format!("Tesseract timed out after {seconds} s"),
                )
            }
            End::Stopped => fail(FailureKind::Cancelled, "cancelled".into()),
        }
    }
}

/// The output of the program for one argument.
fn query(program: &Path, arg: &str) -> Result<String> {
    let ended = run(program, &[arg], b"", HELLO, &AtomicBool::new(false));
    let what = match ended {
        // Older versions write to standard error.
        Ok(End::Done { out, stderr }) => {
            let out = String::from_utf8_lossy(&out).into_owned();
            return Ok(if out.trim().is_empty() { stderr } else { out });
        }
        Ok(End::Failed { code, stderr }) => {
            format!("failed with exit code {code}: \"{}\"", excerpt(&stderr))
        }
        Ok(End::Signal(signal)) => format!("was killed by signal {signal}"),
        Ok(End::Late | End::Stopped) => format!("timed out after {} s", HELLO.as_secs()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::not_found("Tesseract is not installed")
                .file(program)
                .help(INSTALL));
        }
        Err(e) => return Err(Error::io(&e, "cannot run Tesseract", program)),
    };
    Err(Error::failed(format!("`tesseract {arg}` {what}")).file(program))
}

/// The text as one line of at most 160 characters.
fn excerpt(text: &str) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty());
    words
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(160)
        .collect()
}

impl TextReader for Tesseract {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint.clone()
    }

    fn parallelism(&self) -> usize {
        match self.options.processes {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        }
    }

    fn read(&mut self, pictures: &[Encoded], watch: &mut dyn FnMut(BatchEvent<ReadText>) -> bool) {
        if pictures.is_empty() {
            return;
        }
        let mut batch = Batch::new(pictures.len(), watch);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(!batch.goes_on));
        let (tell, results) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.parallelism().min(pictures.len()) {
                let (tell, next, stop, me) = (tell.clone(), &next, &stop, &*self);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(picture) = pictures.get(index) else {
                            return;
                        };
                        if tell.send((index, me.one(picture, stop))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(tell);
            batch.receive(&results);
            stop.store(true, Ordering::Relaxed);
        });
        batch.end("internal error: the picture was lost; please report this");
    }
}
