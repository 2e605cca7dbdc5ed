//! Forms that fill the screen: what they do is a [`Task`], and the rest is the same for all.
//!
//! | file | what it does |
//! |---|---|
//! | [`evaluate`] | has a model asked |
//! | [`export`] | exports items |
//! | [`import`] | imports files |
//! | [`models`] | chooses what paints and what scores |
//! | [`people`] | says who works on the project |
//! | [`scenario`] | makes the pictures and items of a scenario |
//! | [`release`] | releases items |
//! | [`scoring`] | scores items and adds a rule |

pub mod evaluate;
pub mod export;
pub mod import;
pub mod models;
pub mod people;
pub mod release;
pub mod scenario;
pub mod scoring;

use std::fmt;
use std::path::{Path, PathBuf};

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use evaluate::EvaluatePane;
pub use export::ExportPane;
pub use import::ImportPane;
pub use models::ModelsPane;
pub use people::PeoplePane;
pub use release::ReleasePane;
pub use scenario::ScenarioPane;
pub use scoring::ScoringPane;

use crate::action::Action;
use crate::folder;
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, PaneId, Scene, Target, Timer, Worked, menu};
use crate::widgets::form::picker::Listing;
use crate::widgets::form::{Field, Fields, Form, Subject};
use crate::widgets::text::error_line;
use benchtop_model::import::Progress;
use benchtop_model::{Error, ErrorKind, Result};

/// The names of what a form asks for.
pub(super) const PREVIEW: &str = "preview";
pub(super) const RUN: &str = "run";
const LIST: &str = "list";

/// What a form does.
pub trait Task: Subject + Sized + 'static {
    /// What another pane opens it with is the value of this field.
    const START: &'static str;
    const HELP: &'static str;
    /// Whether the owner does it, so that it is lost with the connection.
    const BY_OWNER: bool = false;
    /// The pause in typing before the preview is requested.
    const PAUSE_MS: u64 = 250;

    /// The form with its defaults.
    fn new(cx: &mut Context<'_>) -> (Self, Vec<Field>);

    /// Requests the preview of these fields. The reply goes to [`FormPane::on_preview`] with `edit`.
    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>);

    /// What to ask before it is done, if anything. Fails with the reason if it cannot be done.
    fn question(
        &self,
        fields: &Fields,
        preview: &Self::Preview,
    ) -> std::result::Result<Option<Question>, String>;

    /// Does what the preview shows. The reply goes to [`FormPane::on_run`].
    fn start(&self, fields: &Fields, preview: &Self::Preview, cx: &mut Context<'_>);
}

/// A question before a form does what it shows.
#[derive(Clone, Debug)]
pub struct Question {
    pub title: String,
    /// The answer that does it, and its explanation.
    pub yes: (String, String),
}

/// A pane with a form.
pub struct FormPane<T: Task> {
    form: Option<Form<T>>,
    /// The pane that opened it.
    from: PaneId,
    /// When to request a preview.
    preview_at: Timer,
    /// The folder that is being listed.
    listing: Option<PathBuf>,
    /// The value of `edit` that is submitted once its preview is there.
    submitting: Option<u64>,
}

impl<T: Task> Default for FormPane<T> {
    fn default() -> Self {
        FormPane {
            form: None,
            from: PaneId::Home,
            preview_at: Timer::default(),
            listing: None,
            submitting: None,
        }
    }
}

impl<T: Task> fmt::Debug for FormPane<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormPane(from {:?})", self.from)
    }
}

impl<T: Task> FormPane<T> {
    /// Opens the form with these values of fields.
    fn start(&mut self, values: &[(&str, String)], cx: &mut Context<'_>) {
        let form = self.form.get_or_insert_with(|| {
            let (subject, fields) = T::new(cx);
            Form::new(subject, fields)
        });
        for (name, text) in values {
            form.set(name, text);
        }
        form.refresh();
        self.list(cx);
        self.preview(cx);
    }

    /// Requests the entries of the folder that the form wants.
    fn list(&mut self, cx: &mut Context<'_>) {
        let wanted = self.form.as_ref().and_then(Form::wants_folder);
        let Some(folder) = wanted.filter(|folder| self.listing.as_ref() != Some(folder)) else {
            return;
        };
        self.listing = Some(folder.clone());
        cx.cancel(LIST);
        let listed = folder.clone();
        cx.work(
            LIST,
            move |_, watch| folder::list(&folder, watch.cancel),
            move |pane: &mut Self, worked, cx| {
                if let Worked::Done(entries) = worked {
                    pane.on_listed(&listed, entries, cx);
                }
            },
        );
    }

    fn on_listed(&mut self, folder: &Path, listed: Result<Listing>, cx: &mut Context<'_>) {
        self.listing = None;
        if let Some(form) = &mut self.form {
            form.on_listed(folder, listed);
        }
        self.list(cx);
        self.preview_at.restart(cx.env.now);
    }

    fn preview(&mut self, cx: &mut Context<'_>) {
        self.preview_at.stop();
        cx.cancel(PREVIEW);
        if let Some(form) = self.form.as_ref().filter(|form| form.is_valid()) {
            form.subject.preview(form.fields(), form.edit(), cx);
        }
    }

    /// Requests a preview after a pause in typing.
    fn changed(&mut self, changed: bool, cx: &mut Context<'_>) {
        if changed {
            self.submitting = None;
            self.list(cx);
            self.preview_at.restart(cx.env.now + T::PAUSE_MS);
        }
    }

    /// Receives the preview of a form that `edit` numbers.
    pub(super) fn on_preview(
        &mut self,
        edit: u64,
        would: Result<T::Preview>,
        cx: &mut Context<'_>,
    ) {
        if let Some(form) = &mut self.form {
            form.on_preview(edit, would);
        }
        if self.submitting.take_if(|wanted| *wanted == edit).is_some() {
            self.submit(cx);
        }
    }

    /// Receives what a thread says about a preview.
    pub(super) fn on_preview_work(
        &mut self,
        edit: u64,
        worked: Worked<T::Preview>,
        cx: &mut Context<'_>,
    ) {
        match (worked, &mut self.form) {
            (Worked::Done(would), _) => self.on_preview(edit, would, cx),
            (Worked::Progress(progress), Some(form)) if form.edit() == edit => {
                form.progress = Some(progress);
            }
            (Worked::Progress(_), _) => {}
        }
    }

    /// Does it if the preview is there. Otherwise waits for the preview.
    fn submit(&mut self, cx: &mut Context<'_>) {
        let Some(form) = &mut self.form else { return };
        if form.is_running {
            return cx.refuse("it runs already; esc cancels it");
        }
        if T::BY_OWNER && !cx.env.is_connected {
            return cx.refuse("no connection to the owner; try again once it is back");
        }
        form.leave_field();
        if !form.is_valid() {
            form.go_to_problem();
            return cx.refuse("fix the marked field first");
        }
        let edit = form.edit();
        match form.would() {
            Some(Ok(preview)) => match form.subject.question(form.fields(), preview) {
                Ok(None) => self.run(cx),
                Ok(Some(question)) => ask::<T>(question, edit, cx),
                Err(why) => cx.refuse(why),
            },
            Some(Err(problem)) => {
                cx.refuse(error_line(problem));
                form.go_to_problem();
            }
            None => {
                self.submitting = Some(edit);
                self.preview(cx);
            }
        }
    }

    /// Does what the preview shows.
    fn run(&mut self, cx: &mut Context<'_>) {
        if let Some(form) = &mut self.form
            && let Some(Ok(preview)) = form.would()
        {
            form.subject.start(form.fields(), preview, cx);
            (form.is_running, form.progress) = (true, None);
        }
    }

    /// Receives what is said about what enter started. Returns the result once it is there.
    pub(super) fn on_run<R>(&mut self, worked: Worked<R>, cx: &mut Context<'_>) -> Option<R> {
        let form = self.form.as_mut()?;
        let done = match worked {
            Worked::Progress(progress) => {
                form.progress = Some(progress);
                return None;
            }
            Worked::Done(done) => done,
        };
        (form.is_running, form.progress) = (false, None);
        // What was there before may be no more.
        form.outdated();
        match done {
            Ok(done) => Some(done),
            Err(problem) => {
                self.failed(problem, cx);
                None
            }
        }
    }

    fn failed(&mut self, problem: Error, cx: &mut Context<'_>) {
        if problem.kind == ErrorKind::Cancelled {
            return cx.say(problem.what);
        }
        cx.refuse(error_line(&problem));
        if let Some(form) = &mut self.form {
            form.refused(problem);
        }
    }

    /// Goes back to the pane that opened the form.
    pub(super) fn leave(&mut self, cx: &mut Context<'_>) {
        cx.open(Target::Back(self.from));
    }

    fn close(&mut self, cx: &mut Context<'_>) {
        let running = self.form.as_mut().filter(|form| form.is_running);
        if let Some(form) = running {
            (form.is_running, form.progress) = (false, None);
            form.outdated();
            cx.cancel(RUN);
            cx.say("canceled");
            return self.preview(cx);
        }
        cx.cancel(PREVIEW);
        self.submitting = None;
        self.leave(cx);
    }
}

/// Asks a question about the form as it is. The cursor starts on the safe answer.
fn ask<P: Task>(question: Question, edit: u64, cx: &mut Context<'_>) {
    let no = ("back to the form".to_string(), String::new());
    let menu = menu(question.title, vec![question.yes, no]).at(1);
    cx.choose_in(menu, move |pane: &mut FormPane<P>, pick, cx| {
        let is_same = pane.form.as_ref().is_some_and(|form| form.edit() == edit);
        if pick == 0 && is_same {
            pane.run(cx);
        }
    });
}

impl<T: Task> Pane for FormPane<T> {
    fn help(&self, _keys: &Keymap) -> String {
        T::HELP.into()
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.start(&[], cx);
    }

    fn show(&mut self, target: Target, from: PaneId, cx: &mut Context<'_>) {
        if !from.is_form() {
            self.from = from;
        }
        match target {
            Target::Form(_, Some(text)) => self.start(&[(T::START, text)], cx),
            Target::Fields(_, values) => self.start(&values, cx),
            _ => self.start(&[], cx),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::FormNext | Action::FormPrevious => {
                if let Some(form) = &mut self.form {
                    form.step(action == Action::FormNext);
                }
            }
            Action::FormDown | Action::FormUp => {
                let form = self.form.as_mut();
                let changed = form.is_some_and(|form| form.arrow(action == Action::FormDown));
                self.changed(changed, cx);
            }
            Action::FormSubmit => self.submit(cx),
            Action::FormCommand => {
                let program = &cx.env.commands.program;
                let line = self.form.as_ref().map(|form| form.command_line(program));
                cx.copy(line.unwrap_or_default(), "command line");
            }
            Action::FormClose | Action::Back => self.close(cx),
            other => cx.refuse(format!("`{}` does nothing here", other.name())),
        }
    }

    fn typing(&self) -> bool {
        true
    }

    fn on_progress(&mut self, name: &'static str, progress: &Progress) -> bool {
        // A preview of other fields was canceled.
        let is_wanted = |runs: bool| name == if runs { RUN } else { PREVIEW };
        let form = self.form.as_mut();
        let Some(form) = form.filter(|form| is_wanted(form.is_running)) else {
            return false;
        };
        form.progress = Some(progress.clone());
        true
    }

    fn key(&mut self, key: KeyEvent, cx: &mut Context<'_>) {
        let changed = self.form.as_mut().is_some_and(|form| form.key(key));
        self.changed(changed, cx);
    }

    fn paste(&mut self, pasted: &str, cx: &mut Context<'_>) {
        let changed = self.form.as_mut().is_some_and(|form| form.paste(pasted));
        self.changed(changed, cx);
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        let is_lost = T::BY_OWNER && matches!(notice, Notice::Reconnected);
        if let Some(form) = self.form.as_mut().filter(|form| is_lost && form.is_running) {
            (form.is_running, form.progress) = (false, None);
            cx.refuse("the connection was lost; see whether it was done");
        }
        // A preview that was asked for is lost with its connection.
        let is_idle = self.form.as_ref().is_some_and(|form| !form.is_running);
        if matches!(notice, Notice::Resync | Notice::Recount) && cx.env.is_shown && is_idle {
            self.preview(cx);
        }
    }

    fn due(&self) -> Option<u64> {
        self.preview_at.due()
    }

    fn tick(&mut self, cx: &mut Context<'_>) {
        if self.preview_at.is_over(cx.env.now) && cx.env.is_shown {
            self.preview(cx);
        }
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        self.form.is_none()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let form = self.form.as_ref()?;
        Some(form.draw(area, buf, scene.look, scene.program))
    }
}

#[cfg(test)]
mod scenario_tests;
#[cfg(test)]
mod setup_tests;
#[cfg(test)]
mod tests;
