//! An item as it is put to a model.

use std::path::Path;
use std::sync::Arc;

use crate::evaluate::orders;
use crate::evaluate::relabel::relabelled;
use benchtop_compose::metadata::{Instruction, Metadata, instruct};
use benchtop_files::picture_file::PictureFile;
use benchtop_files::project::Project;
use benchtop_model::evaluation::{NewRun, RunAnswer, Wording};
use benchtop_model::vlm::{Ask, Encoded, Reply};
use benchtop_model::{Error, ErrorKind, Form, Item, MetaFile, Result, Role};
use benchtop_store::metadata;

/// The words of an item itself.
const ITEMS_OWN: &str = "item";

/// The instructions of a run.
#[derive(Clone, Debug)]
pub struct Wordings {
    /// One for all questions; none where each has that of its paper.
    one: Option<Arc<Instruction>>,
    dysca: Arc<Instruction>,
    mvp: Arc<Instruction>,
    sap: Arc<Instruction>,
}

impl Wordings {
    /// Those that `wording` names, as the metadata of the project have them now.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a name that is none, with those there are; [`ErrorKind::Input`] for a text that is none.
    pub fn of(project: &Project, wording: &Wording) -> Result<Wordings> {
        let files = metadata::read(&project.metadata())?;
        let metadata = Metadata::parse(files.files.into_iter().map(|f| MetaFile {
            name: f.name,
            text: f.text,
        }));
        let named = |name: &str| {
            metadata.instruction(name).ok_or_else(|| {
                let known: Vec<String> = metadata
                    .instructions()
                    .iter()
                    .map(|i| i.name.clone())
                    .collect();
                Error::new(
                    ErrorKind::NotFound,
                    format!("there is no instruction `{name}`, or it cannot be used"),
                )
                .file(
                    project
                        .metadata()
                        .join(format!("{}{name}.toml", instruct::FOLDER)),
                )
                .help(format!(
                    "one of: paper, {}; or a file; `benchtop lint` says what is wrong",
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

    /// In words, with a revision: another text is another instruction.
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

    /// The one for an item whose own words are not asked.
    fn for_item(&self, item: &Item) -> &Instruction {
        match (&self.one, item.form) {
            (Some(one), _) => one,
            (None, Form::Mvp | Form::MvpCircular) => &self.mvp,
            (None, _) if item.options.iter().any(|o| o.role == Role::Refusal) => &self.sap,
            (None, _) => &self.dysca,
        }
    }
}

/// Reads the instruction in `text`.
///
/// # Errors
/// [`ErrorKind::Input`] with the first thing that is wrong.
pub fn read(name: &str, text: &str) -> Result<Instruction> {
    let (instruction, found) = instruct::parse(name, name, text);
    instruction.ok_or_else(|| {
        let first = found.into_iter().next();
        let (what, line) = first.map_or_else(Default::default, |f| (f.what, u64::from(f.line)));
        Error::input(what)
            .file(name)
            .line(line)
            .help("metadata/instruct/ has files to start from")
    })
}

/// A question ready to be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is sent.
    pub ask: Ask,
    /// The answer, but for what was said.
    pub frame: RunAnswer,
    /// The item's options in their own order.
    pub options: Vec<String>,
}

/// Puts `item` in order `order`.
///
/// # Errors
/// Why it cannot be asked, in words.
pub fn question(
    item: &Item,
    order: u16,
    new: &NewRun,
    wordings: &Wordings,
    files: &[PictureFile],
) -> std::result::Result<Question, String> {
    let shown = orders::shown(new.orders, item, order, new.seed);
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
        ask: Ask {
            images,
            system,
            prompt,
            max_tokens: new.max_tokens,
            ..Ask::default()
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

/// The pictures of an item, which must all be there.
fn pictures(item: &Item, files: &[PictureFile]) -> std::result::Result<Vec<Encoded>, String> {
    if files.len() < item.images.len() {
        return Err(format!(
            "it has {} pictures, {} are there",
            item.images.len(),
            files.len()
        ));
    }
    let one = |file: &PictureFile| {
        let bytes = file
            .read()
            .map_err(|p| format!("its picture cannot be read: {p}"))?;
        Encoded::new(bytes).ok_or_else(|| "its picture is no PNG, JPEG, WebP or GIF".to_string())
    };
    files.iter().map(one).collect()
}

/// Where the pictures of an item are, as far as they are there.
pub fn files(root: &Path, item: &Item) -> Vec<PictureFile> {
    PictureFile::all(root, &item.images)
}

impl Question {
    /// The answer that `reply` is. Letters are put into the item's own order here: until the answer is brought in, somebody may edit it.
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
