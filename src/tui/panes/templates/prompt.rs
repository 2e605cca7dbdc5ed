//! The request that the prompt file on screen makes for one item, while the file is edited. The owner
//! fills it, with the code that fills real requests.

use super::TemplatesPane;
use crate::action::Action;
use crate::pane::{Ask, Context, menu};
use crate::panes::metadata::EditSession;
use crate::panes::metadata::draw::finding_line;
use crate::theme::Role;
use crate::widgets::prompt::Prompt;
use crate::widgets::text::{clean, error_line};
use benchtop_compose::metadata::judge::judging_of;
use benchtop_compose::metadata::write::writing_of;
use benchtop_model::prompt_preview::PromptPreview;
use benchtop_model::{Error, MetaFile, Result, Severity};
use benchtop_protocol::wire::request;

/// Name of the request to the owner.
const PREVIEW: &str = "prompt preview";
/// Width of the labels.
const LABEL: usize = 10;

/// What a preview is about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    file: MetaFile,
    number: u32,
    seed: u64,
}

/// The preview of a prompt file.
#[derive(Clone, Debug, Default)]
pub(super) struct PromptSide {
    /// The item that was chosen; `None` for that of the review.
    item: Option<u32>,
    /// What the owner works on. Only one request is on its way at a time.
    asked: Option<Wanted>,
    /// The last reply, and what it is about.
    shown: Option<(Wanted, Result<PromptPreview>)>,
}

/// Whether a file makes requests to models.
pub(super) fn is_prompt(file: &str) -> bool {
    writing_of(file).is_some() || judging_of(file).is_some()
}

impl PromptSide {
    /// Forgets what is on its way: the connection was lost.
    pub(super) fn reconnected(&mut self) {
        self.asked = None;
    }

    fn on_preview(&mut self, reply: Result<PromptPreview>) {
        self.shown = self.asked.take().map(|wanted| (wanted, reply));
    }

    /// The heading of the preview.
    pub(super) fn title(&self, seed: u64, choose: &str) -> String {
        match &self.shown {
            Some((wanted, Ok(preview))) if preview.number != wanted.number => format!(
                "request for #{}, the original of #{}  {choose}: other item",
                preview.number, wanted.number
            ),
            Some((_, Ok(preview))) => {
                format!(
                    "request for #{}, seed {seed}  {choose}: other item",
                    preview.number
                )
            }
            Some((wanted, Err(_))) => {
                format!("no request for #{}  {choose}: other item", wanted.number)
            }
            None => format!("request  {choose}: choose an item"),
        }
    }

    /// The lines of the preview: labels, texts, and their roles. Errors of the file come first.
    pub(super) fn lines(
        &self,
        file: &str,
        edit_session: &EditSession,
    ) -> Vec<(String, String, Role)> {
        let line = |label: &str, text: String, role| (label.to_string(), text, role);
        let found = edit_session.found_in(file);
        let errors = found.filter(|found| found.severity() == Severity::Error);
        let errors: Vec<_> = errors
            .map(|found| line("error", finding_line(found), Role::Bad))
            .collect();
        if !errors.is_empty() {
            return errors;
        }
        match &self.shown {
            Some((wanted, reply)) if wanted.file.name == file => match reply {
                Ok(preview) => told(preview),
                Err(error) => vec![line("", place_and_error(error), Role::Warn)],
            },
            _ if self.asked.is_some() => vec![line("", "loading".into(), Role::Pending)],
            _ => vec![line(
                "",
                "no item: open one in the review, or choose one".into(),
                Role::Dim,
            )],
        }
    }
}

fn place_and_error(error: &Error) -> String {
    let place = &error.place;
    match (&place.file, place.line) {
        (Some(file), Some(line)) => {
            format!("{}:{line} {}", file.display(), error_line(error))
        }
        _ => error_line(error),
    }
}

fn told(preview: &PromptPreview) -> Vec<(String, String, Role)> {
    let model = match preview.model.is_empty() {
        true => "no model".to_string(),
        false => preview.model.clone(),
    };
    let settings = format!(
        "seed {}, temperature {}, at most {} tokens",
        preview.seed, preview.temperature, preview.max_tokens
    );
    let model = format!("{model}, answers {}", preview.answer);
    let pictures = match preview.pictures.is_empty() {
        true => "none".to_string(),
        false => preview.pictures.join(", "),
    };
    let mut lines = vec![
        (preview.role.clone(), clean(&model), Role::Accent),
        ("settings".into(), clean(&settings), Role::Dim),
        ("pictures".into(), clean(&pictures), Role::Dim),
    ];
    let texts = [
        ("prompt", Some(&*preview.prompt), Role::Text),
        ("system", preview.system.as_deref(), Role::Dim),
    ];
    for (label, text, role) in texts {
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let each = text.unwrap_or_default().trim_end().lines();
        lines.extend(
            labels
                .zip(each)
                .map(|(label, line)| (label.into(), clean(line), role)),
        );
    }
    let wide =
        |(label, text, role): (String, String, Role)| (format!("{label:<LABEL$}"), text, role);
    lines.into_iter().map(wide).collect()
}

impl TemplatesPane {
    /// Asks for a new preview if the file, the item, or the seed changed. Only one request is on its
    /// way at a time, so that typing never piles them up.
    pub(super) fn preview_prompt(&mut self, cx: &mut Context<'_>) {
        if !is_prompt(self.name()) || !cx.metadata.is_ready() || !cx.env.is_shown {
            return;
        }
        let number = self.prompt.item.or(cx.env.item);
        let text = cx.metadata.session().text(self.name());
        let (Some(number), Some(text)) = (number, text) else {
            return;
        };
        let wanted = Wanted {
            file: MetaFile {
                name: self.name().into(),
                text: text.into(),
            },
            number,
            seed: cx.metadata.seed(),
        };
        let is_shown = self
            .prompt
            .shown
            .as_ref()
            .is_some_and(|(of, _)| *of == wanted);
        if self.prompt.asked.is_some() || is_shown {
            return;
        }
        let ask = request::PreviewPrompt {
            file: wanted.file.clone(),
            number,
            seed: wanted.seed,
        };
        self.prompt.asked = Some(wanted);
        let then = |pane: &mut Self, reply, cx: &mut Context<'_>| {
            pane.prompt.on_preview(reply);
            pane.preview_prompt(cx);
        };
        cx.send(Ask::new(ask, then).named(PREVIEW).at_once());
    }

    /// Asks for the item of the preview.
    pub(super) fn ask_prompt_item(&self, cx: &mut Context<'_>) {
        if !is_prompt(self.name()) {
            let next = cx.key(Action::ChooseFile);
            return cx.refuse(format!(
                "{} makes no requests; {next} chooses a file, such as write/vlb-l1-word-substitution.toml",
                self.name()
            ));
        }
        let prompt = Prompt::new(
            "preview for item (number or id; empty: the one in Review)",
            "",
            Vec::new(),
        );
        cx.prompt(prompt, |pane: &mut Self, text, cx| {
            match (
                text.trim(),
                text.trim().trim_start_matches('#').parse::<u32>(),
            ) {
                ("", _) => pane.preview_for(None, cx),
                (_, Ok(0)) => return Err("items are numbered from 1".into()),
                (_, Ok(number)) => pane.preview_for(Some(number), cx),
                (id, Err(_)) => pane.find_prompt_item(id.to_string(), cx),
            }
            Ok(())
        });
    }

    fn find_prompt_item(&self, id: String, cx: &mut Context<'_>) {
        let then = |pane: &mut Self, number, cx: &mut Context<'_>| match cx.ok_or_show(number) {
            Some(Some(number)) => pane.preview_for(Some(number), cx),
            Some(None) => cx.refuse("no such item in this project"),
            None => {}
        };
        cx.ask_now(request::NumberOf(id), then);
    }

    fn preview_for(&mut self, item: Option<u32>, cx: &mut Context<'_>) {
        self.prompt.item = item;
        self.side.rewind();
        self.preview_prompt(cx);
    }

    /// Asks for the file to edit.
    pub(super) fn ask_file(&self, cx: &mut Context<'_>) {
        let files = cx.metadata.texts();
        let here = files.iter().position(|file| file == self.name());
        let line = |file: &String| (file.clone(), String::new());
        let lines = files.iter().map(line).collect();
        let menu = menu("Edit which file?", lines).at(here.unwrap_or(0));
        cx.choose_in(menu, move |pane: &mut Self, pick, cx| {
            if let Some(file) = files.get(pick) {
                pane.sync(cx.metadata);
                pane.switch(cx.metadata, file);
                pane.follow_cursor(cx.metadata);
                pane.side.rewind();
                pane.preview_prompt(cx);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::recorder::Recorder;
    use crate::pane::testing::{drawn, only, recorder, refused, request};
    use crate::pane::{Effect, Pane};
    use crate::panes::metadata::Place;
    use crate::panes::metadata::session::tests::state;
    use benchtop_compose::metadata::Metadata;
    use benchtop_model::{ColorLevel, Finding, Rule, metafile};
    use benchtop_protocol::wire::AnyRequest;

    const FILE: &str = "write/vlb-l1-word-substitution.toml";

    /// The pane with this file, without an item.
    fn open(file: &str) -> (Recorder, TemplatesPane) {
        let (rec, mut pane) = (recorder(), TemplatesPane::default());
        let shipped = Metadata::parse(metafile::shipped());
        rec.metadata.borrow_mut().on_state(Ok(state(&shipped)));
        rec.metadata.borrow_mut().set_goal(Place {
            file: file.into(),
            line: 1,
            column: 1,
        });
        assert!(rec.open(&mut pane).is_empty(), "no item, so no request");
        (rec, pane)
    }

    fn choose(rec: &Recorder, pane: &mut TemplatesPane, item: &str) -> Vec<Effect> {
        let mut prompt = only(rec.act(pane, Action::PreviewItem));
        rec.write(pane, &mut prompt, item).unwrap()
    }

    fn asked(effect: &Effect) -> (String, u32, u64) {
        match request(effect) {
            AnyRequest::PreviewPrompt(ask) => (ask.file.text.clone(), ask.number, ask.seed),
            other => panic!("{other:?}"),
        }
    }

    fn preview(prompt: &str) -> PromptPreview {
        PromptPreview {
            number: 7,
            role: "writer".into(),
            model: "owl".into(),
            seed: 99,
            temperature: 0.7,
            max_tokens: 512,
            pictures: vec!["kites/7.png".into()],
            system: Some("You alter questions.".into()),
            prompt: prompt.into(),
            answer: "text".into(),
            ..PromptPreview::default()
        }
    }

    #[test]
    fn the_request_for_the_chosen_item_follows_edits_one_at_a_time() {
        let (rec, mut pane) = open(FILE);
        let shown = drawn(&rec, &mut pane, (160, 50), ColorLevel::True);
        assert!(shown.contains("no item: open one"), "{shown}");
        let first = only(choose(&rec, &mut pane, "#7"));
        let (text, number, seed) = asked(&first);
        assert_eq!((number, seed), (7, 0));
        assert!(text.contains("{question}"));
        // While it is on its way, edits ask for nothing more.
        rec.act(&mut pane, Action::TypeText);
        for _ in 0..3 {
            assert!(
                rec.call(&mut pane, |pane, cx| pane.paste("#", cx))
                    .is_empty()
            );
        }
        let reply = Ok(preview("Question: which?\nAnswer: \u{1b}[2Jone"));
        let second = only(rec.reply::<request::PreviewPrompt>(&mut pane, first, reply));
        let (edited, ..) = asked(&second);
        assert_eq!(edited, format!("###{text}"), "the newest text, once");
        let shown = drawn(&rec, &mut pane, (160, 50), ColorLevel::True);
        for part in [
            "request for #7, seed 0",
            "writer    owl, answers text",
            "settings  seed 99, temperature 0.7, at most 512 tokens",
            "pictures  kites/7.png",
            "system    You alter questions.",
            "prompt    Question: which?",
            "          Answer: ",
        ] {
            assert!(shown.contains(part), "{part} in\n{shown}");
        }
        assert!(!shown.contains('\u{1b}'));
        let reply = Ok(preview("Question: which?"));
        assert!(
            rec.reply::<request::PreviewPrompt>(&mut pane, second, reply)
                .is_empty()
        );
        // Another seed is another request.
        rec.act(&mut pane, Action::StopTyping);
        let third = only(rec.act(&mut pane, Action::SeedUp));
        assert_eq!(asked(&third).2, 1);
    }

    #[test]
    fn a_refusal_and_errors_of_the_file_are_shown_and_other_files_ask_nothing() {
        let (rec, mut pane) = open("judge/vlb-v1-add-object.toml");
        let ask = only(choose(&rec, &mut pane, "2"));
        let refusal = Error::input("the item has no value for `{edit}`").help("choose a variant");
        rec.reply::<request::PreviewPrompt>(&mut pane, ask, Err(refusal));
        let shown = drawn(&rec, &mut pane, (80, 24), ColorLevel::True);
        assert!(shown.contains("no request for #2"), "{shown}");
        assert!(
            shown.contains("no value for `{edit}`; choose a variant"),
            "{shown}"
        );
        let wrong = Finding::new(
            Rule::Unreadable,
            "judge/vlb-v1-add-object.toml",
            "no such slot",
        );
        let preview = crate::panes::metadata::preview::Preview {
            shown: Vec::new(),
            found: vec![Finding { line: 9, ..wrong }],
        };
        let ticket = rec.metadata.borrow_mut().take_wanted().unwrap().ticket;
        let done = crate::panes::metadata::worker::Done { ticket, preview };
        assert!(rec.metadata.borrow_mut().preview(done));
        let shown = drawn(&rec, &mut pane, (160, 50), ColorLevel::True);
        assert!(
            shown.contains("judge/vlb-v1-add-object.toml:9 no such slot"),
            "{shown}"
        );
        let (rec, mut pane) = open("styles.toml");
        assert!(
            refused(&rec.act(&mut pane, Action::PreviewItem))
                .contains("styles.toml makes no requests")
        );
    }
}
