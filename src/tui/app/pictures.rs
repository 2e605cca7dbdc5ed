//! The pictures that a frame shows, made ready off this thread.

use ratatui::layout::Rect;

use super::App;
use super::link::Want;
use crate::model::made;
use crate::owner::wire::Ask;
use crate::tui::panes::filters::Shown;
use crate::tui::panes::review::{Picture, picture_of};
use crate::tui::preview::View;
use crate::tui::preview::worker::neighbours;

impl App {
    /// A picture drawn as cells in `place`.
    fn cells_in(&self, place: Rect) -> View {
        View {
            pane: (place.width, place.height),
            cell: self.setting.capabilities.cell.unwrap_or((1, 2)),
            level: self.setting.level,
            background: self.setting.look.theme.ground(),
            pixels: None,
        }
    }

    /// Makes the pictures of the items near the one on screen ready; called before drawing, with the picture's area.
    pub(super) fn prepare_picture(&mut self, area: Rect) {
        let pixels = if self.true_pixels { self.pixels.plan(area) } else { None };
        let view = View { pixels, ..self.cells_in(area) };
        let root = self.welcome.root.clone();
        let picture = match self.review.current() {
            None => Picture::Loading,
            Some(loaded) => match picture_of(&loaded.item, &root) {
                Err(why) => {
                    let number = self.review.number();
                    if made::wanted(&loaded.item).is_some() && self.waited_for != number {
                        self.waited_for = number;
                        // A job that is to make it makes it next.
                        number.into_iter().for_each(|number| self.link.ask(Want::Nothing, Ask::Want { number }));
                    }
                    Picture::None(why)
                }
                Ok((key, path)) => self.previews.want(&key, &path, view).map_or(Picture::Loading, Picture::Ready),
            },
        };
        self.review.set_picture(picture, self.overlay.is_none());
        let (position, len) = (self.review.position(), self.review.queue().len());
        let near = neighbours(position, len, self.review.forward());
        let ahead: Vec<_> = near
            .into_iter()
            .filter_map(|p| picture_of(&self.review.loaded(self.review.queue().number(p)?)?.item, &root).ok())
            .collect();
        self.previews.ahead(ahead.iter().map(|(key, path)| (key.as_str(), path.as_path())), view);
    }

    /// The newest picture, made ready for its place in `pane`.
    pub(super) fn newest_picture(&mut self, pane: Rect) -> Option<Picture> {
        let place = self.generate.layout(pane).picture;
        let newest = self.generate.newest().filter(|_| !place.is_empty())?;
        let view = self.cells_in(place);
        // The file is named by its content.
        let key = newest.path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let path = self.welcome.root.join(&newest.path);
        Some(self.previews.want(&key, &path, view).map_or(Picture::Loading, Picture::Ready))
    }

    /// The pictures beside the line of the filter bench, made ready for their places in `pane`.
    pub(super) fn sample_pictures(&mut self, pane: Rect) -> Shown {
        let mut shown = Shown::default();
        let (root, wanted) = (self.welcome.root.clone(), self.filters.wanted_pictures(pane));
        for (at, place, hash, path) in &wanted {
            let (path, view) = (root.join(path), self.cells_in(*place));
            let ready = self.previews.want(hash, &path, view);
            let waits = ready.is_none();
            shown.0[*at] = Some(ready.map_or(Picture::Loading, Picture::Ready));
            // One wish at a time: the next frame has the other.
            if waits {
                break;
            }
        }
        let rest = wanted.iter().filter(|(at, ..)| shown.0[*at].is_none());
        let rest: Vec<_> = rest.map(|(_, place, hash, path)| (hash, root.join(path), *place)).collect();
        for (at, ..) in &wanted {
            shown.0[*at].get_or_insert(Picture::Loading);
        }
        if let Some((hash, path, place)) = rest.first() {
            self.previews.ahead([(hash.as_str(), path.as_path())], self.cells_in(*place));
        }
        shown
    }
}
