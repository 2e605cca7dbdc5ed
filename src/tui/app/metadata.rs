//! The vocabulary pane, the template pane and the coverage view: what joins them to the program.

use std::path::PathBuf;

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::action::Action;
use crate::panes::coverage::{self, CoverageEffect, CoveragePane};
use crate::panes::metadata::diff::by_terms;
use crate::panes::metadata::session::Session;
use crate::panes::metadata::{self, EditSession, MetadataEffect, Phase, Previewer};
use crate::panes::templates::TemplatesPane;
use crate::panes::vocabulary::VocabularyPane;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_compose::metadata::STYLE;
use benchtop_model::Result;
use benchtop_model::recompose::Rename;
use benchtop_protocol::wire::{AnyReply, Request, request};

/// The metadata on the desk, and the panes that show it.
pub(super) struct MetadataEditor {
    pub(super) desk: EditSession,
    pub(super) vocabulary: VocabularyPane,
    pub(super) templates: TemplatesPane,
    pub(super) coverage: CoveragePane,
    previewer: Previewer,
    /// A file to open in the person's editor, at a line.
    pub(super) edit: Option<(PathBuf, u32)>,
    /// Terms that the save under way gives another name.
    renames: Vec<Rename>,
}

impl MetadataEditor {
    /// Nothing read yet; `done` is called on the preview's thread.
    pub(super) fn new(
        done: impl Fn(metadata::worker::Done) + Send + 'static,
    ) -> std::io::Result<MetadataEditor> {
        Ok(MetadataEditor {
            desk: EditSession::new(),
            vocabulary: VocabularyPane::new(),
            templates: TemplatesPane::new(),
            coverage: CoveragePane::new(),
            previewer: Previewer::new(done)?,
            edit: None,
            renames: Vec::new(),
        })
    }
}

impl App {
    pub(super) fn go_workshop(&mut self, at: PaneId) {
        self.at = at;
        let shop = &mut self.shop;
        match at {
            PaneId::Vocabulary => {
                let effects = shop.vocabulary.start(&mut shop.desk);
                self.metadata_effects(effects);
            }
            PaneId::Templates => {
                let effects = shop.templates.start(&mut shop.desk);
                self.metadata_effects(effects);
            }
            _ => {
                let effects = shop.coverage.start();
                // The vocabularies are among what can be chosen.
                let read = if *shop.desk.phase() == Phase::Ready {
                    vec![]
                } else {
                    shop.desk.read()
                };
                self.coverage_effects(effects);
                self.metadata_effects(read);
            }
        }
    }

    /// Does an action in the pane that is shown.
    pub(super) fn workshop_action(&mut self, action: Action) {
        if action == Action::Recompose {
            if !self.shop.desk.session().changed().is_empty() {
                return self.say(Toast::info(
                    "save or revert your edits first: items are composed from what is on disk",
                ));
            }
            return self.recompose(Vec::new(), false, (true, true));
        }
        let shop = &mut self.shop;
        match self.at {
            PaneId::Vocabulary => {
                let effects = shop.vocabulary.act(action, &mut shop.desk);
                self.metadata_effects(effects);
            }
            PaneId::Templates => {
                let effects = shop.templates.act(action, &mut shop.desk);
                self.metadata_effects(effects);
            }
            _ => {
                let names: Vec<String> = shop
                    .desk
                    .session()
                    .edited()
                    .vocabularies()
                    .keys()
                    .cloned()
                    .collect();
                let effects = shop.coverage.act(action, &names);
                self.coverage_effects(effects);
            }
        }
    }

    pub(super) fn metadata_effects(&mut self, effects: Vec<MetadataEffect>) {
        for effect in effects {
            match effect {
                MetadataEffect::Ask(want, ask) => {
                    if want == metadata::Want::Saved {
                        self.shop.renames = renames(self.shop.desk.session());
                    }
                    self.ask_now(Pending::Metadata(want), ask);
                }
                MetadataEffect::Preview(request) => self.shop.previewer.want(request),
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

    pub(super) fn coverage_effects(&mut self, effects: Vec<CoverageEffect>) {
        for effect in effects {
            match effect {
                CoverageEffect::Ask(want, ask) => self.ask_now(Pending::Coverage(want), ask),
                CoverageEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    self.overlay = Some(Overlay::Menu(
                        MenuFor::Coverage(purpose),
                        menu(title, lines),
                    ));
                }
                CoverageEffect::Filter(words) => self.show_items(&words),
                CoverageEffect::Retire { terms, discard } => self.retire(terms, discard),
                CoverageEffect::Say(said) => self.say(Toast::info(said)),
                CoverageEffect::Refuse(why) => self.say(Toast::warning(why)),
                CoverageEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    /// To a place of a file, in the pane that edits it.
    fn jump(&mut self, file: &str, line: u32, column: u32) {
        let shop = &mut self.shop;
        let stay = self.at == PaneId::Templates;
        let text = stay
            .then(|| shop.templates.jump(&mut shop.desk, file, line, column))
            .flatten();
        if let Some(effects) = text {
            return self.metadata_effects(effects);
        }
        if let Some(effects) = shop.vocabulary.jump(&mut shop.desk, file, line) {
            self.at = PaneId::Vocabulary;
            return self.metadata_effects(effects);
        }
        match shop.templates.jump(&mut shop.desk, file, line, column) {
            Some(effects) => {
                self.at = PaneId::Templates;
                self.metadata_effects(effects);
            }
            None => self.say(Toast::info(format!("{file} has no pane of its own"))),
        }
    }

    fn edit_outside(&mut self, file: &str, line: u32) {
        let path = self.welcome.root.join("metadata").join(file);
        if self.shop.desk.session().shipped() || !path.is_file() {
            return self.say(Toast::info(
                "these are the shipped files: the first save writes them to the project",
            ));
        }
        self.shop.edit = Some((path, line));
    }

    /// A file to open in the person's editor and a line of it, since the last call.
    pub fn wants_edit(&mut self) -> Option<(PathBuf, u32)> {
        self.shop.edit.take()
    }

    /// The person's editor has ended, or could not be started.
    pub fn edited(&mut self, outcome: std::io::Result<()>) {
        match outcome {
            Ok(()) => {
                let effects = self.shop.desk.read();
                self.metadata_effects(effects);
                self.rules_changed();
                self.guidelines_edited();
            }
            Err(error) => self.say(Toast::error(format!(
                "the editor: {error}; $EDITOR names it"
            ))),
        }
    }

    pub(super) fn metadata_answered(&mut self, want: metadata::Want, answer: Result<AnyReply>) {
        let shop = &mut self.shop;
        let mut effects = match want {
            metadata::Want::State => shop.desk.take(answer.and_then(request::Metadata::reply)),
            metadata::Want::Saved => {
                let answer = answer.and_then(request::SaveMetadata::reply);
                let saved = answer.is_ok();
                let effects = shop.desk.saved(answer);
                let renames = std::mem::take(&mut shop.renames);
                // Whether items read differently now is asked while the person looks at what was saved.
                if saved && !effects.iter().any(|e| matches!(e, MetadataEffect::Quit)) {
                    self.metadata_effects(effects);
                    return self.recompose(renames, false, (true, false));
                }
                effects
            }
            metadata::Want::Impact => shop.desk.impact(answer.and_then(request::Impact::reply)),
            metadata::Want::Terms(name) => {
                let terms = answer.and_then(request::Terms::reply);
                shop.vocabulary.take_terms(&name, terms)
            }
        };
        effects.extend(match self.at {
            PaneId::Vocabulary => shop.vocabulary.refreshed(&mut shop.desk),
            PaneId::Templates => shop.templates.refreshed(&mut shop.desk),
            _ => vec![],
        });
        self.metadata_effects(effects);
    }

    pub(super) fn coverage_answered(&mut self, want: coverage::Want, answer: Result<AnyReply>) {
        let pane = &mut self.shop.coverage;
        match want {
            coverage::Want::Grid(rows, columns) => {
                let grid = answer.and_then(request::Grid::reply);
                pane.take_grid(&rows, &columns, grid);
            }
            coverage::Want::Failing => {
                pane.take_failing(answer.and_then(request::Failing::reply));
            }
            coverage::Want::Count(terms) => {
                let count = answer.and_then(request::Discard::reply);
                let effects = pane.take_count(&terms, count);
                self.coverage_effects(effects);
            }
        }
    }

    /// The metadata changed on disk.
    pub(super) fn metadata_changed(&mut self) {
        // Whether the item on screen is stale may be another answer now.
        if let Some(number) = self.review.number().filter(|_| self.at == PaneId::Review) {
            let effects = self.review.changed(number);
            self.carry_out(effects);
        }
        if *self.shop.desk.phase() == Phase::Ready {
            let effects = self.shop.desk.read();
            self.metadata_effects(effects);
        }
    }

    /// Items or verdicts changed: what is counted is counted again.
    pub(super) fn workshop_recount(&mut self) {
        match self.at {
            PaneId::Vocabulary => {
                let effects = self.shop.vocabulary.changed();
                self.metadata_effects(effects);
            }
            PaneId::Coverage => {
                let effects = self.shop.coverage.start();
                self.coverage_effects(effects);
            }
            _ => {}
        }
    }

    pub(super) fn metadata_chosen(&mut self, purpose: &metadata::ChoiceFor, pick: usize) {
        let shop = &mut self.shop;
        let effects = shop
            .desk
            .chosen(purpose, pick)
            .or_else(|| shop.vocabulary.chosen(purpose, pick, &mut shop.desk))
            .or_else(|| shop.templates.chosen(purpose, pick, &mut shop.desk));
        self.metadata_effects(effects.unwrap_or_default());
    }

    pub(super) fn metadata_typed(&mut self, purpose: &metadata::TextFor, text: &str) {
        let shop = &mut self.shop;
        let effects = match self.at {
            PaneId::Templates => shop.templates.typed(purpose, text, &mut shop.desk),
            _ => shop.vocabulary.typed(purpose, text, &mut shop.desk),
        };
        self.metadata_effects(effects);
    }
}

/// The terms that the edits of this session give another name.
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

pub(super) fn menu(title: String, lines: Vec<(String, String)>) -> Menu {
    let long = lines.len() > 8;
    let menu = Menu::new(
        title,
        lines
            .into_iter()
            .map(|(label, help)| Choice::new(label).help(help))
            .collect(),
    );
    if long { menu.filtering() } else { menu }
}
