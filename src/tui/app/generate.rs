//! Connects the generate pane to the program.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::panes::generate::{self, GenerateEffect};
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::Result;
use benchtop_protocol::wire::{AnyReply, Request, request};

/// Interval of gauge readings while a job runs.
const GAUGES_MS: u64 = 1_000;

impl App {
    pub(super) fn go_generate(&mut self) {
        self.at = PaneId::Generate;
        let effects = self.generate.start();
        self.generate_effects(effects);
    }

    /// Reads the gauges once a second while a job runs and the pane is on screen.
    pub(super) fn watch_gauges(&mut self) {
        let watching = self.at == PaneId::Generate && self.generate.has_running_job();
        self.gauges_at = match (watching, self.gauges_at) {
            (true, None) => Some(self.now() + GAUGES_MS),
            (true, at) => at,
            (false, _) => None,
        };
    }

    pub(super) fn read_gauges(&mut self) {
        self.gauges_at = None;
        if self.at == PaneId::Generate {
            let effect = self.generate.poll();
            self.generate_effects(vec![effect]);
        }
    }

    pub(super) fn generate_effects(&mut self, effects: Vec<GenerateEffect>) {
        for effect in effects {
            // Questions and messages respond to a key.
            self.urgent |= !matches!(effect, GenerateEffect::Ask(..));
            match effect {
                GenerateEffect::Ask(want, ask) => self.link.ask(Pending::Generate(want), ask),
                GenerateEffect::AskText {
                    purpose,
                    label,
                    text,
                } => {
                    let prompt = Prompt::new(label, text, Vec::new());
                    self.overlay = Some(Overlay::Prompt(PromptFor::Generate(purpose), prompt));
                }
                GenerateEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    self.overlay = Some(Overlay::Menu(
                        MenuFor::Generate(purpose),
                        super::metadata::menu(title, lines),
                    ));
                }
                GenerateEffect::Item(number) => {
                    self.go_review();
                    self.go_to_item(number);
                    self.opened_in(PaneId::Generate);
                }
                GenerateEffect::Done(said) => self.say(Toast::done(said)),
                GenerateEffect::Say(said) => self.say(Toast::info(said)),
                GenerateEffect::Refuse(why) => self.say(Toast::warning(why)),
                GenerateEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    pub(super) fn generate_answered(&mut self, want: generate::ReplyFor, answer: Result<AnyReply>) {
        let pane = &mut self.generate;
        let effects = match want {
            generate::ReplyFor::Jobs => {
                pane.on_jobs(answer.and_then(request::Jobs::reply));
                vec![]
            }
            generate::ReplyFor::Devices => {
                // On an error the gauges keep their values.
                if let Ok(devices) = answer.and_then(request::Devices::reply) {
                    pane.on_devices(devices);
                }
                vec![]
            }
            generate::ReplyFor::Act => match answer.and_then(request::JobAct::reply) {
                Ok(job) => job.map_or_else(Vec::new, |job| pane.on_job(job)),
                Err(problem) => return self.say(Toast::from(&problem)),
            },
            generate::ReplyFor::Failures(id) => {
                let list = answer.and_then(request::JobFailures::reply);
                pane.on_failures(id, list);
                vec![]
            }
            generate::ReplyFor::Count(job) => {
                let count = answer.and_then(request::Generate::reply);
                pane.on_count(*job, count)
            }
            generate::ReplyFor::Begun => pane.on_started(answer.and_then(request::Generate::reply)),
        };
        self.generate_effects(effects);
        self.watch_gauges();
    }
}
