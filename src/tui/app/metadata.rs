//! Connects the vocabularies and templates panes to the program.

use std::path::PathBuf;

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::recompose_mode::RecomposeMode;
use super::{App, PaneId};
use crate::action::Action;
use crate::pane::{Notice, menu};
use crate::panes::metadata::diff::by_terms;
use crate::panes::metadata::session::Session;
use crate::panes::metadata::{self, MetadataEffect, Phase};
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_compose::metadata::STYLE;
use benchtop_model::Result;
use benchtop_model::recompose::Rename;
use benchtop_protocol::wire::{AnyReply, Request, request};

impl App {
    pub(super) fn go_metadata(&mut self, at: PaneId) {
        self.at = at;
        let metadata_editor = &mut self.metadata_editor;
        match at {
            PaneId::Vocabulary => {
                let effects = metadata_editor.vocabulary.start(&mut metadata_editor.desk);
                self.metadata_effects(effects);
            }
            PaneId::Templates => {
                let effects = metadata_editor.templates.start(&mut metadata_editor.desk);
                self.metadata_effects(effects);
            }
            _ => {}
        }
    }

    /// Runs an action in the current pane.
    pub(super) fn metadata_action(&mut self, action: Action) {
        if action == Action::Recompose {
            if !self.metadata_editor.desk.session().changed().is_empty() {
                return self.say(Toast::info(
                    "save or revert your edits first: items are composed from the files on disk",
                ));
            }
            let mode = RecomposeMode {
                dry: true,
                asked: true,
            };
            return self.recompose(Vec::new(), false, mode);
        }
        let metadata_editor = &mut self.metadata_editor;
        match self.at {
            PaneId::Vocabulary => {
                let effects = metadata_editor
                    .vocabulary
                    .act(action, &mut metadata_editor.desk);
                self.metadata_effects(effects);
            }
            PaneId::Templates => {
                let effects = metadata_editor
                    .templates
                    .act(action, &mut metadata_editor.desk);
                self.metadata_effects(effects);
            }
            _ => {}
        }
    }

    pub(super) fn metadata_effects(&mut self, effects: Vec<MetadataEffect>) {
        for effect in effects {
            match effect {
                MetadataEffect::Ask(want, ask) => {
                    if want == metadata::ReplyFor::Saved {
                        self.metadata_editor.renames = renames(self.metadata_editor.desk.session());
                    }
                    self.ask_now(Pending::Metadata(want), ask);
                }
                MetadataEffect::Preview(request) => self.metadata_editor.previewer.want(request),
                MetadataEffect::Edit { file, line } => self.edit_outside(&file, line),
                MetadataEffect::AskText {
                    purpose,
                    label,
                    text,
                } => {
                    let prompt = Prompt::new(label, text, Vec::new());
                    self.overlay = Some(Overlay::Prompt(PromptFor::Metadata(purpose), prompt));
                }
                MetadataEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    self.overlay = Some(Overlay::Menu(
                        MenuFor::Metadata(purpose),
                        menu(title, lines),
                    ));
                }
                MetadataEffect::Show(page) => self.overlay = Some(Overlay::Page(*page)),
                MetadataEffect::Jump { file, line, column } => self.jump(&file, line, column),
                MetadataEffect::Done(said) => self.say(Toast::done(said)),
                MetadataEffect::Say(said) => self.say(Toast::info(said)),
                MetadataEffect::Refuse(why) => self.say(Toast::warning(why)),
                MetadataEffect::Leave => self.go_review(),
                MetadataEffect::Quit => self.leave(),
            }
        }
        self.dirty = true;
    }

    /// Goes to a position in a file, in the pane that edits it.
    fn jump(&mut self, file: &str, line: u32, column: u32) {
        let metadata_editor = &mut self.metadata_editor;
        let stay = self.at == PaneId::Templates;
        let text = stay
            .then(|| {
                metadata_editor
                    .templates
                    .jump(&mut metadata_editor.desk, file, line, column)
            })
            .flatten();
        if let Some(effects) = text {
            return self.metadata_effects(effects);
        }
        if let Some(effects) =
            metadata_editor
                .vocabulary
                .jump(&mut metadata_editor.desk, file, line)
        {
            self.at = PaneId::Vocabulary;
            return self.metadata_effects(effects);
        }
        match metadata_editor
            .templates
            .jump(&mut metadata_editor.desk, file, line, column)
        {
            Some(effects) => {
                self.at = PaneId::Templates;
                self.metadata_effects(effects);
            }
            None => self.say(Toast::info(format!("no pane edits {file}"))),
        }
    }

    fn edit_outside(&mut self, file: &str, line: u32) {
        let path = self.welcome.root.join("metadata").join(file);
        if self.metadata_editor.desk.session().shipped() || !path.is_file() {
            return self.say(Toast::info(
                "these are the built-in files; save once to write them to the project",
            ));
        }
        self.metadata_editor.edit = Some((path, line));
    }

    /// The file and line to open in the user's editor, since the last call.
    pub fn wants_edit(&mut self) -> Option<(PathBuf, u32)> {
        self.metadata_editor.edit.take()
    }

    /// The user's editor exited or could not be started.
    pub fn edited(&mut self, outcome: std::io::Result<()>) {
        match outcome {
            Ok(()) => {
                let effects = self.metadata_editor.desk.read();
                self.metadata_effects(effects);
                self.notify(Notice::Rules);
                self.notify(Notice::Edited);
            }
            Err(error) => self.say(Toast::error(format!(
                "cannot run the editor: {error}; set $EDITOR"
            ))),
        }
    }

    pub(super) fn metadata_answered(&mut self, want: metadata::ReplyFor, answer: Result<AnyReply>) {
        let metadata_editor = &mut self.metadata_editor;
        let mut effects = match want {
            metadata::ReplyFor::State => metadata_editor
                .desk
                .on_state(answer.and_then(request::Metadata::reply)),
            metadata::ReplyFor::Saved => {
                let answer = answer.and_then(request::SaveMetadata::reply);
                let saved = answer.is_ok();
                let effects = metadata_editor.desk.on_saved(answer);
                let renames = std::mem::take(&mut metadata_editor.renames);
                // Look for stale items while the user still looks at the saved file.
                if saved && !effects.iter().any(|e| matches!(e, MetadataEffect::Quit)) {
                    self.metadata_effects(effects);
                    let mode = RecomposeMode {
                        dry: true,
                        asked: false,
                    };
                    return self.recompose(renames, false, mode);
                }
                effects
            }
            metadata::ReplyFor::Impact => metadata_editor
                .desk
                .on_impact(answer.and_then(request::Impact::reply)),
            metadata::ReplyFor::Terms(name) => {
                let terms = answer.and_then(request::Terms::reply);
                metadata_editor.vocabulary.on_terms(&name, terms)
            }
        };
        effects.extend(match self.at {
            PaneId::Vocabulary => metadata_editor
                .vocabulary
                .refreshed(&mut metadata_editor.desk),
            PaneId::Templates => metadata_editor
                .templates
                .refreshed(&mut metadata_editor.desk),
            _ => vec![],
        });
        self.metadata_effects(effects);
    }

    /// The metadata changed on disk.
    pub(super) fn metadata_changed(&mut self) {
        self.notify(Notice::Stale);
        if *self.metadata_editor.desk.phase() == Phase::Ready {
            let effects = self.metadata_editor.desk.read();
            self.metadata_effects(effects);
        }
    }

    /// Items or verdicts changed: recount.
    pub(super) fn recount_metadata(&mut self) {
        if self.at == PaneId::Vocabulary {
            let effects = self.metadata_editor.vocabulary.changed();
            self.metadata_effects(effects);
        }
    }

    pub(super) fn metadata_chosen(&mut self, purpose: &metadata::ChoiceFor, pick: usize) {
        let metadata_editor = &mut self.metadata_editor;
        let effects = metadata_editor
            .desk
            .chosen(purpose, pick)
            .or_else(|| {
                metadata_editor
                    .vocabulary
                    .chosen(purpose, pick, &mut metadata_editor.desk)
            })
            .or_else(|| {
                metadata_editor
                    .templates
                    .chosen(purpose, pick, &mut metadata_editor.desk)
            });
        self.metadata_effects(effects.unwrap_or_default());
    }

    pub(super) fn metadata_typed(&mut self, purpose: &metadata::TextFor, text: &str) {
        let metadata_editor = &mut self.metadata_editor;
        let effects = match self.at {
            PaneId::Templates => {
                metadata_editor
                    .templates
                    .typed(purpose, text, &mut metadata_editor.desk)
            }
            _ => metadata_editor
                .vocabulary
                .typed(purpose, text, &mut metadata_editor.desk),
        };
        self.metadata_effects(effects);
    }
}

/// The terms renamed in this session.
fn renames(session: &Session) -> Vec<Rename> {
    let mut renames = Vec::new();
    for (name, vocabulary) in session.edited().vocabularies() {
        let old = session.base().enabled(name);
        let renamed = by_terms(&old, &vocabulary.enabled().collect::<Vec<_>>()).renamed;
        renames.extend(renamed.into_iter().map(|(old, new)| Rename {
            vocabulary: name.clone(),
            old,
            new,
        }));
    }
    let styles = by_terms(
        &session.base().enabled(STYLE),
        &session.edited().enabled(STYLE),
    )
    .renamed;
    renames.extend(styles.into_iter().map(|(old, new)| Rename {
        vocabulary: STYLE.into(),
        old,
        new,
    }));
    renames
}
