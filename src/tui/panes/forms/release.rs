//! The form of a release.

use std::path::PathBuf;

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Ask, Context, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject, shell};
use crate::widgets::lines::Lines;
use crate::widgets::text::{counted, error_line, grouped};
use benchtop_model::release::{ReleaseReport, ReleaseRequest, check_name, parse_splits};
use benchtop_model::{Error, Filter, Result, clean};
use benchtop_protocol::wire::request;

pub type ReleasePane = FormPane<Release>;

const NAME: &str = "name";
const FILTER: &str = "items";
const SPLIT: &str = "splits";
const VERSION: &str = "version";
const OUT: &str = "folder";
const DRAFTS: &str = "drafts";

/// The name of a first release.
const FIRST: &str = "v1";
/// Questions of the datasheet that the preview names.
const NAMED: usize = 6;

/// A release.
#[derive(Clone, Debug)]
pub struct Release {
    /// The folder that typed paths start from.
    folder: PathBuf,
    /// The name that the form fills in.
    offered: String,
}

fn request(fields: &Fields, dry: bool) -> ReleaseRequest {
    ReleaseRequest {
        name: fields.text(NAME).trim().into(),
        filter: fields.text(FILTER).into(),
        out: fields.filled(OUT).map(shell::path),
        version: fields.filled(VERSION).map(str::to_string),
        splits: parse_splits(fields.text(SPLIT)).unwrap_or_default(),
        drafts: fields.is_on(DRAFTS),
        dry,
        ..ReleaseRequest::default()
    }
}

impl Release {
    /// As [`request`], with an absolute path.
    fn absolute_request(&self, fields: &Fields, dry: bool) -> ReleaseRequest {
        let ask = request(fields, dry);
        let out = ask.out.as_deref();
        let out = out.map(|out| shell::absolute(&self.folder, out));
        ReleaseRequest { out, ..ask }
    }
}

impl Subject for Release {
    type Preview = ReleaseReport;

    fn title(&self) -> &str {
        "release"
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        let text = fields.text(name);
        let checked = match name {
            NAME => check_name(text.trim()),
            FILTER => Filter::parse(text).map(drop),
            SPLIT => parse_splits(text).map(drop),
            VERSION => ReleaseRequest {
                name: "v".into(),
                ..request(fields, true)
            }
            .check(),
            _ => Ok(()),
        };
        checked.err().map(|problem| error_line(&problem))
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        match problem.place.field.as_deref() {
            Some("name") => Some(NAME),
            Some("filter") => Some(FILTER),
            Some("split") => Some(SPLIT),
            Some("version") => Some(VERSION),
            Some("drafts") => Some(DRAFTS),
            Some("out") => Some(OUT),
            _ => None,
        }
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        request(fields, false).arguments()
    }

    fn draw_preview(&self, _: &Fields, would: &ReleaseReport, lines: &mut Lines<'_>) {
        let what = format!(
            " {}, {}",
            counted(would.items, "item"),
            counted(would.pictures, "picture")
        );
        lines.wrapped(&what, Role::Text);
        if would.splits.len() > 1 {
            let splits = would.splits.iter();
            let splits = splits.map(|(name, n)| format!("{} {}", clean::line(name), grouped(*n)));
            let splits = splits.collect::<Vec<_>>().join(", ");
            lines.wrapped(&format!(" splits: {splits}"), Role::Text);
        }
        let out = would.out.to_string_lossy();
        lines.wrapped(&format!(" to {}/", clean::line(&out)), Role::Text);
        if let Some(before) = &would.before {
            let changes = format!(
                " since {}: {} added, {} removed, {} changed",
                clean::line(before),
                grouped(would.added),
                grouped(would.removed),
                grouped(would.changed)
            );
            lines.wrapped(&changes, Role::Text);
        }
        let open = would.unanswered.len();
        if open > 0 {
            let named: Vec<_> = would.unanswered.iter().take(NAMED).cloned().collect();
            let more = open.saturating_sub(NAMED);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let text = format!(
                " datasheet: {} without an answer: {}{more}; `benchtop release datasheet --write`",
                counted(open as u64, "question"),
                clean::line(&named.join(", "))
            );
            lines.wrapped(&text, Role::Dim);
        }
        for note in notes(would) {
            lines.wrapped(&format!(" note: {note}"), Role::Warn);
        }
    }
}

/// Fills in the next name if the one that the form filled in is taken. Returns whether it did.
fn offer_next(pane: &mut ReleasePane, edit: u64, would: &Result<ReleaseReport>) -> bool {
    let (Some(form), Ok(would)) = (&mut pane.form, would) else {
        return false;
    };
    let fields = form.fields();
    let is_own = fields.text(NAME) != form.subject.offered || fields.filled(OUT).is_some();
    if !would.exists || is_own || form.edit() != edit {
        return false;
    }
    after(&form.subject.offered).is_some_and(|next| {
        form.subject.offered = next.clone();
        form.set(NAME, &next)
    })
}

/// The name that follows: `v2` after `v1`, `v0.10` after `v0.9`. `None` without a number at its end.
fn after(name: &str) -> Option<String> {
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number: u64 = name.get(start.len()..)?.parse().ok()?;
    Some(format!("{start}{}", number.checked_add(1)?))
}

/// What a person should know before the release.
fn notes(would: &ReleaseReport) -> Vec<String> {
    let mut all = Vec::new();
    let mut note = |n: u64, thing: &str, what: &str| {
        if n > 0 {
            all.push(format!("{} {what}", counted(n, thing)));
        }
    };
    note(would.without_picture, "item", "without a picture file");
    note(would.drafts, "item", "that show a draft");
    note(would.sample, "item", "of the sample, which are made up");
    let withheld = "left out, because they must not be redistributed";
    note(would.withheld, "picture", withheld);
    note(would.unlicensed, "picture", "without a stated license");
    if would.items == 0 {
        all.push("no item matches".into());
    }
    if would.exists {
        all.push("the folder exists, and a release never replaces anything".into());
    }
    all
}

impl Task for Release {
    const START: &'static str = FILTER;
    const BY_OWNER: bool = true;
    // A preview reads all chosen items.
    const PAUSE_MS: u64 = 600;
    const HELP: &'static str = "Writes the accepted items, their pictures, statistics, a datasheet, and licenses to a folder that never \
         changes, and remembers what was released. The preview counts what would be written, and the last line is the command \
         that does the same.";

    fn new(cx: &mut Context<'_>) -> (Release, Vec<Field>) {
        let fields = vec![
            Field::text(NAME, "the name of the release, such as v1", FIRST),
            Field::text(
                FILTER,
                "a filter such as subtask:animal; accepted items, unless it names a status",
                "",
            ),
            Field::text(SPLIT, "such as train=80,test=20; empty for one split", ""),
            Field::text(VERSION, "what the documents name; may be empty", ""),
            Field::path(
                OUT,
                "a folder that does not exist; empty for one in releases/",
                "",
            ),
            Field::flag(
                DRAFTS,
                "includes items that show a draft, and marks them; space changes it",
                false,
            ),
        ];
        let folder = cx.env.commands.folder.clone();
        let offered = FIRST.to_string();
        (Release { folder, offered }, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let ask = self.absolute_request(fields, true);
        let then = move |pane: &mut ReleasePane, would, cx: &mut Context<'_>| match offer_next(
            pane, edit, &would,
        ) {
            true => pane.preview(cx),
            false => pane.on_preview(edit, would, cx),
        };
        cx.send(Ask::new(request::ReleaseItems(Box::new(ask)), then).named(PREVIEW));
    }

    fn question(
        &self,
        fields: &Fields,
        would: &ReleaseReport,
    ) -> std::result::Result<Option<Question>, String> {
        if would.items == 0 {
            return Err(format!(
                "no item to release: accept items first, or choose others in {FILTER}"
            ));
        }
        if would.exists {
            return Err("the folder exists: choose another name or folder".into());
        }
        if would.drafts > 0 && !fields.is_on(DRAFTS) {
            let drafts = counted(would.drafts, "item");
            return Err(format!(
                "{drafts} with a draft: turn on {DRAFTS}, or add NOT picture:draft to {FILTER}"
            ));
        }
        Ok(None)
    }

    fn start(&self, fields: &Fields, _: &ReleaseReport, cx: &mut Context<'_>) {
        let ask = self.absolute_request(fields, false);
        let then = |pane: &mut ReleasePane, done: Result<ReleaseReport>, cx: &mut Context<'_>| {
            if let Some(done) = pane.on_run(Worked::Done(done), cx) {
                let said = format!(
                    "released {} to {}",
                    counted(done.items, "item"),
                    clean::line(&done.out.to_string_lossy())
                );
                pane.leave(cx);
                cx.done(said);
            }
        };
        let ask = request::ReleaseItems(Box::new(ask));
        cx.send(Ask::new(ask, then).named(RUN).for_key());
    }
}
