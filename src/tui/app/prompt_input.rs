//! Text typed into prompts: on each key, and on submit.

use super::overlay::Overlay;
use super::{App, PaneId};
use crate::pane::Typed;
use crate::pane::context::OnTyped;
use crate::widgets::prompt::Prompt;

impl App {
    pub(super) fn prompt_changed(&mut self) {
        let overlay = self.overlay.take();
        let Some(Overlay::Prompt((id, mut then), mut prompt)) = overlay else {
            return;
        };
        let words = prompt.value().to_string();
        let typed = Typed::Changed(&words);
        let taken = self.with_pane(id, |pane, cx| (then.0)(pane, typed, cx));
        if let Some(Err(why)) = taken {
            prompt.refuse(why);
        }
        self.overlay = Some(Overlay::Prompt((id, then), prompt));
    }

    pub(super) fn submitted(
        &mut self,
        (id, mut then): (PaneId, OnTyped),
        mut prompt: Prompt,
        words: &str,
    ) {
        let typed = Typed::Done(words);
        let taken = self.with_pane(id, |pane, cx| (then.0)(pane, typed, cx));
        if let Some(Err(why)) = taken {
            prompt.refuse(why);
            self.overlay = Some(Overlay::Prompt((id, then), prompt));
        }
    }
}
