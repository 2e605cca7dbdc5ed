//! The form of an export.

use std::path::{Path, PathBuf};

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Context, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject, shell};
use crate::widgets::lines::Lines;
use crate::widgets::page::Page;
use crate::widgets::text::{counted, error_line, grouped};
use benchtop_model::export::{Existing, ExportFormat, ExportPlan, ExportReport, ExportRequest};
use benchtop_model::{Error, Filter, clean};

pub type ExportPane = FormPane<Export>;

const FORMAT: &str = "format";
const FILTER: &str = "items";
const OUT: &str = "path";
const IMAGES: &str = "pictures";
const ANSWERS: &str = "answers";
const DRAFTS: &str = "drafts";

/// Data sets that the preview names.
const NAMED: usize = 4;

/// An export.
#[derive(Clone, Debug)]
pub struct Export {
    formats: Vec<ExportFormat>,
    /// The folder that typed paths start from.
    folder: PathBuf,
    exports: PathBuf,
}

impl Export {
    fn format(&self, fields: &Fields) -> Option<&ExportFormat> {
        let name = fields.text(FORMAT);
        self.formats.iter().find(|format| format.name == name)
    }

    /// The path as typed, or a name in the folder of exports.
    fn path(&self, fields: &Fields) -> PathBuf {
        if let Some(typed) = fields.filled(OUT) {
            return shell::path(typed);
        }
        let end = match self.format(fields) {
            Some(format) if format.is_file && format.name == "jsonl" => "items.jsonl".into(),
            Some(format) if format.is_file => format!("{}.json", format.name),
            Some(format) => format.name.to_string(),
            None => String::new(),
        };
        self.exports.join(end)
    }

    fn request(&self, fields: &Fields) -> ExportRequest {
        let is_on = |name: &str| self.applies(fields, name) && fields.is_on(name);
        ExportRequest {
            format: fields.text(FORMAT).into(),
            out: Some(self.path(fields)),
            filter: fields.text(FILTER).into(),
            images: is_on(IMAGES),
            drafts: is_on(DRAFTS),
            with_predictions: is_on(ANSWERS),
        }
    }

    /// As [`request`](Self::request), with an absolute path.
    fn absolute_request(&self, fields: &Fields) -> ExportRequest {
        let request = self.request(fields);
        let out = request.out.as_deref();
        let out = out.map(|out| shell::absolute(&self.folder, out));
        ExportRequest { out, ..request }
    }
}

impl Subject for Export {
    type Preview = ExportPlan;

    fn title(&self) -> &str {
        "export"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        let format = self.format(fields);
        match name {
            IMAGES => format.is_some_and(|format| !format.has_pictures),
            ANSWERS => format.is_some_and(|format| format.takes_answers),
            _ => true,
        }
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        match name {
            FILTER => Filter::parse(fields.text(FILTER))
                .err()
                .map(|p| error_line(&p)),
            OUT if self.path(fields).file_name().is_none() => Some("type a file or folder".into()),
            _ => None,
        }
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        match problem.place.field.as_deref() {
            Some("format") => Some(FORMAT),
            Some("drafts") => Some(DRAFTS),
            Some("images") => Some(IMAGES),
            Some("with_predictions") => Some(ANSWERS),
            Some("filter") => Some(FILTER),
            _ => problem.place.file.is_some().then_some(OUT),
        }
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        self.request(fields).arguments()
    }

    fn draw_preview(&self, fields: &Fields, plan: &ExportPlan, lines: &mut Lines<'_>) {
        let mut what = counted(plan.items - plan.left_out.min(plan.items), "item");
        if plan.pictures > 0 {
            what += &format!(", {}", counted(plan.pictures, "picture"));
        }
        if plan.answer_sets > 0 {
            what += &format!(", {}", counted(plan.answer_sets, "answer file"));
        }
        lines.wrapped(&format!(" {what}"), Role::Text);
        let more = plan.datasets.len().saturating_sub(NAMED);
        let mut names: Vec<String> = plan
            .datasets
            .iter()
            .take(NAMED)
            .map(|n| clean::line(n).into())
            .collect();
        if more > 0 {
            names.push(format!("{} more", grouped(more as u64)));
        }
        if !names.is_empty() {
            lines.wrapped(&format!(" from {}", names.join(", ")), Role::Dim);
        }
        let format = self.format(fields);
        if let Some(format) = format {
            lines.wrapped(&format!(" as {}", format.summary), Role::Dim);
        }
        if let Some(out) = &plan.out {
            let ending = if format.is_some_and(|f| f.is_file) {
                ""
            } else {
                "/"
            };
            lines.wrapped(
                &format!(" to {}{ending}", clean::line(&out.to_string_lossy())),
                Role::Text,
            );
        }
        if !plan.more_files.is_empty() {
            let names: Vec<String> = plan.more_files.iter().map(|file| file_name(file)).collect();
            lines.wrapped(&format!(" and {}", names.join(", ")), Role::Text);
        }
        for warning in warnings(plan) {
            lines.wrapped(&format!(" note: {warning}"), Role::Warn);
        }
    }
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    clean::line(&name).into()
}

/// What a person should know before the export.
fn warnings(plan: &ExportPlan) -> Vec<String> {
    let mut all = Vec::new();
    match plan.existing {
        Existing::Nothing => {}
        Existing::File(bytes) => {
            all.push(format!("replaces a file of {}", counted(bytes, "byte")));
        }
        Existing::Folder => {
            all.push("the folder is not empty; files of the same names are replaced".into());
        }
    }
    if plan.more_replaced > 0 {
        let files = counted(plan.more_replaced, "further file");
        all.push(format!("replaces {files}"));
    }
    if plan.left_out > 0 {
        let items = counted(plan.left_out, "item");
        all.push(format!("{items} left out that this format cannot hold"));
    }
    if plan.without_file > 0 {
        let items = counted(plan.without_file, "item");
        all.push(format!("{items} without a recorded picture file"));
    }
    if plan.items == 0 {
        all.push("no item matches".into());
    }
    all
}

impl Task for Export {
    const START: &'static str = FILTER;
    const HELP: &'static str = "Writes items in the format of another tool. The preview counts what would be written, and \
         the last line is the command that does the same.";

    fn new(cx: &mut Context<'_>) -> (Export, Vec<Field>) {
        let commands = cx.env.commands;
        let formats = commands.export_formats.clone();
        let names: Vec<&'static str> = formats.iter().map(|format| format.name).collect();
        let fields = vec![
            Field::choice(
                FORMAT,
                "what writes it; left/right to choose",
                &names,
                "jsonl",
            ),
            Field::text(
                FILTER,
                "a filter such as status:accepted; empty for all items",
                "status:accepted",
            ),
            Field::path(
                OUT,
                "a file, or a folder for formats with several files; empty for one in exports/",
                "",
            ),
            Field::flag(
                IMAGES,
                "copies the pictures next to the file; space changes it",
                false,
            ),
            Field::flag(
                ANSWERS,
                "writes the answers of models as well; space changes it",
                false,
            ),
            Field::flag(
                DRAFTS,
                "includes items that show a draft, and marks them; space changes it",
                false,
            ),
        ];
        let export = Export {
            formats,
            folder: commands.folder.clone(),
            exports: commands.exports.clone(),
        };
        (export, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let (ask, shown) = (self.absolute_request(fields), self.path(fields));
        cx.work(
            PREVIEW,
            move |commands, watch| {
                let plan = commands.plan_export(&ask, watch)?;
                Ok(ExportPlan {
                    out: Some(shown),
                    ..plan
                })
            },
            move |pane: &mut ExportPane, worked, cx| pane.on_preview_work(edit, worked, cx),
        );
    }

    fn question(&self, fields: &Fields, plan: &ExportPlan) -> Result<Option<Question>, String> {
        if plan.items <= plan.left_out {
            return Err("no item to export".into());
        }
        let name = self.path(fields);
        let title = format!("Replace `{}`?", clean::line(&name.to_string_lossy()));
        let what = warnings(plan).into_iter().next().unwrap_or_default();
        let yes = ("replace".to_string(), what);
        let replaces = plan.existing != Existing::Nothing || plan.more_replaced > 0;
        Ok(replaces.then_some(Question { title, yes }))
    }

    fn start(&self, fields: &Fields, _plan: &ExportPlan, cx: &mut Context<'_>) {
        let ask = self.absolute_request(fields);
        cx.work(
            RUN,
            move |commands, watch| commands.export(&ask, watch),
            |pane: &mut ExportPane, worked: Worked<ExportReport>, cx| {
                if let Some(report) = pane.on_run(worked, cx) {
                    pane.on_exported(&report, cx);
                }
            },
        );
    }
}

impl ExportPane {
    /// Shows the receipt and goes back.
    fn on_exported(&mut self, report: &ExportReport, cx: &mut Context<'_>) {
        let path = self
            .form
            .as_ref()
            .map(|form| form.subject.path(form.fields()));
        let path = path.unwrap_or_default();
        let mut said = format!("exported {}", counted(report.items, "item"));
        if let Some(answers) = report.answers {
            said += &format!(", {}", counted(answers, "answer"));
        }
        said += &format!(" to {}", clean::line(&path.to_string_lossy()));
        self.leave(cx);
        let notes = notes(report);
        if !notes.is_empty() {
            let page = Page::new("export").paragraph(said.clone()).paragraph("");
            cx.page(notes.iter().fold(page, |page, note| page.paragraph(note)));
        }
        cx.done(said);
    }
}

/// What a person should know after the export.
fn notes(report: &ExportReport) -> Vec<String> {
    let mut all = Vec::new();
    let mut note = |n: u64, thing: &str, what: String| {
        if n > 0 {
            all.push(format!("{} {what}", counted(n, thing)));
        }
    };
    let why = report.first_problem.as_deref();
    let why = why.map_or(String::new(), |why| format!(" (first: {why})"));
    note(
        report.left_out,
        "item",
        format!("left out that this format cannot hold{why}"),
    );
    note(
        report.without_picture,
        "item",
        format!("without a picture{}", report.then),
    );
    note(
        report.unused_answers,
        "answer",
        "left out: their items were not exported".into(),
    );
    note(
        report.set_aside,
        "item",
        "set aside with damaged or missing pictures".into(),
    );
    let aside = report.aside.iter();
    all.extend(aside.map(|(id, problem)| {
        format!("{}: {}", clean::line(id), clean::line(&error_line(problem)))
    }));
    all
}
