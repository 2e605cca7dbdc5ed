//! Ways to fill an empty project, without a GPU or a network.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::HomePane;
use crate::action::Action;
use crate::pane::{Context, PaneId, Scene, Target};
use crate::theme::Role;
use crate::widgets::text::{self, counted};
use benchtop_model::Result;
use benchtop_model::import::Report;
use benchtop_model::job::{Budget, GenerationOverrides, NewJob};
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

/// Opens the form of an import, perhaps at a path.
pub(super) fn import(path: Option<String>, cx: &mut Context<'_>) {
    cx.open(Target::Form(PaneId::Import, path));
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
            "40 questions from the shipped vocabularies and templates, with drafts as pictures. Then review them. \
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
        let row = Rect {
            y,
            height: 1,
            ..area
        };
        y += u16::from(next);
        row.intersection(area)
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
        scene
            .look
            .hits
            .click(put(7, name, Role::Text, true), action);
        for line in text::wrap(
            about,
            usize::from(area.width.saturating_sub(9)).clamp(10, 70),
        ) {
            put(7, &line, Role::Dim, true);
        }
        put(0, "", Role::Text, true);
    }
}
