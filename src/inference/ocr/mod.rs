//! Tesseract (Smith 2007) through its command line: `tesseract - - tsv`, the picture on its standard input.
//!
//! Several processes read at once, each with one thread: that is faster than one process with several, and leaves the
//! machine usable. A process that takes too long, or whose work is cancelled, is killed with all it started.

mod process;
mod tsv;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use self::process::{End, run};
use super::Heard;
use super::reader::TextReader;
use benchtop_model::generation::{Failure, FailureKind, Fingerprint};
use benchtop_model::ocr::ReadText;
use benchtop_model::vlm::Encoded;
use benchtop_model::{Error, ErrorKind, Result};

/// Goes up with every change of what is read from the same output.
const VERSION: u32 = 1;
/// For the program to say what it is.
const HELLO: Duration = Duration::from_secs(20);
/// How often a sign of life is told.
const SIGN_OF_LIFE: Duration = Duration::from_millis(200);
/// What to do where there is no program.
const INSTALL: &str =
    "install it: apt-get install tesseract-ocr, dnf install tesseract, or brew install tesseract";

/// How Tesseract is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The program, by its path or by its name in `PATH`.
    pub program: PathBuf,
    /// Languages by Tesseract's names, with `+` between them: `eng`, `eng+chi_sim`.
    pub languages: String,
    /// Page segmentation mode, 0 to 13. 11 looks for words anywhere, in no order, as they stand on signs and shirts; 3 is
    /// Tesseract's own choice and made for pages.
    pub segmentation: u8,
    /// For one picture.
    pub timeout: Duration,
    /// Processes at once; 0 is one for each core.
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

/// Tesseract, found and asked for its version.
#[derive(Debug)]
pub struct Tesseract {
    options: Options,
    name: String,
    fingerprint: Fingerprint,
}

impl Tesseract {
    /// Looks whether the program is there and has the languages.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] without the program or a language, with what to install; [`ErrorKind::Input`] for options that it
    /// cannot take; [`ErrorKind::Io`] where it does not run.
    pub fn open(options: Options) -> Result<Tesseract> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_/-.".contains(c);
        let languages: Vec<&str> = options.languages.split('+').collect();
        if languages
            .iter()
            .any(|l| l.is_empty() || l.starts_with('-') || !l.chars().all(plain))
        {
            let what = format!(
                "`{}` are no languages of Tesseract's",
                options.languages.escape_debug()
            );
            return Err(
                Error::input(what).help("their names with `+` between them, such as eng+chi_sim")
            );
        }
        if options.segmentation > 13 {
            return Err(Error::input(format!(
                "there is no page segmentation mode {}",
                options.segmentation
            ))
            .help("one from 0 to 13; `tesseract --help-psm` lists them"));
        }
        let told = hello(&options.program, "--version")?;
        let version = told
            .lines()
            .map(str::trim)
            .find(|l| !l.is_empty())
            .unwrap_or_default();
        if !version.to_ascii_lowercase().starts_with("tesseract") {
            let what = format!("this is no Tesseract: it says \"{}\"", excerpt(version));
            return Err(Error::new(ErrorKind::Io, what)
                .file(&options.program)
                .help(INSTALL));
        }
        let listed = hello(&options.program, "--list-langs")?;
        let there: Vec<&str> = listed.lines().skip(1).map(str::trim).collect();
        if let Some(missing) = languages.iter().find(|l| !there.contains(*l)) {
            let what = format!(
                "Tesseract has no language `{missing}`; it has {}",
                there.join(", ")
            );
            let package = missing.to_lowercase().replace('_', "-");
            return Err(Error::new(ErrorKind::NotFound, what)
                .file(&options.program)
                .help(format!(
                    "install it: apt-get install tesseract-ocr-{package}"
                )));
        }
        let mut fingerprint = Fingerprint::default()
            .with("backend", "tesseract")
            .with("version", VERSION)
            .with("program", version)
            .with("languages", &options.languages)
            .with("segmentation", options.segmentation);
        // The models are files of their own: the same program reads otherwise with others.
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
            End::Failed { code, said } => {
                let said = match excerpt(&said) {
                    said if said.is_empty() => "and says nothing".to_string(),
                    said => format!("\"{said}\""),
                };
                fail(
                    FailureKind::BadOutput,
                    format!("Tesseract cannot read this picture (exit code {code}): {said}"),
                )
            }
            End::Signal(signal) => fail(
                FailureKind::Unavailable,
                format!(
                    "Tesseract was ended by signal {signal}; with 9 the machine may have been out of memory"
                ),
            ),
            End::Late => {
                let seconds = self.options.timeout.as_secs_f32();
                fail(
                    FailureKind::Transport,
                    format!("Tesseract took longer than {seconds} s and was ended"),
                )
            }
            End::Stopped => fail(FailureKind::Cancelled, "cancelled".into()),
        }
    }
}

/// What the program says when it is called so.
fn hello(program: &Path, arg: &str) -> Result<String> {
    let ended = run(program, &[arg], b"", HELLO, &AtomicBool::new(false));
    let what = match ended {
        // Older versions answer on standard error.
        Ok(End::Done { out, said }) => {
            let out = String::from_utf8_lossy(&out).into_owned();
            return Ok(if out.trim().is_empty() { said } else { out });
        }
        Ok(End::Failed { code, said }) => {
            format!("ends with exit code {code}: \"{}\"", excerpt(&said))
        }
        Ok(End::Signal(signal)) => format!("is ended by signal {signal}"),
        Ok(End::Late | End::Stopped) => format!("does not answer within {} s", HELLO.as_secs()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::new(ErrorKind::NotFound, "Tesseract is not there")
                .file(program)
                .help(INSTALL));
        }
        Err(e) => return Err(Error::io(&e, "cannot run Tesseract", program)),
    };
    Err(Error::new(ErrorKind::Io, format!("Tesseract called with {arg} {what}")).file(program))
}

/// One line of at most 160 characters.
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

    fn at_once(&self) -> usize {
        match self.options.processes {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        }
    }

    fn read(&mut self, pictures: &[Encoded], watch: &mut dyn FnMut(Heard<ReadText>) -> bool) {
        if pictures.is_empty() {
            return;
        }
        let mut open = vec![true; pictures.len()];
        let mut go = watch(Heard::Alive);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(!go));
        let (tell, told) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.at_once().min(pictures.len()) {
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
            while go {
                match told.recv_timeout(SIGN_OF_LIFE) {
                    Ok((index, result)) => {
                        open[index] = false;
                        go = watch(Heard::Done { index, result });
                    }
                    Err(RecvTimeoutError::Timeout) => go = watch(Heard::Alive),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            // The scope waits for its threads, and they for their processes, which this ends.
            stop.store(true, Ordering::Relaxed);
        });
        let why = match go {
            true => Failure::new(
                FailureKind::BadOutput,
                "a picture was lost in this program: please report this",
            ),
            false => Failure::new(FailureKind::Cancelled, "cancelled"),
        };
        for index in (0..pictures.len()).filter(|i| open[*i]) {
            watch(Heard::Done {
                index,
                result: Err(why.clone()),
            });
        }
    }
}
