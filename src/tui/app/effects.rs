//! Carries out the effects of the item list.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::panes::list::ListEffect;
use crate::panes::review::Queue;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::table::{CopyFormat, CopyWhat, ask};
use crate::widgets::text;
use crate::widgets::toast::Toast;
use benchtop_model::{Field, Filter};
use benchtop_protocol::wire::request;

impl App {
    pub(super) fn list_effects(&mut self, effects: Vec<ListEffect>) {
        for effect in effects {
            match effect {
                ListEffect::Ask(want, ask) => self.link.ask(Pending::List(want), ask),
                ListEffect::Open {
                    number,
                    filter,
                    sort,
                } => {
                    self.leave_round();
                    (self.at, self.back_to) = (PaneId::Review, Some(PaneId::List));
                    self.painted = None;
                    if filter.is_empty() && sort.is_empty() {
                        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
                        let effects = self.review.set_queue(Queue::all(items), Some(number));
                        self.carry_out(effects);
                    } else {
                        self.ask_now(
                            Pending::Queue(filter.to_text(), Some(number)),
                            request::Numbers(filter, sort),
                        );
                    }
                }
                ListEffect::JudgeAll(filter) => self.ask_bulk(filter),
                ListEffect::Copy { text, rows } => self.copy(&text, &format!("{rows} rows")),
                ListEffect::AskRegex { column, on } => self.ask_regex(column, on),
                ListEffect::AskColumn(names) => self.ask_column(names),
                ListEffect::AskCopy(what) => self.ask_copy(what),
                ListEffect::AskFind(words) => self.ask_find(words),
                ListEffect::AskValue { field, choices } => self.ask_value(field, choices),
                ListEffect::Say(said) | ListEffect::Refuse(said) => self.say(Toast::info(said)),
                ListEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    /// Shows the item list with this filter.
    pub(super) fn show_items(&mut self, words: &str) {
        match Filter::parse(words) {
            Ok(_) => {
                self.go_list();
                match self.list.find(words) {
                    Ok(effects) => self.list_effects(effects),
                    Err(problem) => self.say(Toast::from(&problem)),
                }
            }
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    fn ask_regex(&mut self, column: usize, on: bool) {
        let purpose = PromptFor::Regex { column, on };
        self.overlay = Some(Overlay::Prompt(purpose, ask::regex(on)));
    }

    fn ask_column(&mut self, names: Vec<String>) {
        self.overlay = Some(Overlay::Menu(MenuFor::Column, ask::column(names)));
    }

    fn ask_copy(&mut self, what: CopyWhat) {
        let menu = ask::copy_format(&what);
        let formats = CopyFormat::ALL.to_vec();
        self.overlay = Some(Overlay::Menu(MenuFor::Copy(what, formats), menu));
    }

    pub(super) fn ask_value(&mut self, field: Field, choices: Vec<(String, u64)>) {
        let shown = |(value, n): &(String, u64)| {
            let label = if value.is_empty() {
                "(none)".to_string()
            } else {
                value.clone()
            };
            Choice::new(label).help(text::grouped(*n))
        };
        let menu = Menu::new(
            format!("filter by {}", field.name()),
            choices.iter().map(shown).collect(),
        )
        .filtering();
        let values = choices.into_iter().map(|(value, _)| value).collect();
        self.overlay = Some(Overlay::Menu(MenuFor::Value(field, values), menu));
    }
}
