//! Text typed into prompts: on each key, and on submit.

use super::App;
use super::overlay::{Overlay, PromptFor};
use crate::pane::Typed;
use crate::widgets::prompt::Prompt;

impl App {
    pub(super) fn prompt_changed(&mut self) {
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
        }
    }
}
