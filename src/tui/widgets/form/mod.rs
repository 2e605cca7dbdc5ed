//! The form: fields, a preview of what will happen, and the command line that does the same.
//!
//! A [`Form`] knows nothing of what it is about. Its [`Subject`] says which fields apply, what is
//! wrong with them, and how preview and command line look. Who holds the form requests the preview.
//!
//! | file | what it does |
//! |---|---|
//! | `field` | the fields and their values |
//! | [`picker`] | a field with a list of files |
//! | `draw` | drawing |
//! | [`shell`] | command lines, and paths as people write them |

mod draw;
mod field;
pub mod picker;
pub mod shell;

use std::path::{Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent};

pub use field::{Field, Fields, Value};
use picker::{Listing, Picker};

use crate::widgets::lines::Lines;
use crate::widgets::text::error_line;
use benchtop_model::import::Progress;
use benchtop_model::{Error, Result};

/// What a form is about.
pub trait Subject {
    /// What the preview shows.
    type Preview;

    fn title(&self) -> &str;

    /// Whether a field matters, given the others.
    fn applies(&self, _fields: &Fields, _name: &str) -> bool {
        true
    }

    /// What is wrong with a field that is not wrong by itself.
    fn problem(&self, fields: &Fields, name: &str) -> Option<String>;

    /// The field that an error is about.
    fn field_of(&self, problem: &Error) -> Option<&'static str>;

    /// The arguments of the command that does the same, after the program.
    fn command(&self, fields: &Fields) -> Vec<String>;

    /// Draws the preview below its heading.
    fn draw_preview(&self, fields: &Fields, preview: &Self::Preview, lines: &mut Lines<'_>);
}

/// A form.
#[derive(Clone, Debug)]
pub struct Form<S: Subject> {
    pub subject: S,
    fields: Fields,
    at: usize,
    /// Rises with every change.
    edit: u64,
    /// The preview, and the value of `edit` that it was made for.
    would: Option<(u64, Result<S::Preview>)>,
    /// How far the preview, or what enter started, is.
    pub progress: Option<Progress>,
    /// Whether what enter started runs. The fields then stay as they are.
    pub is_running: bool,
}

impl<S: Subject> Form<S> {
    pub fn new(subject: S, fields: Vec<Field>) -> Form<S> {
        Form {
            subject,
            fields: Fields(fields),
            at: 0,
            edit: 0,
            would: None,
            progress: None,
            is_running: false,
        }
    }

    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The visible fields with their indexes.
    fn shown(&self) -> impl Iterator<Item = (usize, &Field)> {
        let all = self.fields.0.iter().enumerate();
        all.filter(|(_, field)| self.subject.applies(&self.fields, field.name))
    }

    /// What is wrong with a field, as far as the form itself knows.
    fn own_problem(&self, field: &Field) -> Option<String> {
        let problem = field.value.problem();
        problem.or_else(|| self.subject.problem(&self.fields, field.name))
    }

    /// The error of a field: its own, or that of the preview.
    fn problem(&self, field: &Field) -> Option<String> {
        self.own_problem(field).or_else(|| {
            let problem = self.would()?.as_ref().err()?;
            (self.subject.field_of(problem) == Some(field.name)).then(|| error_line(problem))
        })
    }

    /// Whether no field that applies has an error of its own.
    pub fn is_valid(&self) -> bool {
        !self
            .shown()
            .any(|(_, field)| self.own_problem(field).is_some())
    }

    /// Rises with every change.
    pub fn edit(&self) -> u64 {
        self.edit
    }

    /// Receives a preview. Ignores it if the form changed since.
    pub fn on_preview(&mut self, edit: u64, would: Result<S::Preview>) {
        if edit == self.edit {
            (self.would, self.progress) = (Some((edit, would)), None);
        }
    }

    /// Forgets the preview, because what it was made of changed.
    pub fn outdated(&mut self) {
        self.would = None;
    }

    /// The preview, if it is up to date.
    pub fn would(&self) -> Option<&Result<S::Preview>> {
        let would = self.would.as_ref();
        let current = would.filter(|(edit, _)| *edit == self.edit);
        current.map(|(_, would)| would)
    }

    /// Handles a refusal: shows it and moves the cursor to its field.
    pub fn refused(&mut self, problem: Error) {
        (self.would, self.progress) = (Some((self.edit, Err(problem))), None);
        self.go_to_problem();
    }

    /// Moves the cursor to the first error.
    pub fn go_to_problem(&mut self) {
        let is_wrong = |(_, field): &(usize, &Field)| self.problem(field).is_some();
        let first = self.shown().find(is_wrong).map(|(at, _)| at);
        self.at = first.unwrap_or(self.at);
    }

    /// Goes to the next field or the previous one.
    pub fn step(&mut self, forward: bool) {
        let places: Vec<usize> = self.shown().map(|(at, _)| at).collect();
        let here = places.iter().position(|at| *at == self.at).unwrap_or(0);
        self.leave_field();
        let steps = if forward { 1 } else { places.len().max(1) - 1 };
        if let Some(at) = places.get((here + steps) % places.len().max(1)) {
            self.at = *at;
        }
    }

    /// Goes to the line above or below: in the list of a picker, or else among the fields. Returns
    /// whether the form changed.
    pub fn arrow(&mut self, down: bool) -> bool {
        let key = if down { KeyCode::Down } else { KeyCode::Up };
        match self.fields.0.get(self.at) {
            Some(field) if matches!(field.value, Value::File(_)) => self.key(key.into()),
            _ => {
                self.step(down);
                false
            }
        }
    }

    /// The list of files, if it has one.
    fn picker(&self) -> Option<&Picker> {
        self.fields.0.iter().find_map(|field| match &field.value {
            Value::File(picker) => Some(&**picker),
            _ => None,
        })
    }

    fn picker_mut(&mut self) -> Option<&mut Picker> {
        self.fields
            .0
            .iter_mut()
            .find_map(|field| match &mut field.value {
                Value::File(picker) => Some(&mut **picker),
                _ => None,
            })
    }

    /// The folder that is to be listed.
    pub fn wants_folder(&self) -> Option<PathBuf> {
        self.picker()?.wants().map(Path::to_path_buf)
    }

    /// Receives the entries of a folder.
    pub fn on_listed(&mut self, folder: &Path, listed: Result<Listing>) {
        let changed = self
            .picker_mut()
            .is_some_and(|p| p.on_listed(folder, listed));
        self.changed(changed);
    }

    /// Forgets what may have changed outside.
    pub fn refresh(&mut self) {
        self.would = None;
        if let Some(picker) = self.picker_mut() {
            picker.refresh();
        }
    }

    pub fn leave_field(&mut self) {
        self.fields.0.iter_mut().for_each(|f| f.value.left());
    }

    /// Handles a key in the current field. Returns whether the form changed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        self.change(|value| value.key(key))
    }

    /// Pastes into the current field. Returns whether the form changed.
    pub fn paste(&mut self, pasted: &str) -> bool {
        self.change(|value| value.paste(pasted))
    }

    fn change(&mut self, change: impl FnOnce(&mut Value) -> bool) -> bool {
        let field = self.fields.0.get_mut(self.at);
        let changed = !self.is_running && field.is_some_and(|field| change(&mut field.value));
        self.changed(changed)
    }

    /// Replaces the value of a field. Returns whether the form changed.
    pub fn set(&mut self, name: &str, text: &str) -> bool {
        let changed = self.fields.set(name, text);
        self.changed(changed)
    }

    fn changed(&mut self, changed: bool) -> bool {
        self.edit += u64::from(changed);
        if changed {
            self.progress = None;
        }
        changed
    }

    /// The command line that does the same. `program` is the program with its own options.
    pub fn command_line(&self, program: &[String]) -> String {
        let mut words = program.to_vec();
        words.extend(self.subject.command(&self.fields));
        shell::line(&words)
    }
}

#[cfg(test)]
mod tests;
