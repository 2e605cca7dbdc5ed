//! Connects the filters pane to the program.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::pane::{Notice, Target};
use crate::panes::filters::{self, FiltersEffect};
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_files::regular;
use benchtop_model::Result;
use benchtop_model::scoring::job::ScoringState;
use benchtop_protocol::wire::{AnyReply, Request, request};

/// Interval of background recounts while a job scores or people judge.
const RESCORE_MS: u64 = 1_000;
/// The file with the rules.
const PROJECT_FILE: &str = "benchtop.toml";

impl App {
    pub(super) fn go_filters(&mut self) {
        self.at = PaneId::Filters;
        let effects = self.filters.start();
        self.filters_effects(effects);
    }

    /// Schedules a recount after new scores or verdicts, if the pane is on screen.
    pub(super) fn count_scores_soon(&mut self) {
        if self.at == PaneId::Filters && self.rescore_at.is_none() {
            self.rescore_at = Some(self.now() + RESCORE_MS);
        }
    }

    pub(super) fn count_scores(&mut self) {
        self.rescore_at = None;
        if self.at == PaneId::Filters {
            let effects = self.filters.refresh();
            self.filters_effects(effects);
        }
    }

    /// Progress of a scoring job.
    pub(super) fn scoring_progressed(&mut self, job: ScoringState) {
        self.notify(Notice::Scoring(&job));
        if self.at != PaneId::Filters {
            return;
        }
        let effects = self.filters.on_scoring(job);
        if effects.is_empty() {
            self.count_scores_soon();
        }
        self.filters_effects(effects);
    }

    /// The rules changed, and with them the outcomes of items in the review.
    pub(super) fn rules_changed(&mut self) {
        self.notify(Notice::Rules);
        if self.at == PaneId::Filters {
            let effects = self.filters.rules_changed();
            self.filters_effects(effects);
        }
    }

    pub(super) fn filters_effects(&mut self, effects: Vec<FiltersEffect>) {
        for effect in effects {
            // Questions and messages respond to a key.
            self.urgent |= !matches!(effect, FiltersEffect::Ask(..));
            match effect {
                FiltersEffect::Ask(want, ask) => self.link.ask(Pending::Filters(want), ask),
                FiltersEffect::AskText {
                    purpose,
                    label,
                    text,
                } => {
                    let prompt = Prompt::new(label, text, Vec::new());
                    self.overlay = Some(Overlay::Prompt(PromptFor::Filters(purpose), prompt));
                }
                FiltersEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    self.overlay = Some(Overlay::Menu(
                        MenuFor::Filters(purpose),
                        crate::pane::menu(title, lines),
                    ));
                }
                FiltersEffect::Item(number) => {
                    self.show(PaneId::Review, Target::Item(number), PaneId::Filters);
                }
                FiltersEffect::Filter(words) => self.show_items(&words, PaneId::Filters),
                FiltersEffect::EditRules(line) => self.edit_rules(line),
                FiltersEffect::Done(said) => self.say(Toast::done(said)),
                FiltersEffect::Say(said) => self.say(Toast::info(said)),
                FiltersEffect::Refuse(why) => self.say(Toast::warning(why)),
                FiltersEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    /// Opens the project file at the error, at its rules, or at its end.
    fn edit_rules(&mut self, line: Option<u32>) {
        let path = self.welcome.root.join(PROJECT_FILE);
        match regular::read_text(&path, regular::SETTINGS_LIMIT) {
            Ok(text) => {
                let at = text
                    .lines()
                    .position(|l| l.trim_start().starts_with("[[rules]]"));
                let at = at.unwrap_or_else(|| text.lines().count().saturating_sub(1));
                let line = line.unwrap_or_else(|| u32::try_from(at + 1).unwrap_or(1));
                self.edit = Some((path, line));
            }
            Err(problem) => {
                let what = format!("cannot edit the rules: {}", problem.what);
                self.say(Toast::from(&benchtop_model::Error { what, ..problem }));
            }
        }
    }

    pub(super) fn filters_answered(&mut self, want: filters::ReplyFor, answer: Result<AnyReply>) {
        use filters::ReplyFor as W;
        // A moved threshold needs an immediate frame; job progress does not.
        self.urgent |= !matches!(want, W::Scorers);
        let pane = &mut self.filters;
        let effects = match want {
            W::Scorers => pane.on_scorers(answer.and_then(request::Scorers::reply)),
            W::Bench(asked) => pane.on_bench(*asked, answer.and_then(request::Bench::reply)),
            W::Rules => pane.on_rules(answer.and_then(request::Rules::reply)),
            W::Try(of) => pane.on_diff(of, answer.and_then(request::TryRules::reply)),
            W::Applied => pane.on_applied(answer.and_then(request::ApplyRules::reply)),
            W::Reverted => pane.on_reverted(answer.and_then(request::RevertRules::reply)),
            W::Count(job) => pane.on_count(*job, answer.and_then(request::Score::reply)),
            W::Begun => pane.on_started(answer.and_then(request::Score::reply)),
            W::Act => match answer.and_then(request::JobAct::reply) {
                Ok(job) => job
                    .and_then(|job| job.scoring)
                    .map_or_else(Vec::new, |job| pane.on_scoring(*job)),
                Err(problem) => return self.say(Toast::from(&problem)),
            },
        };
        self.filters_effects(effects);
    }
}
