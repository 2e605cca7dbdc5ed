//! The home pane: how far the items are, what to do next, jobs, and what others did. In an empty
//! project, it offers ways to begin.

mod begin;
mod draw;
mod rows;
mod sample;

use std::time::SystemTime;

use benchtop_model::Result;
use benchtop_model::home::{Home, ItemList, NextStep};
use benchtop_model::job::JobState;
use benchtop_protocol::wire::request;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rows::{Block, Link};

use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use crate::pane::{Ask, Context, Notice, Pane, PaneId, Scene, Target};

/// The home pane.
#[derive(Debug, Default)]
pub struct HomePane {
    /// Items in the project.
    items: u32,
    who: String,
    /// Start of the session, in milliseconds since 1970.
    started: i64,
    home: Option<Result<Home>>,
    jobs: Vec<JobState>,
    /// The lines, in the order of the cursor.
    blocks: Vec<Block>,
    /// Line and link under the cursor, among the lines with links.
    cursor: (usize, usize),
}

impl HomePane {
    fn load(&self, cx: &mut Context<'_>) {
        // The first answer comes at once. Later ones replace numbers that are shown meanwhile.
        self.ask_counts(self.home.is_some(), cx);
        cx.ask(request::Jobs, |pane: &mut Self, jobs, cx| {
            pane.jobs = cx.ok_or_show(jobs).unwrap_or_default();
            pane.rebuild();
        });
    }

    fn ask_counts(&self, wait: bool, cx: &mut Context<'_>) {
        cx.cancel("home");
        let ask = request::Home {
            before: self.started,
            wait,
        };
        let then = |pane: &mut Self, home: Result<Home>, cx: &mut Context<'_>| {
            let is_pending = home.as_ref().is_ok_and(|home| !home.pending.is_empty());
            pane.home = Some(home);
            pane.rebuild();
            if is_pending {
                pane.ask_counts(true, cx);
            }
        };
        cx.send(Ask::new(ask, then).named("home"));
    }

    fn rebuild(&mut self) {
        // The cursor stays on its link, or on the first line, which shows the next step.
        let chosen = self.link().filter(|_| self.cursor != (0, 0));
        if let Some(Ok(home)) = &self.home {
            self.blocks = rows::blocks(home, &self.jobs, &self.who);
        }
        let is_elsewhere = |link: &Link| self.link().as_ref() != Some(link);
        let moved = chosen.filter(is_elsewhere);
        if let Some(place) = moved.and_then(|link| self.place(&link)) {
            self.cursor = place;
        }
        self.move_cursor(0, 0);
    }

    /// Where a link is, as a place of the cursor.
    fn place(&self, link: &Link) -> Option<(usize, usize)> {
        let mut lines = self.links().into_iter().enumerate();
        lines.find_map(|(line, links)| {
            let column = links.iter().position(|shown| *shown == link)?;
            Some((line, column))
        })
    }

    /// The lines that the cursor can be on: the links of each.
    fn links(&self) -> Vec<Vec<&Link>> {
        let lines = self.blocks.iter().flat_map(|block| &block.lines);
        let links = lines.map(|line| line.links().collect::<Vec<_>>());
        links.filter(|links| !links.is_empty()).collect()
    }

    fn link(&self) -> Option<Link> {
        let links = self.links();
        let line = links.get(self.cursor.0)?;
        line.get(self.cursor.1.min(line.len() - 1))
            .map(|link| (*link).clone())
    }

    fn move_cursor(&mut self, down: isize, right: isize) {
        let links = self.links();
        let last = links.len().saturating_sub(1);
        let line = self.cursor.0.saturating_add_signed(down).min(last);
        let width = links.get(line).map_or(0, |line| line.len() - 1);
        let column = self.cursor.1.min(width).saturating_add_signed(right);
        self.cursor = (line, column.min(width));
    }

    fn open_link(&mut self, cx: &mut Context<'_>) {
        let Some(link) = self.link() else {
            return cx.refuse("nothing to open yet");
        };
        match link {
            Link::Items(filter) => cx.open(Target::Items(filter)),
            Link::Pane(pane) => cx.open(Target::Pane(pane)),
            Link::Step(step) => self.take(step, cx),
            Link::RemoveSample => sample::count::<Self>(cx),
        }
    }

    /// Does a next step, or says how.
    fn take(&mut self, step: NextStep, cx: &mut Context<'_>) {
        match step {
            NextStep::AddItems => begin::import(None, cx),
            NextStep::JudgeRound(name) => open_round(name, cx),
            NextStep::Settle(_) => cx.open(Target::Pane(PaneId::Adjudicate)),
            NextStep::Generate => cx.open(Target::Pane(PaneId::Generate)),
            NextStep::ReviewFlagged => {
                cx.open(Target::Items(ItemList::Flagged.filter(&self.who)));
            }
            NextStep::Judge => cx.open(Target::Review),
            NextStep::Board => cx.open(Target::Pane(PaneId::Board)),
            NextStep::Evaluate => {
                cx.open(Target::Form(
                    PaneId::Evaluate,
                    Some("status:accepted".into()),
                ));
            }
            NextStep::Export => {
                cx.open(Target::Form(PaneId::Export, Some("status:accepted".into())));
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.items == 0
    }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Works on a round, if it still exists.
fn open_round(name: String, cx: &mut Context<'_>) {
    cx.ask_now(request::Rounds, move |_: &mut HomePane, rounds, cx| {
        let Some(rounds) = cx.ok_or_show(rounds) else {
            return;
        };
        match rounds.into_iter().find(|round| round.name == name) {
            Some(round) => cx.open(Target::Round(Box::new(round))),
            None => cx.refuse(format!("the round `{name}` no longer exists")),
        }
    });
}

impl Pane for HomePane {
    fn help(&self, keys: &Keymap) -> String {
        format!(
            "How many items each step has reached, what to do next, jobs, and what others did. {} opens what a line \
             is about.",
            keys.press(Action::Open)
        )
    }

    fn bar(&self) -> Option<&'static [Scope]> {
        Some(&[Scope::Home, Scope::Global])
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.who = cx.env.who.to_string();
        if !self.is_empty() {
            self.load(cx);
        }
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::Back => cx.quit(),
            Action::Down => self.move_cursor(1, 0),
            Action::Up => self.move_cursor(-1, 0),
            Action::Left => self.move_cursor(0, -1),
            Action::Right => self.move_cursor(0, 1),
            Action::Top => self.cursor = (0, 0),
            Action::Bottom => self.move_cursor(isize::MAX / 2, 0),
            Action::Open if self.is_empty() => begin::import(None, cx),
            Action::Open => self.open_link(cx),
            Action::Sample if self.is_empty() => sample::add::<Self>(cx),
            Action::Sample => {
                cx.say("the project is not empty; `benchtop sample` adds the items of the sample");
            }
            Action::RemoveSample => sample::count::<Self>(cx),
            Action::ComposeDrafts if self.is_empty() => begin::compose(cx),
            Action::ComposeDrafts => {
                cx.refuse("the project is not empty; `benchtop compose` adds questions");
            }
            Action::ImportFiles => begin::import(None, cx),
            Action::Find => cx.open(Target::Pane(PaneId::List)),
            other => cx.refuse(format!("`{}` does nothing here", other.name())),
        }
    }

    fn paste(&mut self, pasted: &str, cx: &mut Context<'_>) {
        begin::import(Some(pasted.trim().to_string()), cx);
    }

    fn pastes(&self) -> bool {
        true
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Started { items, .. } => {
                self.items = items;
                self.started = now();
                self.open(cx);
            }
            Notice::Items(items) => {
                let began = self.is_empty() && items > 0;
                self.items = items;
                if cx.env.is_shown || began {
                    self.open(cx);
                }
            }
            Notice::Job(job) => {
                match self.jobs.iter_mut().find(|own| own.id == job.id) {
                    Some(own) => *own = job.clone(),
                    None => self.jobs.push(job.clone()),
                }
                self.rebuild();
            }
            Notice::JobRemoved(id) => {
                self.jobs.retain(|job| job.id != id);
                self.rebuild();
            }
            Notice::Recount | Notice::Rounds | Notice::Rules | Notice::Reconnected
                if cx.env.is_shown =>
            {
                self.open(cx);
            }
            _ => {}
        }
    }

    fn is_home(&self) -> bool {
        true
    }

    fn shows_progress(&self) -> bool {
        self.jobs.iter().any(|job| job.standing.is_active())
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        // It offers ways to begin.
        false
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        if self.is_empty() {
            begin::draw(area, buf, scene);
        } else {
            self.draw_home(area, buf, scene);
        }
        None
    }
}

#[cfg(test)]
mod tests;
