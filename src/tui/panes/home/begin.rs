//! Ways to fill an empty project, without a GPU or a network.

use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::HomePane;
use crate::action::Action;
use crate::pane::{Context, Scene, Target};
use crate::theme::Role;
use crate::widgets::prompt::Prompt;
use crate::widgets::text::{self, counted};
use benchtop_model::import::{ImportRequest, Report};
use benchtop_model::job::{Budget, GenerationOverrides, NewJob};
use benchtop_model::{Result, clean};
use benchtop_protocol::wire::request;

/// Questions that a first composition makes.
const FIRST_QUESTIONS: u64 = 40;

/// Composes questions from the metadata, draws their drafts, and opens the review.
pub(super) fn compose(cx: &mut Context<'_>) {
    cx.say("composing questions from the metadata");
    let ask = request::Compose {
        plan: None,
        seed: 1,
        count: Some(FIRST_QUESTIONS),
        allow_impossible: false,
    };
    cx.ask_now(ask, |_: &mut HomePane, report: Result<Report>, cx| {
        let Some(report) = cx.ok_or_show(report) else {
            return;
        };
        let composed = counted(report.items, "question");
        let job = NewJob {
            samples: 1,
            seed: 1,
            overrides: GenerationOverrides {
                backend: Some("storyboard".into()),
                ..GenerationOverrides::default()
            },
            ..NewJob::default()
        };
        cx.ask_now(
            request::Generate(Box::new(job), Budget::default()),
            move |_: &mut HomePane, started, cx| {
                if let Some(started) = cx.ok_or_show(started) {
                    let said = format!(
                        "composed {composed}; drawing {} as drafts; {} shows the keys",
                        counted(started.pictures, "picture"),
                        cx.key(Action::Help)
                    );
                    cx.open(Target::Review);
                    cx.done(said);
                }
            },
        );
    });
}

/// Asks for a file or folder to import.
pub(super) fn import(cx: &mut Context<'_>) {
    let prompt = Prompt::new("import a file or folder", "", Vec::new());
    cx.prompt(prompt, |_: &mut HomePane, path, cx| {
        match path.trim().is_empty() {
            true => Err("type or paste a path".into()),
            false => {
                start_import(path.trim(), cx);
                Ok(())
            }
        }
    });
}

/// Imports a path that was pasted or dropped.
pub(super) fn import_from(path: &str, cx: &mut Context<'_>) {
    let prompt = Prompt::new("import a file or folder", path, Vec::new());
    cx.prompt(prompt, |_: &mut HomePane, path, cx| {
        start_import(path.trim(), cx);
        Ok(())
    });
}

/// Imports a path as people write or drop it: in quotes, with escaped spaces, or from the home
/// folder.
fn start_import(path: &str, cx: &mut Context<'_>) {
    let path = path_of(path);
    let ask = ImportRequest {
        paths: vec![path],
        keep_going: true,
        ..ImportRequest::default()
    };
    cx.say("importing");
    cx.ask_now(request::Import(ask), |_: &mut HomePane, report, cx| {
        if let Some(report) = cx.ok_or_show(report) {
            cx.done(summary(&report));
        }
    });
}

fn path_of(text: &str) -> PathBuf {
    let unquoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let text = match unquoted {
        Some(unquoted) => unquoted.to_string(),
        None => text.replace("\\ ", " "),
    };
    let text = text.strip_prefix("file://").unwrap_or(&text);
    let path = match (text.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    };
    std::path::absolute(&path).unwrap_or(path)
}

fn summary(report: &Report) -> String {
    let mut said = format!("imported {}", counted(report.items, "item"));
    if report.predictions > 0 {
        said += &format!(", {}", counted(report.predictions, "prediction"));
    }
    let skipped = report.skipped.len() as u64 + report.skipped_more;
    if let Some(first) = report.skipped.first() {
        let first = clean::line(&first.to_string()).into_owned();
        said += &format!("; skipped {}: {first}", counted(skipped, "record"));
    } else if let Some(note) = report.notes.first() {
        said += &format!("; {}", clean::line(note));
    }
    said
}

/// Draws the ways to begin.
pub(super) fn draw(area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
    let ways = [
        (
            Action::Sample,
            "Look around",
            "A finished sample in every pane: pictures, answers of models, a round, and scores. It goes with one key.",
        ),
        (
            Action::ComposeDrafts,
            "Compose questions",
            "From the shipped vocabularies and templates, with drafts as pictures. Then review them. \
             Needs no GPU and no network.",
        ),
        (
            Action::ImportFiles,
            "Import what you have",
            "Dysca, MVP-Bench, MM-SAP, VLMEvalKit, lmms-eval, Label Studio, FiftyOne, Hugging Face, CSV, ... \
             You can also paste a path here.",
        ),
    ];
    let mut y = area.y + area.height.min(10) / 8;
    let mut put = |x: u16, said: &str, role: Role, next: bool| {
        if y < area.bottom() {
            let room = usize::from(area.width.saturating_sub(x));
            buf.set_stringn(area.x + x, y, said, room, scene.look.style(role));
        }
        y += u16::from(next);
    };
    put(
        1,
        "Nothing here yet. Three ways to begin:",
        Role::Heading,
        true,
    );
    put(0, "", Role::Text, true);
    for (action, name, about) in ways {
        put(3, &scene.key(action), Role::Key, false);
        put(7, name, Role::Text, true);
        for line in text::wrap(
            about,
            usize::from(area.width.saturating_sub(9)).clamp(10, 70),
        ) {
            put(7, &line, Role::Dim, true);
        }
        put(0, "", Role::Text, true);
    }
}
