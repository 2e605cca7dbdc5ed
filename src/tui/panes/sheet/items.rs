//! The items of the sheet: the review's queue or a filter, and loading them.

use std::collections::HashSet;

use super::SheetPane;
use super::arrangement::Arranged;
use super::grid::{Grid, MOST};
use super::place::Place;
use crate::item::Loaded;
use crate::pane::{Ask, Context};
use crate::panes::review::queue::Queue;
use crate::widgets::prompt::Prompt;
use crate::widgets::text::counted;
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::{ItemView, request};

/// Requests for a queue or a place in it.
pub(super) const QUEUE: &str = "queue";
/// The greatest number of items to look for one without a verdict.
const SEARCHED: usize = 500_000;
/// Sheets of items kept in memory before and after the one on screen.
const KEPT: usize = 2;

impl SheetPane {
    /// The grid of the last frame.
    pub(super) fn grid(&self) -> Grid {
        Grid::nearest(&self.grids(), self.height, self.len())
    }

    /// What a scenario made, if that is on screen.
    pub(super) fn rows(&self) -> Option<&Arranged> {
        self.arranged.as_ref().filter(|_| self.samples.is_none())
    }

    /// The grids that fit.
    pub(super) fn grids(&self) -> Vec<Grid> {
        let area = self.room(self.area).0;
        match self.rows() {
            Some(rows) => Grid::tables(rows.arrangement.width(), rows.inner(area)),
            None => Grid::options(area),
        }
    }

    /// The number of pictures in the list that is shown.
    fn len(&self) -> usize {
        let samples = self.samples.as_ref();
        samples.map_or(self.queue.len(), |samples| samples.list().len())
    }

    /// Pictures of a sheet. Before the first frame, the most that one can have.
    pub(super) fn page(&self) -> usize {
        match self.area.is_empty() {
            true => MOST,
            false => self.grid().count(),
        }
    }

    /// The items on the sheet, each once.
    pub(super) fn on_sheet(&self) -> Vec<u32> {
        let mut seen = HashSet::new();
        let mut found: Vec<u32> = self.cells().into_iter().flatten().collect();
        found.retain(|number| seen.insert(*number));
        found
    }

    /// The places of the sheet with their items. Only rows have places without an item.
    pub(super) fn cells(&self) -> Vec<Option<u32>> {
        let sheet = self.place.sheet(self.queue.len(), self.page());
        sheet.map(|at| self.queue.number(at)).collect()
    }

    /// The item under the cursor.
    pub(super) fn number(&self) -> Option<u32> {
        self.queue.number(self.place.cursor)
    }

    pub(super) fn loaded(&self, number: u32) -> Option<&Loaded> {
        self.items.get(&number)?.as_ref().ok()
    }

    /// Shows the items of the review. Stays on its sheet if that has the current item.
    pub(super) fn follow(&mut self, queue: Queue, number: Option<u32>, cx: &mut Context<'_>) {
        let position = number.and_then(|n| queue.position(n)).unwrap_or(0);
        let same = self.ready && self.queue == queue;
        let sheet = self.place.sheet(self.queue.len(), self.page());
        self.own = false;
        if same && sheet.contains(&position) {
            self.place.cursor = position;
            return self.fetch(cx);
        }
        self.set_queue(queue, position, cx);
    }

    fn set_queue(&mut self, queue: Queue, position: usize, cx: &mut Context<'_>) {
        (self.arranged, self.search) = (None, None);
        self.enter(queue, position, cx);
    }

    /// Shows a position of another queue.
    pub(super) fn enter(&mut self, queue: Queue, position: usize, cx: &mut Context<'_>) {
        self.ready = true;
        self.queue = queue;
        self.selected.clear();
        self.place = Place::at(position, self.page());
        self.fetch(cx);
    }

    /// Requests the items of this sheet and the next one that are missing.
    pub(super) fn fetch(&mut self, cx: &mut Context<'_>) {
        let (top, page) = (self.place.top, self.page());
        let queue = &self.queue;
        let numbers =
            |from: usize, to: usize| (from..to.min(queue.len())).filter_map(|at| queue.number(at));
        if self.items.len() > 4 * KEPT * MOST {
            let (from, to) = (top.saturating_sub(KEPT * page), top + (KEPT + 1) * page);
            let kept: HashSet<u32> = numbers(from, to).collect();
            self.items.retain(|number, _| kept.contains(number));
        }
        let missing: Vec<u32> = numbers(top, top + 2 * page)
            .filter(|number| !self.items.contains_key(number) && !self.asked.contains(number))
            .collect();
        for number in missing {
            self.ask_item(number, cx);
        }
    }

    pub(super) fn ask_item(&mut self, number: u32, cx: &mut Context<'_>) {
        self.asked.insert(number);
        cx.ask(request::Item(number), move |pane: &mut Self, view, _| {
            pane.on_item(number, view);
        });
    }

    fn on_item(&mut self, number: u32, view: Result<ItemView>) {
        self.asked.remove(&number);
        let loaded = view.map_err(|p| p.to_string()).and_then(Loaded::from_view);
        self.items.insert(number, loaded);
    }

    /// Requests a changed item again. The old version stays on the screen until then.
    pub(super) fn changed(&mut self, number: u32, cx: &mut Context<'_>) {
        if self.on_sheet().contains(&number) {
            self.ask_item(number, cx);
        } else {
            self.items.remove(&number);
        }
    }

    /// Requests all items again.
    pub(super) fn refresh(&mut self, cx: &mut Context<'_>) {
        let sheet = self.on_sheet();
        self.asked.clear();
        self.items.retain(|number, _| sheet.contains(number));
        for number in sheet {
            self.ask_item(number, cx);
        }
        self.fetch(cx);
    }

    /// Asks for a filter. An empty one shows the review's items again.
    pub(super) fn ask_filter(&mut self, cx: &mut Context<'_>) {
        let words = self.queue.words.clone();
        let prompt = Prompt::new("pictures of", words, cx.env.history.to_vec());
        cx.prompt(prompt, |pane: &mut Self, words, cx| {
            cx.searched(words);
            match Filter::parse(words) {
                Ok(filter) if filter.is_empty() => {
                    let queue = Queue::all(pane.queue.items());
                    pane.own = true;
                    pane.set_queue(queue, 0, cx);
                }
                Ok(filter) => pane.find(words.trim().to_string(), filter, cx),
                Err(problem) => return Err(problem.to_string().replace('\n', ";")),
            }
            Ok(())
        });
    }

    fn find(&self, words: String, filter: Filter, cx: &mut Context<'_>) {
        let then = move |pane: &mut Self, numbers, cx: &mut Context<'_>| {
            let Some(numbers) = cx.ok_or_show::<Vec<u32>>(numbers) else {
                return;
            };
            if numbers.is_empty() {
                return cx.say(format!("no items match `{words}`; the sheet is unchanged"));
            }
            let found = counted(numbers.len() as u64, "item");
            cx.say(format!("{found} for `{words}`"));
            pane.own = true;
            let queue = Queue::of(words, numbers, pane.queue.items());
            pane.set_queue(queue, 0, cx);
        };
        let ask = Ask::new(request::Numbers(filter, Vec::new()), then);
        cx.send(ask.named(QUEUE).for_key());
    }

    /// Goes to the next sheet with an item without a verdict.
    pub(super) fn next_pending(&mut self, cx: &mut Context<'_>) {
        let last = self.place.sheet(self.queue.len(), self.page()).end;
        let rest = self.queue.from(last.saturating_sub(1), SEARCHED);
        let then = |pane: &mut Self, found, cx: &mut Context<'_>| match cx.ok_or_show(found) {
            Some(Some(number)) => {
                let position = pane.queue.position(number).unwrap_or(0);
                pane.go(position, cx);
            }
            Some(None) => cx.done("no unjudged items in this queue"),
            None => {}
        };
        let ask = Ask::new(request::FirstPending(rest), then);
        cx.send(ask.named(QUEUE).for_key());
    }

    /// Goes to a position of the queue.
    pub(super) fn go(&mut self, position: usize, cx: &mut Context<'_>) {
        let page = self.page();
        let sheet = self.place.sheet(self.queue.len(), page);
        if sheet.contains(&position) {
            self.place.cursor = position;
        } else {
            self.place = Place::at(position, page);
        }
        self.fetch(cx);
    }
}
