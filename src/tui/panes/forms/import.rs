//! The form of an import, with a list of files that are recognized as the cursor moves.

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Ask, Context, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject};
use crate::widgets::lines::Lines;
use crate::widgets::page::Page;
use crate::widgets::text::{counted, grouped};
use benchtop_formats::inspect::{FileInspection, FolderInspection, Inspection, inspect};
use benchtop_model::import::{ImportRequest, Report, VariantOf};
use benchtop_model::{Error, Result, clean};
use benchtop_protocol::wire::request;

pub type ImportPane = FormPane<Import>;

const PATH: &str = "from";
const DATASET: &str = "data set";
const MODEL: &str = "model";
const LINK: &str = "link pictures";
const STRICT: &str = "strict";
const VARIANT: &str = "variant";
const OF: &str = "of";

/// Files that the preview of a folder names.
const NAMED: usize = 8;

/// An import.
#[derive(Clone, Copy, Debug)]
pub struct Import;

/// What the questions are variants of, if both names are filled in.
fn variant_of(fields: &Fields) -> Option<VariantOf> {
    let (variant, dataset) = fields.filled(VARIANT).zip(fields.filled(OF))?;
    Some(VariantOf {
        variant: variant.to_string(),
        dataset: dataset.to_string(),
    })
}

fn request_of(fields: &Fields) -> Option<ImportRequest> {
    Some(ImportRequest {
        paths: vec![fields.path(PATH)?],
        link: fields.is_on(LINK),
        keep_going: !fields.is_on(STRICT),
        dataset: fields.filled(DATASET).map(str::to_string),
        model: fields.filled(MODEL).map(str::to_string),
        mapping: None,
        variant_of: variant_of(fields),
    })
}

impl Subject for Import {
    type Preview = Inspection;

    fn title(&self) -> &str {
        "import"
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        let text = fields.text(name);
        let has_controls = text.chars().any(char::is_control);
        match name {
            DATASET if text.contains('/') || has_controls => {
                Some("a name without `/` and control characters".into())
            }
            MODEL if has_controls => Some("a name without control characters".into()),
            VARIANT if fields.filled(OF).is_some() && fields.filled(VARIANT).is_none() => {
                Some("type the name of the variant".into())
            }
            OF if fields.filled(VARIANT).is_some() && fields.filled(OF).is_none() => {
                Some("type the data set of the originals".into())
            }
            VARIANT | OF => {
                let wrong = variant_of(fields).and_then(|of| of.check().err());
                let is_here = |problem: &Error| self.field_of(problem).is_some_and(|f| f == name);
                wrong.filter(is_here).map(|problem| problem.what)
            }
            _ => None,
        }
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        match problem.place.field.as_deref() {
            Some("dataset") => Some(DATASET),
            Some("model") => Some(MODEL),
            Some("variant") => Some(VARIANT),
            Some("of") => Some(OF),
            _ => None,
        }
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let mut all = vec!["import".to_string(), fields.text(PATH).to_string()];
        let names = [
            ("--dataset", DATASET),
            ("--model", MODEL),
            ("--variant", VARIANT),
            ("--of", OF),
        ];
        for (option, field) in names {
            if let Some(name) = fields.filled(field) {
                all.extend([option.to_string(), name.to_string()]);
            }
        }
        let flags = [
            ("--link", fields.is_on(LINK)),
            ("--keep-going", !fields.is_on(STRICT)),
        ];
        let set = flags.into_iter().filter(|(_, is_set)| *is_set);
        all.extend(set.map(|(flag, _)| flag.to_string()));
        all
    }

    fn draw_preview(&self, _: &Fields, found: &Inspection, lines: &mut Lines<'_>) {
        match found {
            Inspection::File(file) => draw_file(file, lines),
            Inspection::Folder(folder) => draw_folder(folder, lines),
            Inspection::Link { to } => {
                let to = clean::line(&to.to_string_lossy()).into_owned();
                lines.wrapped(
                    &format!(" a link to {to}; links are not followed"),
                    Role::Warn,
                );
            }
            Inspection::Unknown { why } => {
                lines.wrapped(" not recognized", Role::Warn);
                lines.wrapped(&format!(" {}", clean::line(why)), Role::Dim);
            }
        }
    }
}

fn draw_file(file: &FileInspection, lines: &mut Lines<'_>) {
    let plain = |text: &str| text.replace('`', "");
    lines.wrapped(&format!(" {}", plain(file.title)), Role::Accent);
    let more = if file.more { " or more" } else { "" };
    let counts = [
        (file.items, "item"),
        (file.predictions, "answer"),
        (file.pictures, "picture"),
    ];
    let counts = counts.into_iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counts.map(|(n, thing)| counted(n, thing) + more).collect();
    let counts = match counts.is_empty() {
        true => "no records".to_string(),
        false => counts.join(", "),
    };
    lines.wrapped(&format!(" {counts}"), Role::Text);
    for (what, name) in [("of the model", &file.model), ("data set", &file.dataset)] {
        if let Some(name) = name {
            lines.wrapped(&format!(" {what} {}", clean::line(name)), Role::Dim);
        }
    }
    if file.unreadable > 0 {
        let records = counted(file.unreadable, "record");
        let first = file.first_problem.as_deref().unwrap_or_default();
        let first = clean::line(first);
        lines.wrapped(&format!(" note: {records} unreadable: {first}"), Role::Warn);
    }
    for note in &file.notes {
        lines.wrapped(&format!(" note: {}", clean::line(note)), Role::Warn);
    }
    for (at, text) in file.first.iter().enumerate() {
        lines.wrapped(&format!(" {}. {}", at + 1, clean::line(text)), Role::Dim);
    }
}

fn draw_folder(folder: &FolderInspection, lines: &mut Lines<'_>) {
    let more = if folder.more { " or more" } else { "" };
    let files = counted(folder.files.len() as u64, "known file");
    lines.wrapped(&format!(" a folder: {files}{more}"), Role::Accent);
    for (name, title) in folder.files.iter().take(NAMED) {
        let name = clean::line(name).into_owned();
        lines.text(&format!("  {name}: {}", title.replace('`', "")), Role::Text);
    }
    let rest = folder.files.len().saturating_sub(NAMED) as u64;
    if rest > 0 {
        lines.text(&format!("  {} more", grouped(rest)), Role::Dim);
    }
    let others = [
        (folder.folders, "folder"),
        (folder.pictures, "picture"),
        (folder.unknown, "other file"),
    ];
    let others = others.into_iter().filter(|(n, _)| *n > 0);
    let others: Vec<String> = others.map(|(n, thing)| counted(n, thing)).collect();
    if !others.is_empty() {
        lines.wrapped(&format!(" besides {}", others.join(", ")), Role::Dim);
    }
    lines.wrapped(
        " right goes into it; enter imports all of it, folders too",
        Role::Hint,
    );
}

impl Task for Import {
    const START: &'static str = PATH;
    const BY_OWNER: bool = true;
    const PAUSE_MS: u64 = 60;
    const HELP: &'static str = "Imports a file or a folder. Each file under the cursor is recognized by its content, and the preview \
         shows what would come in. Typing narrows the list, left goes up, right goes into a folder, and a pasted or dropped path \
         is jumped to.";

    fn new(cx: &mut Context<'_>) -> (Import, Vec<Field>) {
        let folder = cx.env.commands.folder.clone();
        let fields = vec![
            Field::file(
                PATH,
                "type to narrow, left goes up, right goes into a folder",
                folder,
            ),
            Field::text(
                DATASET,
                "name of the data set; empty for the one that the file names",
                "",
            ),
            Field::text(
                MODEL,
                "name of the model that answered; empty for the one that the file names",
                "",
            ),
            Field::flag(
                LINK,
                "links pictures instead of copying them; space changes it",
                false,
            ),
            Field::flag(
                STRICT,
                "one invalid record refuses the whole import; space changes it",
                false,
            ),
            Field::text(
                VARIANT,
                "name of the variant that the questions are, such as corruption; empty for none",
                "",
            ),
            Field::text(
                OF,
                "data set of the originals of a variant, joined by key; empty for none",
                "",
            ),
        ];
        (Import, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let Some(path) = fields.path(PATH) else {
            return;
        };
        cx.work(
            PREVIEW,
            move |_, watch| inspect(&path, watch.cancel),
            move |pane: &mut ImportPane, worked, cx| pane.on_preview_work(edit, worked, cx),
        );
    }

    fn question(
        &self,
        _: &Fields,
        found: &Inspection,
    ) -> std::result::Result<Option<Question>, String> {
        match found {
            Inspection::Link { .. } => Err("a link is not imported: name its target".into()),
            Inspection::Unknown { why } => Err(clean::line(why).into_owned()),
            Inspection::File(_) | Inspection::Folder(_) => Ok(None),
        }
    }

    fn start(&self, fields: &Fields, _: &Inspection, cx: &mut Context<'_>) {
        let Some(ask) = request_of(fields) else {
            return;
        };
        let then = |pane: &mut ImportPane, report: Result<Report>, cx: &mut Context<'_>| {
            if let Some(report) = pane.on_run(Worked::Done(report), cx) {
                pane.on_imported(&report, cx);
            }
        };
        cx.send(Ask::new(request::Import(ask), then).named(RUN).for_key());
    }
}

impl ImportPane {
    /// Shows the receipt and goes back.
    fn on_imported(&mut self, report: &Report, cx: &mut Context<'_>) {
        let mut said = format!("imported {}", counted(report.items, "item"));
        for (n, thing) in [(report.predictions, "answer"), (report.pictures, "picture")] {
            if n > 0 {
                said += &format!(", {}", counted(n, thing));
            }
        }
        self.leave(cx);
        let notes = notes(report);
        if !notes.is_empty() {
            let page = Page::new("import").paragraph(said.clone()).paragraph("");
            cx.page(notes.iter().fold(page, |page, note| page.paragraph(note)));
        }
        cx.done(said);
    }
}

/// What a person should know after the import.
fn notes(report: &Report) -> Vec<String> {
    let mut all = Vec::new();
    for (n, thing, what) in [
        (report.already, "record", "already in the project"),
        (report.duplicates, "duplicate row", "dropped"),
        (report.missing_pictures, "picture", "not found"),
        (report.unreadable_pictures, "picture", "unreadable"),
        (
            report.skipped.len() as u64 + report.skipped_more,
            "record",
            "skipped",
        ),
    ] {
        if n > 0 {
            all.push(format!("{} {what}", counted(n, thing)));
        }
    }
    let skipped = report.skipped.iter().take(10);
    all.extend(skipped.map(|problem| clean::line(&problem.to_string()).into_owned()));
    let passed_over = report
        .files
        .iter()
        .filter(|file| file.format.starts_with("skipped: "));
    all.extend(passed_over.take(10).map(|file| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{}: {}", clean::line(&name), clean::line(&file.format))
    }));
    all.extend(
        report
            .notes
            .iter()
            .map(|note| clean::line(note).into_owned()),
    );
    all
}
