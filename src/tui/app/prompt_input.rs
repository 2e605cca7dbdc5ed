//! Text typed into prompts: on each key, and on submit.

use super::overlay::{Overlay, PromptFor};
use super::{App, PaneId};
use crate::pane::Typed;
use crate::panes::review::Queue;
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;

impl App {
    pub(super) fn prompt_changed(&mut self) {
        self.watch_note();
        if matches!(&self.overlay, Some(Overlay::Prompt(PromptFor::Pane(..), _))) {
            return self.pane_prompt_changed();
        }
        if let Some(Overlay::Prompt(PromptFor::Board(_), prompt)) = &self.overlay {
            let words = prompt.value().to_string();
            return self.board_filtered(&words);
        }
        let Some(Overlay::Prompt(PromptFor::Find(_), prompt)) = &mut self.overlay else {
            return;
        };
        if self.at != PaneId::List {
            return;
        }
        let words = prompt.value().to_string();
        match self.list.find(&words) {
            Ok(effects) => self.list_effects(effects),
            Err(problem) => {
                if let Some(Overlay::Prompt(_, prompt)) = &mut self.overlay {
                    prompt.refuse(problem.what);
                }
            }
        }
    }

    fn pane_prompt_changed(&mut self) {
        let overlay = self.overlay.take();
        let Some(Overlay::Prompt(PromptFor::Pane(id, mut then), mut prompt)) = overlay else {
            return;
        };
        let words = prompt.value().to_string();
        let typed = Typed::Changed(&words);
        let taken = self.with_pane(id, |pane, cx| then(pane, typed, cx));
        if let Some(Err(why)) = taken {
            prompt.refuse(why);
        }
        self.overlay = Some(Overlay::Prompt(PromptFor::Pane(id, then), prompt));
    }

    pub(super) fn submitted(&mut self, purpose: PromptFor, mut prompt: Prompt, words: &str) {
        match purpose {
            PromptFor::Pane(id, mut then) => {
                let typed = Typed::Done(words);
                let taken = self.with_pane(id, |pane, cx| then(pane, typed, cx));
                if let Some(Err(why)) = taken {
                    prompt.refuse(why);
                    self.overlay = Some(Overlay::Prompt(PromptFor::Pane(id, then), prompt));
                }
            }
            PromptFor::Edit(draft, line) => self.draft_typed(*draft, line, Some(words)),
            PromptFor::Filters(purpose) => {
                let effects = self.filters.typed(&purpose, words);
                self.filters_effects(effects);
            }
            PromptFor::Board(_) => self.board_filtered(words),
            PromptFor::Note(number, _) => self.on_note(number, words),
            PromptFor::Answer(viewed) => self.on_typed_answer(viewed, prompt, words),
            PromptFor::Find(before) => {
                if !words.trim().is_empty() {
                    self.history.retain(|h| h != words);
                    self.history.push(words.to_string());
                }
                match (self.at, benchtop_model::Filter::parse(words)) {
                    (PaneId::Review, Ok(filter)) if filter.is_empty() => {
                        let number = self.review.number();
                        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
                        let effects = self.review.set_queue(Queue::all(items), number);
                        self.carry_out(effects);
                    }
                    (PaneId::Review, Ok(_)) => self.ask_queue(words.trim().to_string(), None),
                    (_, Ok(_)) => match self.list.find(words) {
                        Ok(effects) => self.list_effects(effects),
                        Err(problem) => self.say(Toast::from(&problem)),
                    },
                    (_, Err(problem)) => {
                        prompt.refuse(problem.to_string().replace('\n', ";"));
                        self.overlay = Some(Overlay::Prompt(PromptFor::Find(before), prompt));
                    }
                }
            }
            PromptFor::Regex { column, on } => {
                let done = match self.at {
                    PaneId::Board => self
                        .board
                        .select_regex(column, words, on)
                        .map(|effects| self.board_effects(effects)),
                    _ => self
                        .list
                        .select_regex(column, words, on)
                        .map(|effects| self.list_effects(effects)),
                };
                if let Err(problem) = done {
                    prompt.refuse(problem.what);
                    self.overlay = Some(Overlay::Prompt(PromptFor::Regex { column, on }, prompt));
                }
            }
        }
    }
}
