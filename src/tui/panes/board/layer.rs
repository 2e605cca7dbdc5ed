//! The views over the leaderboard.

use std::any::Any;
use std::fmt;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::kind::Kind;
use super::label_target::LabelTarget;
use crate::action::{Action, Scope};
use crate::pane::Scene;
use crate::widgets::page::Page;
use crate::widgets::table::{Answer, FrequencyEffect, FrequencyView, LocalTable, TableEffect};

/// What a view asks of the pane after an action.
#[derive(Debug)]
pub(super) enum LayerEffect {
    /// Show the answers of this model behind this column.
    Drilldown { model: String, column: String },
    /// Show all answers to the question of this item, with the cursor on this model.
    Question { item: String, model: String },
    /// Show the next answer of the list below this view (`true`) or the previous one.
    Step(bool),
    /// Ask what to break these models down by.
    BreakDown(Vec<String>),
    /// Ask for models beside these, then show the breakdown, or ask for one.
    AddModels { to: Vec<String>, by: Option<Kind> },
    /// Compare these models by a column.
    Compare { models: [String; 2], column: String },
    /// Ask for the label of the error in this answer.
    Label(LabelTarget),
    /// Review this item.
    Item(u32),
    /// Open the item list with this filter.
    Items(String),
    /// Show this view over this one.
    Open(Box<dyn Layer>),
    /// Close this view and go to a column of the table below.
    Column(usize),
    /// What a frequency table asks of the table below.
    Frequency(FrequencyEffect),
    /// The result of a table action.
    Table(Answer),
}

impl LayerEffect {
    pub(super) fn refuse(why: impl Into<String>) -> LayerEffect {
        LayerEffect::Table(Answer::Effect(TableEffect::Refuse(why.into())))
    }
}

/// A view over the leaderboard, such as a breakdown or the answers behind a cell.
pub(super) trait Layer: Any + fmt::Debug {
    /// The scopes with live keys, nearest first.
    fn scopes(&self) -> &'static [Scope] {
        &[Scope::Table, Scope::Global]
    }

    /// The table that gets the keys. `None` on a page.
    fn table_mut(&mut self) -> Option<&mut LocalTable>;

    fn act(&mut self, action: Action) -> Vec<LayerEffect> {
        self.act_on_table(action)
    }

    /// Runs an action of the table. Enter opens a row.
    fn act_on_table(&mut self, action: Action) -> Vec<LayerEffect> {
        let answers = self.table_mut().map(|table| table.act(action));
        let effect = |answer| match answer {
            Answer::Effect(TableEffect::Open { id, .. }) => {
                self.open(usize::try_from(id).unwrap_or(usize::MAX))
            }
            other => LayerEffect::Table(other),
        };
        answers.into_iter().flatten().map(effect).collect()
    }

    /// What enter does on a row of the table.
    fn open(&self, _row: usize) -> LayerEffect {
        LayerEffect::refuse("nothing to open")
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>);
}

impl dyn Layer {
    /// The view, if it is of this type.
    pub(super) fn of<T: Layer>(&self) -> Option<&T> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }

    /// The view, if it is of this type.
    pub(super) fn of_mut<T: Layer>(&mut self) -> Option<&mut T> {
        let any: &mut dyn Any = self;
        any.downcast_mut()
    }
}

impl Layer for Page {
    fn scopes(&self) -> &'static [Scope] {
        &[Scope::Overlay, Scope::Table, Scope::Global]
    }

    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        None
    }

    fn act(&mut self, action: Action) -> Vec<LayerEffect> {
        Page::act(self, action);
        Vec::new()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        Page::draw(self, area, buf, scene.look);
    }
}

impl Layer for FrequencyView {
    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        Some(FrequencyView::table_mut(self))
    }

    fn act(&mut self, action: Action) -> Vec<LayerEffect> {
        let effects = FrequencyView::act(self, action);
        effects.into_iter().map(LayerEffect::Frequency).collect()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        FrequencyView::draw(self, area, buf, scene.look);
    }
}

/// Summaries of the columns.
impl Layer for LocalTable {
    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        Some(self)
    }

    fn open(&self, row: usize) -> LayerEffect {
        LayerEffect::Column(row)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        LocalTable::draw(self, area, buf, scene.look);
    }
}
