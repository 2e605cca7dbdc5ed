//! Prepares pictures in the background.

use std::path::Path;
use std::sync::Arc;

use ratatui::layout::Rect;

use super::true_pixels::Sharpness;
use super::{App, REVIEW, Setting};
use crate::item::{Loaded, NoPicture, Picture, Sides, failed, sides as sides_of};
use crate::pane::{Pane, Pictures};
use crate::preview::worker::{Ready, Source};
use crate::preview::{Part, Previews, View};
use crate::terminal::pixels::Pixels;
use benchtop_model::{ColorLevel, Item};

/// The threads that prepare pictures, and what a view of them depends on.
pub(super) struct PictureThreads<'a> {
    pub(super) setting: &'a Setting,
    pub(super) previews: &'a Previews,
    pub(super) pixels: &'a Pixels,
    pub(super) sharpness: Sharpness,
    /// Whether pictures are prepared ahead in true pixels.
    pub(super) ahead_in_pixels: bool,
    /// Loaded items, for the other picture of a pair.
    pub(super) paired: Vec<Arc<Item>>,
    pub(super) root: &'a Path,
}

impl Pictures for PictureThreads<'_> {
    fn cells_in(&self, place: Rect) -> View {
        View {
            pane: (place.width, place.height),
            cell: self.setting.capabilities.cell.unwrap_or((1, 2)),
            // Without color, pictures are drawn with letters.
            level: if self.setting.ascii {
                ColorLevel::Mono
            } else {
                self.setting.level
            },
            background: self.setting.look.theme.ground(),
            pixels: None,
            part: Part::default(),
        }
    }

    fn view_in(&self, place: Rect) -> View {
        View {
            pixels: match self.sharpness {
                Sharpness::Cells => None,
                Sharpness::PixelsIfReady | Sharpness::Pixels => self.pixels.plan(place),
            },
            ..self.cells_in(place)
        }
    }

    fn one(&self, key: &str, path: &Path, view: View) -> Picture {
        let ready = self.want(&[(key.into(), path.to_path_buf())], view);
        ready.map_or(Picture::Loading, Picture::Ready)
    }

    fn all(&self, wishes: &[(Vec<Source>, View)]) -> Vec<Picture> {
        let wish =
            |(sources, view): &(Vec<Source>, View)| (sources.clone(), self.wished(sources, *view));
        let wishes: Vec<_> = wishes.iter().map(wish).collect();
        let found = self.previews.want_all(&wishes).into_iter();
        found
            .map(|ready| ready.map_or(Picture::Loading, Picture::Ready))
            .collect()
    }

    fn sides(&self, loaded: &Loaded) -> Option<Sides> {
        sides_of(loaded, &self.paired, self.root)
    }

    fn one_of(&self, sides: &mut Sides, view: View) -> Picture {
        let (sources, show) = match sides.wanted(view.part.show) {
            Ok(wanted) => wanted,
            Err(NoPicture { why, .. }) => return Picture::None(why),
        };
        let part = Part { show, ..view.part };
        let Some(ready) = self.want(&sources, View { part, ..view }) else {
            return Picture::Loading;
        };
        if let Err(problem) = ready.as_ref() {
            let reason = failed(problem);
            sides.fails(problem.place.file.as_deref(), &reason);
            return Picture::None(reason.why);
        }
        Picture::Ready(ready)
    }

    fn ahead(&self, wishes: Vec<(Vec<Source>, View)>) {
        let wish = |(sources, view): (Vec<Source>, View)| match self.ahead_in_pixels {
            true => (sources, view),
            false => (sources, in_cells(view)),
        };
        self.previews.ahead_of(wishes.into_iter().map(wish));
    }
}

/// The view without true pixels.
fn in_cells(view: View) -> View {
    View {
        pixels: None,
        ..view
    }
}

impl PictureThreads<'_> {
    /// The view to ask for now.
    fn wished(&self, sources: &[Source], view: View) -> View {
        let is_later = self.sharpness == Sharpness::PixelsIfReady
            && self.previews.ready(sources, view).is_none();
        if is_later { in_cells(view) } else { view }
    }

    /// A picture, as cells while its true pixels are being prepared.
    fn want(&self, sources: &[Source], view: View) -> Option<Arc<Ready>> {
        let view = self.wished(sources, view);
        let found = self.previews.want_of(sources, view);
        found.or_else(|| self.previews.ready(sources, in_cells(view)))
    }
}

impl App {
    /// Items of the review, among which other panes find the other picture of a pair.
    pub(super) fn paired_items(&self) -> Vec<Arc<Item>> {
        let review = self.panes.get(REVIEW);
        review.map_or(Vec::new(), Pane::paired_items)
    }
}
