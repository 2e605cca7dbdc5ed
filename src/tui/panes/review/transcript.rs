//! The requests that the item on screen was made with and their answers, as a page.

use super::ReviewPane;
use crate::action::Action;
use crate::pane::{Ask, Context, Opens};
use crate::theme::Role;
use crate::widgets::page::Page;
use crate::widgets::text::{clean, counted, error_line};
use benchtop_model::bootstrap::TranscriptStep;
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::wire::request;

/// Width of the label column.
const LABEL: u16 = 13;

/// The page: a heading for each product, then what was asked, answered, and decided.
pub fn page(number: u32, steps: &[TranscriptStep]) -> Page {
    let requests = steps.iter().filter(|step| !step.role.is_empty()).count();
    let requests = counted(requests as u64, "request");
    let mut page = Page::new(format!("#{number}: transcript, {requests}"));
    // Products are made side by side, so their lines in the journal alternate.
    let mut products: Vec<&str> = Vec::new();
    for step in steps {
        if !products.contains(&&*step.product) {
            products.push(&step.product);
        }
    }
    for product in products {
        page = page.heading(clean(product));
        let own = steps.iter().filter(|step| step.product == product);
        page = own.fold(page, |page, step| match step.role.is_empty() {
            true => page.entry("decided", LABEL, clean(&step.reply), decided(step)),
            false => asked(page, step),
        });
    }
    page
}

/// What the program decided is told apart from what models said.
fn decided(step: &TranscriptStep) -> Role {
    let is = |words: &str| step.reply.starts_with(words);
    match () {
        () if is("passed") => Role::Good,
        () if is("refused") || is("failed") => Role::Bad,
        () if is("not usable") || is("no ruling") => Role::Warn,
        () => Role::Text,
    }
}

fn asked(page: Page, step: &TranscriptStep) -> Page {
    let mut head = Vec::new();
    match step.ask {
        0 => {}
        n if step.repair => head.push(format!("request {n}, repair")),
        n => head.push(format!("request {n}")),
    }
    head.push(step.model.clone());
    head.extend(step.seed.map(|seed| format!("seed {seed}")));
    head.extend(step.temperature.map(|t| format!("temperature {t}")));
    head.push(counted(step.pictures.into(), "picture"));
    head.push(step.at.clone());
    head.retain(|part| !part.is_empty());
    let page = page.paragraph("");
    let page = page.entry(
        clean(&step.role),
        LABEL,
        clean(&head.join(", ")),
        Role::Accent,
    );
    let page = told(
        page,
        "system",
        step.system.as_deref().unwrap_or_default(),
        Role::Dim,
    );
    let page = told(page, "prompt", &step.prompt, Role::Text);
    told(page, "answer", &step.reply, Role::Accent)
}

/// A text as it was sent or received: its lines below one another, next to one label.
fn told(page: Page, label: &str, text: &str, role: Role) -> Page {
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    let lines = labels.zip(text.trim_end().lines());
    lines.fold(page, |page, (label, line)| {
        page.entry(label, LABEL, clean(line), role)
    })
}

impl ReviewPane {
    /// Asks the owner for the transcript of the item on screen.
    pub(super) fn show_transcript(&self, cx: &mut Context<'_>) {
        let Some(number) = self.number() else {
            let find = cx.key(Action::Find);
            return cx.say(format!("no item on screen; {find} makes a queue"));
        };
        let then =
            move |pane: &mut Self, found: Result<Vec<TranscriptStep>>, cx: &mut Context<'_>| {
                // Do not interrupt a user who moved on or opened something.
                if !cx.env.is_shown || cx.env.is_covered || pane.number() != Some(number) {
                    return;
                }
                match found {
                    // Most items were not made by models, and a blind round hides that they were.
                    Err(error) if error.kind == ErrorKind::NotFound => {
                        cx.say(format!("#{number}: {}", error_line(&error)));
                    }
                    found => {
                        if let Some(steps) = cx.ok_or_show(found) {
                            cx.page(page(number, &steps));
                        }
                    }
                }
            };
        let ask = Ask::new(request::Transcript(number), then);
        cx.send(ask.opens(Opens::Overlay).for_key());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::Effect;
    use crate::pane::recorder::Recorder;
    use crate::panes::review::Queue;
    use benchtop_model::Error;

    fn steps() -> Vec<TranscriptStep> {
        let asked = TranscriptStep {
            product: "L1".into(),
            role: "writer".into(),
            ask: 2,
            repair: true,
            model: "owl".into(),
            seed: Some(7),
            temperature: Some(0.8),
            system: Some("You alter questions.".into()),
            prompt: "Question: which?\nOptions:\n\u{1b}[2JA. one".into(),
            pictures: 1,
            reply: "{\"text\": \"what?\"}".into(),
            at: "2026-11-28T10:00:00Z".into(),
        };
        let decided = |product: &str, reply: &str| TranscriptStep {
            product: product.into(),
            reply: reply.into(),
            ..TranscriptStep::default()
        };
        vec![
            asked,
            decided("L1", "read: what?"),
            decided("L1>L4", "failed: \u{202e}no"),
            decided("L1", "refused: it is another question"),
        ]
    }

    #[test]
    fn the_page_has_settings_texts_and_decisions_without_control_characters() {
        let text = page(9, &steps()).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "#9: transcript, 1 request");
        for part in [
            "writer  request 2, repair, owl, seed 7, temperature 0.8, 1 picture, 2026-11-28T10:00:00Z",
            "system  You alter questions.",
            "prompt  Question: which?",
            "  Options:",
            "answer  {\"text\": \"what?\"}",
            "decided  refused: it is another question",
        ] {
            assert!(lines.contains(&part), "{part} in\n{text}");
        }
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        let headings = lines.iter().filter(|line| line.starts_with('L'));
        assert_eq!(headings.count(), 2, "{text}");
    }

    #[test]
    fn the_transcript_opens_unless_the_annotator_moved_on_or_there_is_none() {
        let rec = Recorder::new().unwrap();
        let opened = |moved: bool, reply: Result<Vec<TranscriptStep>>| {
            let mut pane = ReviewPane::default();
            rec.call(&mut pane, |pane, cx| {
                pane.set_queue(Queue::of("x".into(), vec![3, 4], 9), None, cx);
            });
            let effects = rec.act(&mut pane, Action::ShowTranscript);
            let is_asked = |effect: &Effect| matches!(effect, Effect::Ask(_));
            let asked = effects.into_iter().find(is_asked).unwrap();
            if moved {
                rec.call(&mut pane, |pane, cx| assert!(pane.go(1, cx).is_ok()));
            }
            let effects = rec.reply::<request::Transcript>(&mut pane, asked, reply);
            format!("{effects:?}")
        };
        assert!(!opened(true, Ok(steps())).contains("transcript"));
        assert!(opened(false, Ok(steps())).contains("#3: transcript, 1 request"));
        let none = opened(false, Err(Error::not_found("the item has no transcript")));
        assert!(none.contains("#3: the item has no transcript"), "{none}");
        assert!(!none.contains("Page"), "{none}");
    }
}
