//! Drawing of the vocabulary pane. The preview is on the right of wide terminals and below on
//! narrow ones.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Area, VocabularyPane};
use crate::action::Action;
use crate::hits::steps;
use crate::panes::metadata::{EditSession, Phase, Side, draw};
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::table::draw::draw_empty;
use crate::widgets::text;
use benchtop_compose::metadata::{STYLE, file_of};
use benchtop_model::{Finding, Severity};

/// The least width with the preview on the right.
const WIDE: u16 = 120;
/// Width of the list of vocabularies.
const NAMES: u16 = 20;

struct Parts {
    banner: Rect,
    names: Rect,
    terms: Rect,
    side: Rect,
}

fn parts(area: Rect, side: Side) -> Parts {
    let (banner, body) = areas::top(area, 1);
    let (main, side) = match side {
        Side::Nothing => (body, Rect::default()),
        _ if area.width >= WIDE => areas::left(body, area.width - area.width * 2 / 5 - 1, 1),
        _ => {
            let below = (body.height * 2 / 5).max(4).min(body.height);
            areas::top(body, body.height - below)
        }
    };
    let (names, terms) = areas::left(main, NAMES.min(main.width / 3), 1);
    Parts {
        banner,
        names,
        terms,
        side,
    }
}

impl VocabularyPane {
    pub(super) fn paint(
        &mut self,
        edit_session: &EditSession,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        self.sync(edit_session);
        if *edit_session.phase() != Phase::Ready || self.names.is_empty() {
            return draw_empty(&self.empty(edit_session), area, buf, look);
        }
        let parts = parts(area, self.side.shows);
        draw::banner(edit_session, "ctrl-s", "M", parts.banner, buf, look);
        self.focus(Area::Vocabularies, look);
        self.draw_names(edit_session, parts.names, buf, look);
        self.focus(Area::Terms, look);
        self.draw_terms(edit_session, parts.terms, buf, look);
        self.focus(Area::Side, look);
        let here = self.area == Area::Side;
        self.side.draw(edit_session, here, parts.side, buf, look);
    }

    /// Declares which part of the pane the areas that follow belong to.
    fn focus(&self, part: Area, look: &Look) {
        let parts: &[Area] = match self.side.shows {
            Side::Nothing => &[Area::Vocabularies, Area::Terms],
            _ => &[Area::Vocabularies, Area::Terms, Area::Side],
        };
        let at = |part: Area| parts.iter().position(|p| *p == part).unwrap_or(0);
        let times = (at(part) + parts.len() - at(self.area)) % parts.len();
        look.hits.focus(Action::NextArea, times);
    }

    fn draw_names(&self, edit_session: &EditSession, area: Rect, buf: &mut Buffer, look: &Look) {
        let here = self.area == Area::Vocabularies;
        draw::heading("vocabularies", here, areas::top(area, 1).0, buf, look);
        look.hits.wheel(area, [Action::Up, Action::Down], 1);
        let page = usize::from(area.height.saturating_sub(1)).max(1);
        let top = self.at / page * page;
        let shown = self
            .names
            .iter()
            .enumerate()
            .skip(top)
            .take(usize::from(area.height.saturating_sub(1)));
        for (i, name) in shown {
            let y = area.y + 1 + (i - top) as u16;
            let file = file_of(name);
            let metadata = edit_session.session().edited();
            let enabled = metadata.enabled(name).len();
            let all = if name == STYLE {
                metadata.styles().len()
            } else {
                metadata
                    .vocabularies()
                    .get(name)
                    .map_or(0, |v| v.terms().len())
            };
            let counts = if enabled == all {
                format!("{all}")
            } else {
                format!("{enabled}/{all}")
            };
            let current = i == self.at;
            let row = Rect {
                y,
                height: 1,
                ..area
            };
            let moves = steps(i as i64 - self.at as i64, [Action::Up, Action::Down]);
            look.hits.go(row, moves, Some(Action::Open));
            if current {
                buf.set_stringn(
                    area.x,
                    y,
                    look.cursor_mark(true),
                    1,
                    look.style(Role::Gutter),
                );
            }
            let changed = edit_session.session().is_changed(&file);
            let worst = edit_session.found_in(&file).map(Finding::severity).max();
            if changed {
                let mark = if look.accessible { "*" } else { "●" };
                buf.set_stringn(area.x + 1, y, mark, 1, look.style(Role::Pending));
            }
            let (mark, role) = match worst {
                Some(Severity::Error) => ("!", Role::Bad),
                Some(Severity::Warning) => ("?", Role::Warn),
                None => (" ", Role::Text),
            };
            buf.set_stringn(area.x + 2, y, mark, 1, look.style(role));
            let room = usize::from(area.width.saturating_sub(4));
            let wide = text::width(&counts);
            let name = text::fit(name, room.saturating_sub(wide + 1));
            let style = if current && here {
                look.style(Role::Selection)
            } else {
                look.style(Role::Text)
            };
            buf.set_stringn(area.x + 3, y, name, room, style);
            let x = area.right().saturating_sub(1 + wide as u16);
            buf.set_stringn(x, y, counts, wide, look.style(Role::Dim));
        }
    }

    fn draw_terms(
        &mut self,
        edit_session: &EditSession,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let name = self.current().unwrap_or_default().to_string();
        let mut title = name.clone();
        if self.show != super::Show::All {
            title += &format!(", {}", self.show.name());
        }
        if !self.search.is_empty() {
            title += &format!(", matching `{}`", self.search);
        }
        let file = file_of(&name);
        if let Some(finding) = edit_session.found_in(&file).find(|f| f.line == 0) {
            title += &format!(": {}", finding.message);
        }
        let (line, below) = areas::top(area, 1);
        draw::heading(&title, self.area == Area::Terms, line, buf, look);
        if !below.is_empty() {
            self.table.draw(below, buf, look);
        }
    }
}
