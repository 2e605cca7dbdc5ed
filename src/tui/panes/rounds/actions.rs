//! Actions of the rounds pane, with their menus, prompts, and replies.

use super::form;
use super::guidelines_page;
use super::pane::RoundsPane;
use super::text::{listed, majority, people, rule_text};
use crate::action::Action;
use crate::pane::{Ask, Context, Opens, Target, menu, table_menus};
use crate::panes::metadata::edit_session::error_line;
use crate::widgets::prompt::Prompt;
use crate::widgets::text::{counted, grouped, plural};
use benchtop_model::Result;
use benchtop_model::round::state::{GuidelinesText, RoundState};
use benchtop_model::round::{NewRound, Protocol};
use benchtop_protocol::wire::request;

/// The pause in typing before the form's preview is requested.
const PAUSE_MS: u64 = 250;

/// The rules that "what if" offers without typing.
const RULES: [Protocol; 6] = [
    Protocol::Single,
    Protocol::BothAccept,
    Protocol::Equivalence,
    Protocol::Audit,
    Protocol::Answer,
    Protocol::Refusal,
];

impl RoundsPane {
    pub(super) fn run(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::Back => cx.leave(),
            Action::NewRound => {
                let taken = |name: &str| self.rounds.iter().any(|r| r.name == name);
                let free = (1..)
                    .map(|n| format!("round-{n}"))
                    .find(|name| !taken(name))
                    .unwrap_or_default();
                self.form
                    .get_or_insert_with(|| form::new(free, self.who.clone()));
                self.open = true;
                self.preview(cx);
            }
            Action::FormClose => {
                self.open = false;
                cx.say(format!("{} reopens the form", cx.key(Action::NewRound)));
            }
            Action::FormNext | Action::FormPrevious | Action::FormDown | Action::FormUp => {
                if let Some(form) = &mut self.form {
                    form.step(matches!(action, Action::FormNext | Action::FormDown));
                }
            }
            Action::FormSubmit => self.check(cx),
            Action::FormCommand => {
                let program = &cx.env.commands.program;
                let line = self.form.as_ref().map(|form| form.command_line(program));
                cx.copy(line.unwrap_or_default(), "command line");
            }
            Action::CloseRound => self.with_round(cx, choose_close),
            Action::WhatIf => self.with_round(cx, choose_rule),
            Action::DeleteRound => self.with_round(cx, choose_delete),
            Action::EditAnnotators => self.with_round(cx, ask_people),
            Action::ShowGuidelines => self.with_round(cx, ask_guidelines),
            Action::Open => {
                self.with_round(cx, |round, cx| {
                    cx.open(Target::Round(Box::new(round.clone())));
                });
            }
            other => {
                let nothing = format!("`{}` does nothing on rounds", other.name());
                table_menus::opened(self.table.act(other), &nothing, cx);
            }
        }
    }

    fn with_round(&self, cx: &mut Context<'_>, act: impl FnOnce(&RoundState, &mut Context<'_>)) {
        match self.round() {
            Some(round) => act(round, cx),
            None => cx.refuse(format!(
                "no rounds: {} creates one",
                cx.key(Action::NewRound)
            )),
        }
    }

    /// Reports success, and requests the rounds again.
    fn on_changed<T>(&mut self, done: Result<T>, what: String, cx: &mut Context<'_>) {
        match done {
            Ok(_) => {
                cx.done(what);
                self.ask_rounds(cx);
            }
            Err(problem) => cx.refuse(error_line(&problem)),
        }
    }

    /// Requests a preview after a pause in typing.
    pub(super) fn form_changed(&mut self, changed: bool, cx: &Context<'_>) {
        if changed {
            self.preview_at.restart(cx.env.now + PAUSE_MS);
        }
    }

    /// Requests a preview of the form. A reply is ignored if the form changed since.
    pub(super) fn preview(&mut self, cx: &mut Context<'_>) {
        let form = self.form.as_ref().filter(|_| self.open);
        let Some((edit, new)) = form.and_then(|form| Some((form.edit(), form.request()?))) else {
            return;
        };
        let ask = new_round(new, true);
        cx.ask(ask, move |pane: &mut Self, would, _| {
            if let Some(form) = &mut pane.form {
                form.on_preview(edit, would);
            }
        });
    }

    /// Previews the round as it would be now, then asks for confirmation.
    fn check(&mut self, cx: &mut Context<'_>) {
        let Some(form) = &mut self.form else { return };
        form.leave_field();
        let Some(new) = form.request() else {
            form.go_to_problem();
            return cx.refuse("fix the marked field first");
        };
        let (ask, edit) = (new_round(new, true), form.edit());
        let then = move |pane: &mut Self, would, cx: &mut Context<'_>| {
            pane.on_check(edit, would, cx);
        };
        cx.send(Ask::new(ask, then).opens(Opens::Confirmation));
    }

    fn on_check(&mut self, edit: u64, would: Result<RoundState>, cx: &mut Context<'_>) {
        let open = self.open;
        let form = self.form.as_mut();
        let Some(form) = form.filter(|form| open && form.edit() == edit) else {
            return;
        };
        let state = match would {
            Ok(state) => state,
            Err(problem) => {
                cx.refuse(error_line(&problem));
                return form.refused(problem);
            }
        };
        let visibility = if state.blind { "blind" } else { "open" };
        let each = plural(state.overlap, "annotator");
        let share = state.wanted.div_ceil(state.people.len().max(1) as u64);
        let names: Vec<&str> = state.people.iter().map(|(name, _)| name.as_str()).collect();
        let what = format!(
            "{}, {each} each: {}",
            counted(state.items, "item"),
            counted(state.wanted, "verdict")
        );
        let who = format!("about {} for each of {}", grouped(share), names.join(", "));
        let title = format!("Create `{}`? {}, {visibility}", state.name, state.protocol);
        form.on_preview(edit, Ok(state));
        let lines = vec![
            ("create".to_string(), what),
            ("back to the form".to_string(), who),
        ];
        // The cursor starts on the safe line.
        cx.choose_in(menu(title, lines).at(1), |pane: &mut Self, pick, cx| {
            let form = pane.form.as_ref().filter(|_| pick == 0);
            let Some((edit, new)) = form.and_then(|form| Some((form.edit(), form.request()?)))
            else {
                return;
            };
            cx.ask_now(new_round(new, false), move |pane: &mut Self, made, cx| {
                pane.on_created(edit, made, cx)
            });
        });
    }

    /// Receives the round just created.
    fn on_created(&mut self, edit: u64, made: Result<RoundState>, cx: &mut Context<'_>) {
        let state = match made {
            Ok(state) => state,
            Err(problem) => {
                cx.refuse(error_line(&problem));
                if let Some(form) = &mut self.form {
                    form.refused(problem);
                }
                return;
            }
        };
        // A form that was edited meanwhile is for another round.
        if self.form.take_if(|form| form.edit() == edit).is_some() {
            self.open = false;
        }
        cx.done(format!(
            "created `{}`: {} items, {} verdicts; {} starts",
            state.name,
            state.items,
            state.wanted,
            cx.key(Action::Open)
        ));
        let name = state.name.clone();
        self.notes = Some((name.clone(), state.notes.clone()));
        if !self.rounds.iter().any(|r| r.name == name) {
            self.rounds.push(state);
        }
        self.fill();
        self.go_to(&name);
        self.ask_rounds(cx);
    }
}

fn new_round(new: NewRound, dry: bool) -> request::NewRound {
    request::NewRound {
        new: Box::new(new),
        dry,
    }
}

fn choose_close(round: &RoundState, cx: &mut Context<'_>) {
    let (closed, name) = (round.closed.is_none(), round.name.clone());
    let (title, yes, more) = match closed {
        true => (
            format!("Close `{name}`?"),
            "close",
            "no new assignments; open ones may be finished",
        ),
        false => (
            format!("Reopen `{name}`?"),
            "reopen",
            "items are assigned again",
        ),
    };
    let lines = vec![
        (yes.to_string(), more.to_string()),
        ("cancel".into(), String::new()),
    ];
    cx.choose(title, lines, move |_: &mut RoundsPane, pick, cx| {
        if pick > 0 {
            return;
        }
        let is = if closed {
            "closed; its verdicts still count"
        } else {
            "open"
        };
        let what = format!("`{name}` is {is}");
        let ask = request::CloseRound {
            round: name,
            closed,
        };
        cx.ask_now(ask, |pane: &mut RoundsPane, done, cx| {
            pane.on_changed(done, what, cx);
        });
    });
}

fn choose_rule(round: &RoundState, cx: &mut Context<'_>) {
    let line = |rule: &Option<Protocol>| match rule {
        Some(rule) => (rule.to_string(), rule_text(*rule)),
        None => ("majority".into(), "kept if k of n accept".into()),
    };
    let name = round.name.clone();
    let title = format!("Try which rule on `{name}`?");
    let rules = RULES.map(Some).into_iter().chain([None]).collect();
    cx.choose_of(title, rules, line, move |_: &mut RoundsPane, rule, cx| {
        if let Some(rule) = rule {
            return try_rule(name, rule, cx);
        }
        let label = "kept if at least this many accept";
        let prompt = Prompt::new(label, "3 of 5", Vec::new());
        cx.prompt(prompt, move |_: &mut RoundsPane, text, cx| {
            try_rule(name.clone(), Protocol::Majority(majority(text)?), cx);
            Ok(())
        });
    });
}

fn try_rule(round: String, rule: Protocol, cx: &mut Context<'_>) {
    let ask = request::WhatIf {
        round: round.clone(),
        protocol: rule,
    };
    cx.ask_now(ask, move |pane: &mut RoundsPane, found, _| {
        pane.tried = Some((round, rule, found));
    });
}

fn choose_delete(round: &RoundState, cx: &mut Context<'_>) {
    let name = round.name.clone();
    if round.judged > 0 {
        return cx.refuse(format!("`{name}` has verdicts: close it instead"));
    }
    let lines = vec![
        (
            "delete".to_string(),
            "deletes its file; it has no verdicts".to_string(),
        ),
        ("cancel".into(), String::new()),
    ];
    let menu = menu(format!("Delete `{name}`?"), lines).at(1);
    cx.choose_in(menu, move |_: &mut RoundsPane, pick, cx| {
        if pick > 0 {
            return;
        }
        let what = format!("deleted `{name}`");
        cx.ask_now(
            request::DeleteRound(name),
            |pane: &mut RoundsPane, done, cx| pane.on_changed(done, what, cx),
        );
    });
}

fn ask_guidelines(round: &RoundState, cx: &mut Context<'_>) {
    let name = round.name.clone();
    if round.guidelines.is_none() {
        return cx.refuse(format!("`{name}` has no guidelines"));
    }
    let then =
        move |_: &mut RoundsPane, text: Result<Option<GuidelinesText>>, cx: &mut Context<'_>| {
            match text {
                Ok(Some(guidelines)) => cx.page(guidelines_page(&name, &guidelines)),
                Ok(None) => cx.refuse(format!("`{name}` has no guidelines")),
                Err(problem) => cx.refuse(error_line(&problem)),
            }
        };
    cx.send(Ask::new(request::Guidelines(round.name.clone()), then).opens(Opens::Overlay));
}

fn ask_people(round: &RoundState, cx: &mut Context<'_>) {
    let name = round.name.clone();
    let prompt = Prompt::new(
        format!("annotators of `{name}`"),
        listed(&active(round)),
        Vec::new(),
    );
    cx.prompt(prompt, move |pane: &mut RoundsPane, text, cx| {
        match pane.rounds.iter().find(|round| round.name == name) {
            Some(round) => change_people(round, text, cx),
            None => return Err(format!("round `{name}` no longer exists")),
        }
        Ok(())
    });
}

/// The annotators who still get items of a round.
fn active(round: &RoundState) -> Vec<String> {
    let all = round.people.iter().map(|(name, _)| name);
    all.filter(|name| !round.left.contains(name))
        .cloned()
        .collect()
}

/// Requests the change from the present annotators to the typed ones.
fn change_people(round: &RoundState, text: &str, cx: &mut Context<'_>) {
    let now = active(round);
    let names: Vec<String> = people(text).collect();
    let add: Vec<String> = names
        .iter()
        .filter(|name| !now.contains(name))
        .cloned()
        .collect();
    let remove: Vec<String> = now
        .into_iter()
        .filter(|name| !names.contains(name))
        .collect();
    let mut parts = Vec::new();
    if !add.is_empty() {
        parts.push(format!("added {}", add.join(", ")));
    }
    if !remove.is_empty() {
        parts.push(format!(
            "removed {} (their verdicts still count)",
            remove.join(", ")
        ));
    }
    if parts.is_empty() {
        return cx.say("no change");
    }
    let what = format!("`{}`: {}", round.name, parts.join("; "));
    let ask = request::RoundPeople {
        round: round.name.clone(),
        add,
        remove,
    };
    cx.ask_now(ask, |pane: &mut RoundsPane, done, cx| {
        pane.on_changed(done, what, cx);
    });
}
