//! Retires terms: disables them and rejects their items in one step, with one undo.

use super::App;
use super::bulk_step::{Done, Retirement, What};
use super::connection::Pending;
use crate::action::Action;
use crate::panes::metadata::session::Session;
use crate::widgets::text::counted;
use crate::widgets::toast::Toast;
use benchtop_model::Result;
use benchtop_protocol::wire::{AnyReply, Request, Retired, request};

impl App {
    /// Disables terms. With `discard` their items are rejected.
    pub(super) fn retire(&mut self, terms: Vec<(String, String)>, discard: bool) {
        if !self.metadata.is_ready() {
            return self.say(Toast::info("the metadata is still loading"));
        }
        // Without a connection the edit would stay behind.
        if !self.is_connected() {
            return;
        }
        let before = self.metadata.session().clone();
        if !before.changed().is_empty() {
            return self.say(Toast::warning(
                "save or revert your edits in Vocabularies and Templates first",
            ));
        }
        let enabled = |(name, term): &&(String, String)| {
            before.edited().enabled(name).contains(&term.as_str())
        };
        let own: Vec<(String, String)> = terms.iter().filter(enabled).cloned().collect();
        if own.is_empty() && !discard {
            return self.say(Toast::info("these terms are already disabled"));
        }
        // Record the edit as a step of the session, so that the save notification finds it there.
        let session = self.metadata.session_mut();
        if let Err(problem) = session.set_disabled(&own, true) {
            return self.say(Toast::from(&problem));
        }
        let text =
            |session: &Session, name: &str| session.text(name).unwrap_or_default().to_string();
        let file = |name: &&str| (name.to_string(), text(&before, name), text(session, name));
        let files = session.changed().iter().map(file).collect();
        let saves = session.saves();
        self.metadata.touched();
        let retirement = Box::new(Retirement {
            terms: own,
            files,
            revs: None,
            as_step: true,
        });
        self.ask_now(
            Pending::Retire(retirement),
            request::Retire {
                terms,
                saves,
                discard,
            },
        );
    }

    pub(super) fn retired(&mut self, retirement: Retirement, answer: Result<AnyReply>) {
        let done = match answer.and_then(request::Retire::reply) {
            Ok(done) => done,
            Err(problem) => {
                if retirement.is_last(self.metadata.session()) {
                    self.metadata.session_mut().undo();
                }
                self.metadata.touched();
                return self.say(Toast::from(&problem));
            }
        };
        let undo = self.keymap.press(Action::Undo);
        let rejected = if done.verdicts > 0 {
            format!(", {} rejected", counted(done.verdicts, "item"))
        } else {
            String::new()
        };
        let said = format!(
            "{}{rejected}; {undo} undoes it",
            retirement.lists("disabled")
        );
        let what = What::Retirement(Box::new(Retirement {
            revs: done.revs,
            ..retirement
        }));
        self.bulk.push(Done { what, since: 0 });
        self.lists_changed(done, said);
    }

    fn lists_changed(&mut self, done: Retired, said: String) {
        self.on_metadata(Ok(done.state));
        self.changed();
        self.say(Toast::done(said));
    }

    /// Undoes a retirement.
    pub(super) fn unretire(&mut self, mut retirement: Box<Retirement>) {
        if let Some(file) = self.metadata.session().changed().first() {
            let why = format!(
                "this changes {}; save or revert your edits of {file} first",
                retirement.names()
            );
            return self.say(Toast::warning(why));
        }
        if !self.is_connected() {
            return;
        }
        retirement.as_step = retirement.is_last(self.metadata.session());
        let session = self.metadata.session_mut();
        // Later edits of other lines are kept.
        let done = match retirement.as_step {
            true => Ok(session.undo().map_or(0, |places| places.len())),
            false => session.set_disabled(&retirement.terms, false),
        };
        if let Err(problem) = done {
            return self.say(Toast::from(&problem));
        }
        let (saves, revs) = (session.saves(), retirement.revs);
        self.metadata.touched();
        self.ask_now(
            Pending::Unretire(retirement),
            request::Unretire { saves, revs },
        );
    }

    /// In the metadata panes: undoes the retirement with its verdicts, if it is the last edit.
    /// Returns whether it is.
    pub(super) fn undo_retirement(&mut self) -> bool {
        let Some(Done {
            what: What::Retirement(retirement),
            ..
        }) = self.bulk.last()
        else {
            return false;
        };
        let retirement = retirement.clone();
        let session = self.metadata.session();
        let is_it = session.changed().is_empty()
            && !retirement.files.is_empty()
            && retirement.is_last(session);
        if is_it {
            self.unretire(retirement);
        }
        is_it
    }

    pub(super) fn unretired(&mut self, retirement: Retirement, answer: Result<AnyReply>) {
        let session = self.metadata.session_mut();
        match answer.and_then(request::Unretire::reply) {
            Ok(done) => {
                // A redo would restore the lists without the verdicts.
                session.forget_undone();
                self.bulk.pop();
                let lists = retirement.lists("enabled again");
                let said = match done.verdicts {
                    0 => lists,
                    n => format!("{lists}, {} undone", counted(n, "verdict")),
                };
                self.lists_changed(done, said);
            }
            Err(problem) => {
                if !session.changed().is_empty() {
                    let _ = if retirement.as_step {
                        session.redo()
                    } else {
                        session.undo()
                    };
                }
                self.metadata.touched();
                self.say(Toast::from(&problem));
            }
        }
    }
}
