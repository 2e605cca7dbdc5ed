//! Layout and drawing of the filters pane.

use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::histogram::Histogram;
use super::{FiltersPane, Part, Side, error_line};
use crate::action::Action;
use crate::item::Picture;
use crate::keymap::Keymap;
use crate::pane::Scene;
use crate::pane::id::Purpose;
use crate::theme::Look;
use crate::widgets::areas;
use crate::widgets::purpose::Begin;
use crate::widgets::table::Empty;
use crate::widgets::table::draw::draw_empty;
use benchtop_model::scoring::queries::Sample;
use benchtop_model::scoring::rules::RuleAction;
use benchtop_model::{ImageRef, brief};

/// The histogram of a scorer.
const SCORES: Purpose = Purpose {
    about: "This scorer has no scores yet; its histogram shows how many items a threshold flags.",
    example: &[
        "18 |      ▂▅",
        "22 |  ▁▃▆█▇▅▂",
        "flag below 21.5: 3 of 24 items",
    ],
};

/// The least size that shows everything below the histogram at once.
const WIDE: (u16, u16) = (88, 28);

/// The areas of the pane; empty if there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The list of scorers, with details of the current one.
    pub(super) scorers: Rect,
    /// The current score and filter, in one line.
    pub(super) title: Rect,
    pub(super) histogram: Rect,
    /// Items by outcome, precision, and recall.
    pub(super) counts: Rect,
    pub(super) groups: Rect,
    /// The two pictures at the threshold, doubtful side first, with captions.
    pub(super) samples: Rect,
    /// The comparison with a second score.
    pub(super) pair: Rect,
}

impl Layout {
    /// The areas of the two pictures.
    pub(super) fn pictures(&self) -> [Rect; 2] {
        let half = self.samples.width.saturating_sub(1) / 2;
        // One line of heading above, two lines of captions below.
        let height = self.samples.height.saturating_sub(3);
        let place = |x: u16| Rect {
            x,
            y: self.samples.y + 1,
            width: half,
            height,
        };
        if half < 4 || height < 2 {
            return [Rect::default(); 2];
        }
        [place(self.samples.x), place(self.samples.x + half + 1)]
    }
}

/// The pictures for their areas, doubtful side first. `None` if the item has no picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown(pub(super) [Option<Picture>; 2]);

fn layout(area: Rect, part: Part) -> Layout {
    let left = match area.width {
        0..60 => 0,
        60..120 => 22,
        _ => 34,
    };
    let (scorers, main) = areas::left(area, left, u16::from(left > 0));
    let (title, rest) = areas::top(main, 1);
    let cut = |area, from, height| areas::top(areas::top(area, from).1, height).0;
    let mut out = Layout {
        scorers,
        title,
        ..Layout::default()
    };
    if main.width >= WIDE.0 && main.height >= WIDE.1 {
        let high = (rest.height * 2 / 5).clamp(10, 20);
        out.histogram = cut(rest, 0, high);
        let below = cut(rest, high + 1, u16::MAX);
        // The groups have six columns; two pictures need less room.
        let half = below.width * 3 / 5;
        let (west, east) = areas::left(below, half, 1);
        out.counts = cut(west, 0, 8);
        out.groups = cut(west, 9, u16::MAX);
        out.pair = cut(east, 0, 6);
        out.samples = cut(east, 7, u16::MAX);
        return out;
    }
    // A single column with one part at a time. Pictures get the most room.
    let counts = 4.min(rest.height / 3);
    let wanted = if part == Part::Samples {
        rest.height / 3
    } else {
        rest.height / 2
    };
    let high = wanted.max(6).min(rest.height.saturating_sub(counts));
    out.histogram = cut(rest, 0, high);
    out.counts = cut(rest, high, counts);
    let below = cut(rest, high + counts, u16::MAX);
    match part {
        Part::Groups => out.groups = below,
        Part::Samples => out.samples = below,
        Part::Pair => out.pair = below,
    }
    out
}

impl FiltersPane {
    /// The areas within `area`.
    fn layout(&self, area: Rect) -> Layout {
        layout(area, self.part)
    }

    /// The pictures to load for `area`, doubtful side first: hash and stored file.
    fn wanted_pictures(&self, area: Rect) -> Vec<(usize, Rect, String, PathBuf)> {
        if self.show_rules {
            return vec![];
        }
        let places = self.layout(area).pictures();
        let wanted = |(at, sample): (usize, Option<&Sample>)| {
            let (hash, ext) = sample?.picture.clone()?;
            let ext = Some(ext).filter(|e| !e.is_empty());
            let image = ImageRef {
                hash: Some(hash.clone()),
                ext,
                ..ImageRef::default()
            };
            Some((at, *places.get(at)?, hash, image.stored()?))
                .filter(|(_, place, ..)| !place.is_empty())
        };
        // Load the chosen side first.
        let mut list: Vec<_> = self
            .samples()
            .into_iter()
            .enumerate()
            .filter_map(wanted)
            .collect();
        if self.side == Side::Good {
            list.reverse();
        }
        list
    }

    /// Prepares the pictures at the threshold for their places in `area`.
    pub(super) fn sample_pictures(&self, area: Rect, scene: &Scene<'_>) -> Shown {
        let mut shown = Shown::default();
        // One request at a time: the next frame handles the other.
        let mut waits = false;
        for (at, place, hash, path) in self.wanted_pictures(area) {
            let (path, view) = (scene.root.join(path), scene.pictures.cells_in(place));
            shown.0[at] = Some(if waits {
                let sources = vec![(hash.into(), path)];
                scene.pictures.ahead(vec![(sources, view)]);
                Picture::Loading
            } else {
                scene.pictures.one(&hash, &path, view)
            });
            waits |= matches!(shown.0[at], Some(Picture::Loading));
        }
        shown
    }

    pub(super) fn draw_parts(
        &mut self,
        area: Rect,
        pictures: &Shown,
        buf: &mut Buffer,
        (keys, look): (&Keymap, &Look),
    ) {
        let parts = self.layout(area);
        self.width = if parts.histogram.is_empty() {
            self.width
        } else {
            parts.histogram.width
        };
        self.draw_scorers(parts.scorers, buf, look);
        let main = Rect {
            x: parts.title.x,
            width: parts.title.width,
            ..area
        };
        if self.show_rules {
            return self.rules.draw(main, buf, look);
        }
        self.draw_title(parts.title, buf, look);
        let body = areas::top(main, 1).1;
        if let Some(empty) = self.nothing(keys) {
            return draw_empty(&empty, body, buf, look);
        }
        let lines = [RuleAction::Flag, RuleAction::Park].map(|then| self.line(then));
        if let Some((_, tuning, _)) = self.shown() {
            Histogram {
                tuning,
                lines,
                active: self.active,
                look,
            }
            .draw(parts.histogram, buf);
        }
        self.draw_counts(parts.counts, buf, look);
        self.draw_groups(parts.groups, buf, look);
        self.draw_samples(&parts, pictures, buf, look);
        self.draw_pair(parts.pair, buf, look);
    }

    /// The reason why there is no histogram.
    fn nothing(&self, keys: &Keymap) -> Option<Empty> {
        let scorers = match &self.scorers {
            None => return Some(Empty::Loading),
            Some(Err(problem)) => return Some(Empty::Failed(error_line(problem))),
            Some(Ok(scorers)) => scorers,
        };
        let Some(scorer) = scorers.get(self.at) else {
            return Some(Empty::Nothing("this project has no scorers".into()));
        };
        match (self.shown(), &self.failed) {
            (Some((_, tuning, _)), _) if tuning.range.is_none() => {
                let whole = self.filter.is_empty() && self.only.is_none();
                Some(match &scorer.not_ready {
                    Some(why) => {
                        let line =
                            format!("no scores by {}: {}", scorer.scorer, brief::of_text(why));
                        Empty::Nothing(match brief::shortens(why) {
                            true => format!("{line}; {} shows more", keys.press(Action::Open)),
                            false => line,
                        })
                    }
                    None if whole => {
                        let begin = Begin {
                            key: keys.press(Action::StartScoring),
                            does: "scores the items, after a preview",
                        };
                        Empty::Begin(&SCORES, begin)
                    }
                    None => Empty::Filtered(format!(
                        "{} then enter on an empty line shows all items",
                        keys.press(Action::Find)
                    )),
                })
            }
            (Some(_), _) => None,
            (None, Some(why)) => Some(Empty::Failed(why.clone())),
            (None, None) => Some(Empty::Loading),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_do_not_overlap_at_any_size() {
        for width in (0..200).step_by(7) {
            for height in 0..60 {
                for part in [Part::Groups, Part::Samples, Part::Pair] {
                    let area = Rect::new(3, 2, width, height);
                    let l = layout(area, part);
                    let all = [
                        l.scorers,
                        l.title,
                        l.histogram,
                        l.counts,
                        l.groups,
                        l.samples,
                        l.pair,
                    ];
                    for (at, rect) in all.iter().enumerate().filter(|(_, r)| !r.is_empty()) {
                        assert_eq!(area.intersection(*rect), *rect, "{area} {part:?} {at}");
                        for other in all[at + 1..].iter().filter(|r| !r.is_empty()) {
                            assert!(
                                rect.intersection(*other).is_empty(),
                                "{area} {part:?}: {rect} and {other}"
                            );
                        }
                    }
                    for picture in l.pictures().iter().filter(|p| !p.is_empty()) {
                        assert_eq!(
                            l.samples.intersection(*picture),
                            *picture,
                            "{area} {part:?}"
                        );
                    }
                }
            }
        }
    }
}
