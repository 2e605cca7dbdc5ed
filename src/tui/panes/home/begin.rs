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
    let wide = usize::from(area.width.saturating_sub(9)).clamp(10, 70);
    let ways = ways.map(|(action, name, about)| (action, name, text::wrap(about, wide)));
    let spaced: usize = ways.iter().map(|(.., about)| about.len() + 2).sum();
    let is_tight = usize::from(area.height) < spaced + 2;
    // Without room for all, each way has as many lines as the others, and no space follows.
    let most = usize::from(area.height).saturating_sub(1) / ways.len();
    let mut y = area.y + if is_tight { 0 } else { area.height.min(10) / 8 };
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
    if !is_tight {
        put(0, "", Role::Text, true);
    }
    for (action, name, mut about) in ways {
        if is_tight {
            let whole = most.saturating_sub(2).min(about.len());
            let rest = about.split_off(whole).join(" ");
            if most > 1 {
                about.push(text::fit(&rest, wide));
            }
        }
        put(3, &scene.key(action), Role::Key, false);
        scene
            .look
            .hits
            .click(put(7, name, Role::Text, true), action);
        for line in about {
            put(7, &line, Role::Dim, true);
        }
        if !is_tight {
            put(0, "", Role::Text, true);
        }
    }
}
