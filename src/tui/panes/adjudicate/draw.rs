//! Drawing of the Adjudicate pane: the item on top, its verdicts below.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{AdjudicatePane, sides};
use crate::action::Action;
use crate::item::{NoPicture, Picture, Sides, picture_of};
use crate::pane::{PaneId, Scene};
use crate::panes::metadata::edit_session::error_line;
use crate::panes::review::{draw_item, draw_picture, layout as beside};
use crate::preview::{Show, View};
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::{Lines, draw_more};
use crate::widgets::table::{Empty, draw::draw_empty};
use crate::widgets::text;
use benchtop_model::round::state::Dispute;

/// The least height of the verdicts if the pane is tall enough.
const VERDICTS: u16 = 8;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The round and its progress.
    pub head: Rect,
    /// The names of the two pictures; empty for a single one.
    pub caption: Rect,
    pub picture: Rect,
    pub text: Rect,
    /// The line above the verdicts.
    pub rule: Rect,
    pub verdicts: Rect,
}

impl AdjudicatePane {
    /// The areas within `area`.
    pub fn layout(&self, area: Rect) -> Layout {
        let (head, rest) = areas::top(area, 1);
        let low = (rest.height * 3 / 10).max(VERDICTS).min(rest.height / 2);
        let (item, below) = areas::top(rest, rest.height - low);
        let item = beside(item, self.pair.is_some());
        let (rule, verdicts) = areas::top(below, 1);
        Layout {
            head,
            caption: item.caption,
            picture: item.picture,
            text: item.text,
            rule,
            verdicts,
        }
    }

    /// Prepares the picture of the dispute on screen for its place in `area`, and that of the next
    /// dispute.
    pub(super) fn prepare_picture(&mut self, area: Rect, scene: &Scene<'_>) {
        let pictures = scene.pictures;
        let sides = self.loaded().and_then(|loaded| pictures.sides(loaded));
        self.pair.clone_from(&sides);
        let mut pair = sides;
        let view = pictures.cells_in(self.layout(area).picture);
        let part = self.looking.part(pair.as_ref(), false);
        let mut content = pair.as_ref().map(Sides::content);
        let picture = match (self.loaded(), &mut pair) {
            (None, _) => Picture::Loading,
            (Some(_), Some(sides)) => pictures.one_of(sides, View { part, ..view }),
            (Some(loaded), None) => match picture_of(&loaded.item, scene.root) {
                Err(NoPicture { why, .. }) => Picture::None(why),
                Ok((key, path)) => {
                    content = Some(key.clone());
                    pictures.one(&key, &path, view)
                }
            },
        };
        let next = self.next_loaded();
        if let Some(wish) = next.and_then(|next| scene.wish(next, false, |_| view)) {
            pictures.ahead(vec![wish]);
        }
        self.pair = pair;
        let show = if self.loaded().is_some() {
            part.show
        } else {
            Show::First
        };
        self.set_picture(picture, show, content);
    }

    /// Sets the picture, which shows `show` of the files named by `content`. The old one stays
    /// while another of the same files loads.
    fn set_picture(&mut self, picture: Picture, show: Show, content: Option<String>) {
        let stays =
            matches!(picture, Picture::Loading) && matches!(self.picture, Picture::Ready(_));
        if !(stays && content.is_some() && self.drawn.1 == content) {
            (self.picture, self.drawn) = (picture, (show, content));
        }
    }

    pub(super) fn draw_parts(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let look = scene.look;
        if area.is_empty() {
            return;
        }
        if let Some(empty) = self.empty(scene) {
            return draw_empty(&empty, area, buf, look);
        }
        let parts = self.layout(area);
        self.draw_head(parts.head, buf, look);
        let Some(dispute) = self.current().cloned() else {
            return;
        };
        self.draw_caption(parts.caption, buf, look);
        draw_picture(&self.picture, false, parts.picture, buf, look);
        let down = scene.key(Action::TextDown);
        self.draw_text(&dispute, parts.text, &down, buf, look);
        draw_rule(&dispute, parts.rule, buf, look);
        let text = [Action::TextUp, Action::TextDown];
        look.hits.wheel(parts.text, text, 1);
        let below = parts.verdicts;
        let verdicts = [Action::VerdictsUp, Action::VerdictsDown];
        look.hits.wheel(below, verdicts, 1);
        let overflow = sides::draw(&dispute, &self.about, self.scrolled[1], below, buf, look);
        (self.overflow[1], self.scrolled[1]) = (overflow, self.scrolled[1].min(overflow));
        draw_more(
            overflow - self.scrolled[1],
            &scene.key(Action::VerdictsDown),
            below,
            buf,
            look,
        );
    }

    /// The message that replaces a dispute.
    fn empty(&self, scene: &Scene<'_>) -> Option<Empty> {
        let nothing = |hint: &str| Some(Empty::Nothing(hint.into()));
        match (&self.rounds, &self.disputes) {
            (None, _) => Some(Empty::Loading),
            (Some(Err(problem)), _) | (_, Some(Err(problem))) => {
                Some(Empty::Failed(error_line(problem)))
            }
            (Some(Ok(_)), _) if self.names().is_empty() => {
                let (new, rounds) = (
                    scene.key(Action::NewRound),
                    scene.key(Action::Go(PaneId::Rounds)),
                );
                nothing(&format!(
                    "no rounds with disputes yet: {new} in Rounds ({rounds}) creates one"
                ))
            }
            (Some(Ok(_)), _) if self.round.is_none() => {
                let choose = scene.key(Action::ChooseRound);
                nothing(&format!("{choose} chooses a round"))
            }
            (_, None) => Some(Empty::Loading),
            (_, Some(Ok(list))) if list.is_empty() => {
                let round = self.round.as_deref().unwrap_or_default();
                let choose = scene.key(Action::ChooseRound);
                nothing(&format!(
                    "no disputes in `{round}` that you may see; {choose} chooses another round"
                ))
            }
            (_, Some(Ok(_))) if self.shown().next().is_none() => {
                let settled = scene.key(Action::ShowAdjudicated);
                nothing(&format!("all settled; {settled} shows them"))
            }
            _ => None,
        }
    }

    fn draw_head(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let all: Vec<&Dispute> = self.disputes.iter().flatten().flatten().collect();
        let open = all
            .iter()
            .filter(|dispute| dispute.settled.is_none())
            .count();
        let round = self.round.as_deref().unwrap_or_default();
        let protocol = self
            .rounds
            .iter()
            .flatten()
            .flatten()
            .find(|r| r.name == round)
            .map(|r| r.protocol);
        let protocol = protocol.map_or(String::new(), |p| format!(" ({p})"));
        let shown = self.shown().count();
        let mut line = format!(" {round}{protocol}  {} of {shown}", self.place() + 1);
        line.push_str(&match (open, all.len() - open) {
            (0, settled) => format!(", all {settled} settled"),
            (open, 0) => format!(", {open} unsettled"),
            (open, settled) => format!(", {open} unsettled, {settled} settled"),
        });
        line.push_str(&self.tag_words());
        let saved = match self.pending.len() {
            0 => self
                .saved
                .as_ref()
                .map(|saved| format!("✓ {saved} "))
                .unwrap_or_default(),
            1 => "saving ".to_string(),
            n => format!("saving {n} "),
        };
        let wide = area.width.saturating_sub(text::width(&saved) as u16);
        let (west, east) = areas::left(area, wide, 0);
        Lines::new(west, buf, look).text(&line, Role::Heading);
        Lines::new(east, buf, look).text(&saved, Role::Good);
    }

    fn draw_caption(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let (Some(pair), false) = (&self.pair, area.is_empty()) else {
            return;
        };
        let [first, second] = pair.caption(self.drawn.0);
        let names = [first, second]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("   ");
        Lines::new(area, buf, look).text(&names, Role::Heading);
    }

    fn draw_text(
        &mut self,
        dispute: &Dispute,
        area: Rect,
        key: &str,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let number = dispute.number;
        let mut lines = Lines::new(area, buf, look);
        match self.items.get(&number) {
            None => lines.text(&format!("#{number}  loading"), Role::Dim),
            Some(Err(why)) => lines.text(&format!("#{number}  {why}"), Role::Bad),
            Some(Ok(loaded)) => {
                let mut shown = loaded.clone();
                // Scores are shown only if the round allows it.
                if !self.about.sees.scores {
                    shown.view.chips.clear();
                }
                let pending = self.pending_on(number);
                let overflow =
                    draw_item((number, &shown), pending, self.scrolled[0], area, buf, look);
                (self.overflow[0], self.scrolled[0]) = (overflow, self.scrolled[0].min(overflow));
                draw_more(overflow - self.scrolled[0], key, area, buf, look);
            }
        }
    }
}

/// Draws the line above the verdicts: the resulting status, and whether the annotator judged the
/// item.
fn draw_rule(dispute: &Dispute, area: Rect, buf: &mut Buffer, look: &Look) {
    if area.is_empty() {
        return;
    }
    let room = usize::from(area.width);
    let mark = if look.accessible { "" } else { "── " };
    let count = dispute.verdicts.len();
    let separator = if dispute.own { ";" } else { "" };
    let summary = format!(
        "{mark}{count} verdicts: {}{separator} ",
        dispute.status.name()
    );
    let (x, _) = buf.set_stringn(area.x, area.y, summary, room, look.style(Role::Border));
    let own = if dispute.own {
        "you judged this item "
    } else {
        ""
    };
    let left = usize::from(area.right().saturating_sub(x));
    let (x, _) = buf.set_stringn(x, area.y, own, left, look.style(Role::Warn));
    if !look.accessible {
        let left = usize::from(area.right().saturating_sub(x));
        buf.set_stringn(x, area.y, "─".repeat(left), left, look.style(Role::Border));
    }
}
