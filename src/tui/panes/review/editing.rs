//! Edits the item on screen: a menu of its texts, a prompt for each, and a revision when it is
//! saved.

use super::{Draft, Line, ReviewPane};
use crate::action::Action;
use crate::pane::{Chosen, Context, Picked, Typed};
use crate::widgets::menu::Menu;
use crate::widgets::prompt::Prompt;
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::wire::{EditedItem, request};

impl ReviewPane {
    /// Opens the menu of the item's texts.
    pub(super) fn edit_item(&mut self, cx: &mut Context<'_>) {
        match self.number().zip(self.current()) {
            Some((number, loaded)) => {
                let (rev, item) = (loaded.rev, loaded.item.clone());
                let draft = match self.drafts.remove(&number) {
                    Some(draft) => draft.rebased(rev, item),
                    None => Draft::new(number, rev, item),
                };
                self.show_draft(draft, cx);
            }
            None => cx.say("no item to edit"),
        }
    }

    fn edited(&mut self, draft: Draft, done: Result<EditedItem>, cx: &mut Context<'_>) {
        let edited = match done {
            Ok(edited) => edited,
            Err(problem) => {
                // Over another pane or menu the draft cannot be shown, and an item that changed has
                // to be seen first. The next edit of the item begins with the draft.
                if problem.kind == ErrorKind::Conflict {
                    self.changed(draft.number, cx);
                } else if cx.env.is_shown && !cx.env.is_covered {
                    self.show_draft(draft, cx);
                }
                return cx.error(&problem);
            }
        };
        self.drafts.remove(&draft.number);
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
        self.changed(number, cx);
    }

    /// Shows the draft. It is kept until it is saved or its menu is closed.
    fn show_draft(&mut self, draft: Draft, cx: &mut Context<'_>) {
        let number = draft.number;
        if draft.is_changed() {
            self.drafts.insert(number, draft.clone());
        } else {
            self.drafts.remove(&number);
        }
        let menu = menu(&draft).with_tags(cx.env.tags.to_vec());
        cx.menu_live(
            menu,
            move |pane: &mut ReviewPane, picked, cx| match picked {
                Picked::Chosen(Chosen { picks, note }) => {
                    if let Some(pick) = picks.first() {
                        pane.chosen_line(draft.clone(), *pick, &note, cx);
                    }
                }
                Picked::Cancelled => drop(pane.drafts.remove(&number)),
                Picked::Noted(_) => {}
            },
        );
    }

    /// Handles the chosen line of the draft.
    fn chosen_line(&mut self, mut draft: Draft, pick: usize, note: &str, cx: &mut Context<'_>) {
        draft.note = note.to_string();
        let Some((line, _)) = draft.lines().into_iter().nth(pick) else {
            return;
        };
        if let Some((label, text)) = draft.asks(line) {
            let prompt = Prompt::new(label, text, Vec::new());
            return cx.prompt_live(prompt, move |pane: &mut ReviewPane, typed, cx| {
                let mut draft = draft.clone();
                match typed {
                    Typed::Changed(_) => return Ok(()),
                    Typed::Done(text) => draft.take(line, text),
                    Typed::Cancelled => {}
                }
                pane.show_draft(draft, cx);
                Ok(())
            });
        }
        match draft.edit(line == Line::Restore) {
            Ok(edit) => {
                cx.tagged(note);
                let ask = request::Edit(Box::new(edit));
                cx.ask_now(ask, |pane: &mut ReviewPane, done, cx| {
                    pane.edited(draft, done, cx);
                });
            }
            Err(problem) => {
                self.show_draft(draft, cx);
                cx.error(&problem);
            }
        }
    }
}

fn menu(draft: &Draft) -> Menu {
    let choices = draft
        .lines()
        .into_iter()
        .map(|(_, choice)| choice)
        .collect();
    let title = format!("edit #{} (with an optional note)", draft.number);
    Menu::new(title, choices).keeping(&draft.note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::Effect;
    use crate::pane::recorder::Recorder;
    use crate::panes::review::testing::{pane_at, view};
    use benchtop_model::{Error, ErrorKind};

    /// Edits the first option of an item of [`pane_at`] and saves it. Returns the request.
    fn save(rec: &Recorder, pane: &mut ReviewPane, number: u32, typed: &str) -> Effect {
        let shown = pane.loaded(number).unwrap();
        let mut draft = Draft::new(number, shown.rev, shown.item.clone());
        let at = |draft: &Draft, line| draft.lines().iter().position(|(l, _)| *l == line).unwrap();
        let mut menu = rec.act(pane, Action::EditItem);
        let mut prompt = rec.choose(pane, &mut menu[0], at(&draft, Line::Option(0)));
        let mut menu = rec.write(pane, &mut prompt[0], typed).unwrap();
        draft.take(Line::Option(0), typed);
        let mut sent = rec.choose(pane, &mut menu[0], at(&draft, Line::Save));
        sent.pop().unwrap()
    }

    fn edit_menu(rec: &Recorder, pane: &mut ReviewPane) -> String {
        format!("{:?}", rec.act(pane, Action::EditItem))
    }

    #[test]
    fn a_draft_refused_out_of_sight_is_where_the_next_edit_begins() {
        let mut pane = pane_at(7);
        let mut rec = Recorder::new().unwrap();
        let asked = save(&rec, &mut pane, 7, "red fox");
        rec.is_shown = false;
        let refused = Err(Error::input("an option has no text"));
        let effects = rec.reply::<request::Edit>(&mut pane, asked, refused);
        assert!(!effects.iter().any(|e| matches!(e, Effect::Menu(..))));
        rec.is_shown = true;
        let mut menu = rec.act(&mut pane, Action::EditItem);
        assert!(format!("{menu:?}").contains("red fox"), "{menu:?}");
        rec.call(&mut pane, |pane, cx| {
            if let Effect::Menu(_, then) = &mut menu[0] {
                (then.0)(pane, Picked::Cancelled, cx);
            }
        });
        let afresh = edit_menu(&rec, &mut pane);
        assert!(!afresh.contains("red fox"), "{afresh}");
    }

    #[test]
    fn a_draft_whose_save_got_no_reply_is_where_the_next_edit_begins() {
        let (mut pane, rec) = (pane_at(7), Recorder::new().unwrap());
        // The program drops the request without a connection, and its callback with it.
        drop(save(&rec, &mut pane, 7, "red fox"));
        let again = edit_menu(&rec, &mut pane);
        assert!(again.contains("red fox"), "{again}");
    }

    #[test]
    fn a_kept_draft_stays_while_another_item_is_edited() {
        let (mut pane, rec) = (pane_at(7), Recorder::new().unwrap());
        drop(save(&rec, &mut pane, 7, "red fox"));
        rec.act(&mut pane, Action::Next);
        let other = edit_menu(&rec, &mut pane);
        assert!(!other.contains("red fox"), "{other}");
        rec.act(&mut pane, Action::Previous);
        let again = edit_menu(&rec, &mut pane);
        assert!(again.contains("red fox"), "{again}");
    }

    #[test]
    fn a_draft_of_a_changed_item_continues_on_the_new_text() {
        let (mut pane, rec) = (pane_at(7), Recorder::new().unwrap());
        let asked = save(&rec, &mut pane, 7, "red fox");
        let changed = Err(Error::new(ErrorKind::Conflict, "it changed"));
        let effects = rec.reply::<request::Edit>(&mut pane, asked, changed);
        assert!(!effects.iter().any(|e| matches!(e, Effect::Menu(..))));
        let mut new = view(7);
        new.rev = 5;
        new.json = new.json.replace("Which animal?", "Which one?");
        rec.call(&mut pane, |pane, cx| pane.on_item(7, Ok(new), cx));
        let mut menu = rec.act(&mut pane, Action::EditItem);
        let shown = format!("{menu:?}");
        assert!(
            shown.contains("red fox") && shown.contains("question: Which one?"),
            "{shown}"
        );
        let shown = pane.loaded(7).unwrap();
        let mut draft = Draft::new(7, shown.rev, shown.item.clone());
        draft.take(Line::Option(0), "red fox");
        let at = draft
            .lines()
            .iter()
            .position(|(l, _)| *l == Line::Save)
            .unwrap();
        let sent = rec.choose(&mut pane, &mut menu[0], at);
        let Some(Effect::Ask(ask)) = sent.last() else {
            panic!("{sent:?}")
        };
        let sent = format!("{:?}", ask.request);
        assert!(
            sent.contains("expected: Some(5)") && !sent.contains("Which animal?"),
            "{sent}"
        );
    }
}
