//! Turns items into requests to a model.

use std::path::Path;
use std::sync::Arc;

use crate::compose;
use crate::evaluate::orders;
use crate::evaluate::relabel::relabelled;
use benchtop_compose::metadata::{Instruction, instructions};
use benchtop_files::picture_file::PictureFile;
use benchtop_files::project::Project;
use benchtop_model::evaluation::{NewRun, RunAnswer, Wording};
use benchtop_model::vlm::{Encoded, Reply, VlmRequest};
use benchtop_model::{Error, ErrorKind, Form, Item, Result, Role};

/// Name of an item's own instruction.
const ITEMS_OWN: &str = "item";

/// The instructions of a run.
#[derive(Clone, Debug)]
pub struct Wordings {
    /// One instruction for all questions. `None` if each has that of its paper.
    one: Option<Arc<Instruction>>,
    dysca: Arc<Instruction>,
    mvp: Arc<Instruction>,
    sap: Arc<Instruction>,
}

impl Wordings {
    /// The instructions that `wording` names, from the project's present metadata.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] for an unknown name, with the list of names; [`ErrorKind::Input`]
    /// for an invalid file.
    pub fn of(project: &Project, wording: &Wording) -> Result<Wordings> {
        let (metadata, _) = compose::metadata(Some(project))?;
        let named = |name: &str| {
            metadata.instruction(name).ok_or_else(|| {
                let known: Vec<String> = metadata
                    .instructions()
                    .iter()
                    .map(|i| i.name.clone())
                    .collect();
                Error::new(
                    ErrorKind::NotFound,
                    format!("no usable instruction `{name}`"),
                )
                .file(
                    project
                        .metadata()
                        .join(format!("{}{name}.toml", instructions::FOLDER)),
                )
                .help(format!(
                    "use one of: paper, {}; or a file; run `benchtop lint` for errors",
                    known.join(", ")
                ))
            })
        };
        let one = match wording {
            Wording::Paper => None,
            Wording::Named(name) => Some(named(name)?),
            Wording::Text { name, text } => Some(Arc::new(read(name, text)?)),
        };
        Ok(Wordings {
            one,
            dysca: named("dysca")?,
            mvp: named("mvp")?,
            sap: named("mm-sap")?,
        })
    }

    /// A description with a revision, which changes with the text.
    pub fn described(&self) -> String {
        match &self.one {
            Some(one) => format!("{} {}", one.label(), one.revision),
            None => {
                let all = [&self.dysca, &self.mvp, &self.sap]
                    .map(|i| i.revision.as_str())
                    .concat();
                format!("paper {}", &blake3::hash(all.as_bytes()).to_hex()[..16])
            }
        }
    }

    /// The instruction for an item without its own.
    fn for_item(&self, item: &Item) -> &Instruction {
        match (&self.one, item.form) {
            (Some(one), _) => one,
            (None, Form::Mvp | Form::MvpCircular) => &self.mvp,
            (None, _) if item.options.iter().any(|o| o.role == Role::Refusal) => &self.sap,
            (None, _) => &self.dysca,
        }
    }
}

/// Parses the instruction in `text`.
///
/// # Errors
///
/// [`ErrorKind::Input`] with the first error.
pub fn read(name: &str, text: &str) -> Result<Instruction> {
    let (instruction, found) = instructions::parse(name, name, text);
    instruction.ok_or_else(|| {
        let first = found.into_iter().next();
        let (what, line) = first.map_or_else(Default::default, |f| (f.message, u64::from(f.line)));
        Error::input(what)
            .file(name)
            .line(line)
            .help("see metadata/instruct/ for examples")
    })
}

/// A question ready to be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The request to send.
    pub ask: VlmRequest,
    /// The answer record without the output.
    pub frame: RunAnswer,
    /// The item's options in their own order.
    pub options: Vec<String>,
}

/// Builds the question for `item` in option order `order`.
///
/// # Errors
///
/// Why it cannot be asked, as text.
pub fn question(
    item: &Item,
    order: u16,
    new: &NewRun,
    wordings: &Wordings,
    files: &[PictureFile],
) -> std::result::Result<Question, String> {
    let shown = orders::option_order(new.orders, item, order, new.seed);
    let is_own = shown
        .iter()
        .enumerate()
        .all(|(place, option)| place == usize::from(*option));
    let own = item
        .instruction
        .as_deref()
        .filter(|i| is_own && wordings.one.is_none() && !i.trim().is_empty());
    let (prompt, system, instruction) = match own {
        Some(words) => (words.to_string(), None, ITEMS_OWN.to_string()),
        None => {
            let words = wordings.for_item(item);
            let text = |option: &u16| {
                item.options
                    .get(usize::from(*option))
                    .map_or("", |o| o.text.as_str())
            };
            let options: Vec<&str> = shown.iter().map(text).collect();
            (
                words.write(item.kind, &item.question, &options),
                words.system(),
                words.label(),
            )
        }
    };
    let images = if new.blind {
        Vec::new()
    } else {
        pictures(item, files)?
    };
    let declines = |option: &u16| {
        item.options
            .get(usize::from(*option))
            .is_some_and(|o| o.role == Role::Refusal)
    };
    let refusal = shown
        .iter()
        .position(declines)
        .and_then(|place| u16::try_from(place).ok());
    Ok(Question {
        ask: VlmRequest {
            images,
            system,
            prompt,
            max_tokens: new.max_tokens,
            ..VlmRequest::default()
        },
        frame: RunAnswer {
            shown: if is_own { Vec::new() } else { shown },
            refusal,
            instruction,
            ..RunAnswer::default()
        },
        options: item.options.iter().map(|o| o.text.clone()).collect(),
    })
}

/// The pictures of an item. Fails if any is missing.
fn pictures(item: &Item, files: &[PictureFile]) -> std::result::Result<Vec<Encoded>, String> {
    if files.len() < item.images.len() {
        return Err(format!(
            "it has {} pictures, of which {} are available",
            item.images.len(),
            files.len()
        ));
    }
    files.iter().map(encoded).collect()
}

/// Prefix of the reason if a picture is damaged or missing.
pub const UNREAD: &str = "cannot read its picture";

/// The picture of a file, as it is sent.
///
/// # Errors
///
/// Why it cannot be sent, as text.
pub fn encoded(file: &PictureFile) -> std::result::Result<Encoded, String> {
    let bytes = file.read().map_err(|p| format!("{UNREAD}: {p}"))?;
    Encoded::new(bytes).ok_or_else(|| "its picture is not PNG, JPEG, WebP, or GIF".to_string())
}

/// The available picture files of an item.
pub fn files(root: &Path, item: &Item) -> Vec<PictureFile> {
    PictureFile::all(root, &item.images)
}

impl Question {
    /// The answer record for `reply`. Letters are mapped to the item's own order now, since the
    /// item may be edited before the answer is published.
    pub fn answered(self, reply: Reply) -> RunAnswer {
        let Reply {
            text: output,
            reasoning,
            finish,
            usage,
            model: served,
            ..
        } = reply;
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        let reads = (!self.frame.shown.is_empty())
            .then(|| relabelled(&output, &options, &self.frame.shown));
        RunAnswer {
            output,
            reasoning,
            reads,
            finish,
            usage,
            served,
            ..self.frame
        }
    }
}
