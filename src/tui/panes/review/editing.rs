//! Edits the item on screen: a menu of its texts, a prompt for each, and a revision when it is
//! saved.

use super::{Draft, Line, ReviewPane};
use crate::action::Action;
use crate::pane::{Ask, Context, Typed};
use crate::widgets::menu::Menu;
use crate::widgets::prompt::Prompt;
use benchtop_model::Result;
use benchtop_protocol::wire::{EditedItem, request};

impl ReviewPane {
    /// Opens the menu of the item's texts.
    pub(super) fn edit_item(&mut self, cx: &mut Context<'_>) {
        match self.number().zip(self.current()) {
            Some((number, loaded)) => {
                let draft = Draft::new(number, loaded.rev, loaded.item.clone());
                let refused = self.refused_draft.take();
                show_draft(refused.filter(|d| d.number == number).unwrap_or(draft), cx);
            }
            None => cx.say("no item to edit"),
        }
    }

    fn edited(&mut self, draft: Draft, done: Result<EditedItem>, cx: &mut Context<'_>) {
        let edited = match done {
            Ok(edited) => edited,
            Err(problem) => {
                // Over another pane or menu the draft cannot be shown. The next edit of the item
                // begins with it.
                if cx.env.is_shown && !cx.env.is_covered {
                    show_draft(draft, cx);
                } else {
                    self.refused_draft = Some(draft);
                }
                return cx.error(&problem);
            }
        };
        cx.edited_item();
        let verdicts = match edited.voided {
            0 => String::new(),
            1 => ", voiding a verdict".into(),
            n => format!(", voiding {n} verdicts"),
        };
        let (accept, number) = (cx.key(Action::Accept), draft.number);
        let notes: String = edited.notes.iter().map(|n| format!("; {n}")).collect();
        cx.done(format!(
            "edited #{number}{verdicts}; {accept} accepts the new text{notes}"
        ));
        let effects = self.changed(number);
        self.carry_out(effects, cx);
    }
}

fn show_draft(draft: Draft, cx: &mut Context<'_>) {
    let choices = draft
        .lines()
        .into_iter()
        .map(|(_, choice)| choice)
        .collect();
    let title = format!("edit #{} (with an optional note)", draft.number);
    let menu = Menu::new(title, choices).keeping(&draft.note);
    let menu = menu.with_tags(cx.env.tags.to_vec());
    cx.menu(menu, |_: &mut ReviewPane, chosen, cx| {
        if let Some(pick) = chosen.picks.first() {
            chosen_line(draft, *pick, &chosen.note, cx);
        }
    });
}

/// Handles the chosen line of the draft.
fn chosen_line(mut draft: Draft, pick: usize, note: &str, cx: &mut Context<'_>) {
    draft.note = note.to_string();
    let Some((line, _)) = draft.lines().into_iter().nth(pick) else {
        return;
    };
    if let Some((label, text)) = draft.asks(line) {
        let prompt = Prompt::new(label, text, Vec::new());
        return cx.prompt_live(prompt, move |_: &mut ReviewPane, typed, cx| {
            let mut draft = draft.clone();
            match typed {
                Typed::Changed(_) => return Ok(()),
                Typed::Done(text) => draft.take(line, text),
                Typed::Cancelled => {}
            }
            show_draft(draft, cx);
            Ok(())
        });
    }
    match draft.edit(line == Line::Restore) {
        Ok(edit) => {
            cx.tagged(note);
            let ask = request::Edit(Box::new(edit));
            let then = |pane: &mut ReviewPane, done, cx: &mut Context<'_>| {
                pane.edited(draft, done, cx);
            };
            cx.send(Ask::new(ask, then).for_key());
        }
        Err(problem) => {
            show_draft(draft, cx);
            cx.error(&problem);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pane::Effect;
    use crate::pane::recorder::Recorder;
    use crate::panes::review::Queue;
    use benchtop_model::{Error, Status};
    use benchtop_protocol::wire::ItemView;

    #[test]
    fn a_draft_refused_out_of_sight_is_where_the_next_edit_begins() {
        let item = json!({
            "id": "d/7", "dataset": "d", "key": 7, "form": "dysca", "question": "Which animal?",
            "instruction": "Which animal?\nA. cat\nB. dog", "kind": "multiple-choice", "answer": "dog",
            "options": [{"text": "cat", "role": "distractor"}, {"text": "dog", "role": "correct"}],
        });
        let mut pane = ReviewPane::default();
        pane.set_queue(Queue::all(9), Some(7));
        let view = ItemView {
            number: 7,
            json: item.to_string(),
            status: Status::Pending,
            rev: 1,
            text_rev: 1,
            standing: vec![],
            stale: None,
            chips: vec![],
        };
        let _ = pane.on_item(7, Ok(view));
        let mut rec = Recorder::new().unwrap();
        let mut menu = rec.act(&mut pane, Action::EditItem);
        let shown = pane.current().unwrap();
        let mut draft = Draft::new(7, shown.rev, shown.item.clone());
        let at = |draft: &Draft, line| draft.lines().iter().position(|(l, _)| *l == line).unwrap();
        let mut prompt = rec.choose(&mut pane, &mut menu[0], at(&draft, Line::Option(0)));
        let mut menu = rec.write(&mut pane, &mut prompt[0], "red fox").unwrap();
        draft.take(Line::Option(0), "red fox");
        let mut sent = rec.choose(&mut pane, &mut menu[0], at(&draft, Line::Save));
        rec.is_shown = false;
        let refused = Err(Error::input("an option has no text"));
        let asked = sent.pop().unwrap();
        let effects = rec.reply::<request::Edit>(&mut pane, asked, refused);
        assert!(!effects.iter().any(|e| matches!(e, Effect::Menu(..))));
        rec.is_shown = true;
        let again = format!("{:?}", rec.act(&mut pane, Action::EditItem));
        assert!(again.contains("red fox"), "{again}");
        let afresh = format!("{:?}", rec.act(&mut pane, Action::EditItem));
        assert!(!afresh.contains("red fox"), "{afresh}");
    }
}
