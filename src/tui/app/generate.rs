//! The generate pane: what joins it to the program.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::model::Result;
use crate::owner::wire::Response;
use crate::tui::panes::generate::{self, GenerateEffect};
use crate::tui::widgets::prompt::Prompt;
use crate::tui::widgets::toast::Toast;

/// Time between two readings of the gauges while a job is at work.
const GAUGES_MS: u64 = 1_000;

impl App {
    pub(super) fn go_generate(&mut self) {
        self.at = PaneId::Generate;
        let effects = self.generate.start();
        self.generate_effects(effects);
    }

    /// While a job is at work and the pane is shown, the gauges are read once a second; otherwise not at all.
    pub(super) fn watch_gauges(&mut self) {
        let watching = self.at == PaneId::Generate && self.generate.at_work();
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
            // What is asked or said answers a key.
            self.urgent |= !matches!(effect, GenerateEffect::Ask(..));
            match effect {
                GenerateEffect::Ask(want, ask) => self.link.ask(Pending::Generate(want), ask),
                GenerateEffect::AskText { purpose, label, text } => {
                    let prompt = Prompt::new(label, text, Vec::new());
                    self.overlay = Some(Overlay::Prompt(PromptFor::Generate(purpose), prompt));
                }
                GenerateEffect::AskChoice { purpose, title, lines } => {
                    self.overlay = Some(Overlay::Menu(MenuFor::Generate(purpose), super::metadata::menu(title, lines)));
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

    pub(super) fn generate_answered(&mut self, want: generate::Want, answer: Result<Response>) {
        use super::metadata::part;
        let pane = &mut self.generate;
        let effects = match want {
            generate::Want::Jobs => {
                pane.take_jobs(part(answer, |a| if let Response::Jobs(jobs) = a { Some(jobs) } else { None }));
                vec![]
            }
            generate::Want::Devices => {
                // Without an answer the gauges stay as they were.
                if let Ok(Response::Devices(devices)) = answer {
                    pane.take_devices(*devices);
                }
                vec![]
            }
            generate::Want::Act => match answer {
                Ok(Response::Job(job)) => pane.take_job(*job),
                Ok(_) => vec![],
                Err(problem) => return self.say(Toast::from(&problem)),
            },
            generate::Want::Failures(id) => {
                let list = part(answer, |a| if let Response::JobFailures(list) = a { Some(list) } else { None });
                pane.take_failures(id, list);
                vec![]
            }
            generate::Want::Count(job) => {
                let count = part(answer, |a| if let Response::Begun(begun) = a { Some(*begun) } else { None });
                pane.take_count(*job, count)
            }
            generate::Want::Begun => {
                pane.take_begun(part(answer, |a| if let Response::Begun(begun) = a { Some(*begun) } else { None }))
            }
        };
        self.generate_effects(effects);
        self.watch_gauges();
    }
}
