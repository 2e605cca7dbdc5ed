//! Prepares the pictures of a frame in the background.

use std::path::Path;

use ratatui::layout::Rect;

use super::connection::Pending;
use super::{App, Setting};
use crate::pane::Pictures;
use crate::panes::review::{
    Loaded, NoPicture, Picture, ReviewPane, Sides, ViewState, failed, is_wide, layout, picture_of,
};
use crate::preview::worker::{Source, neighbors};
use crate::preview::{Part, Previews, Show, View};
use benchtop_model::{ColorLevel, generated_image};
use benchtop_protocol::wire::request;

/// The threads that prepare pictures, and what a view of them depends on.
pub(super) struct PictureThreads<'a> {
    pub(super) setting: &'a Setting,
    pub(super) previews: &'a Previews,
    /// Knows the other picture of a pair.
    pub(super) review: &'a ReviewPane,
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

    fn one(&self, key: &str, path: &Path, view: View) -> Picture {
        let ready = self.previews.want(key, path, view);
        ready.map_or(Picture::Loading, Picture::Ready)
    }

    fn sides(&self, loaded: &Loaded) -> Option<Sides> {
        self.review.sides(loaded, self.root)
    }

    fn one_of(&self, sides: &mut Sides, view: View) -> Picture {
        let (sources, show) = match sides.wanted(view.part.show) {
            Ok(wanted) => wanted,
            Err(NoPicture { why, .. }) => return Picture::None(why),
        };
        let part = Part { show, ..view.part };
        let Some(ready) = self.previews.want_of(&sources, View { part, ..view }) else {
            return Picture::Loading;
        };
        if let Err(problem) = ready.as_ref() {
            let reason = failed(problem);
            sides.fails(problem.place.file.as_deref(), &reason);
            return Picture::None(reason.why);
        }
        Picture::Ready(ready)
    }

    fn ahead(&self, sources: Vec<Source>, view: View) {
        self.previews.ahead_of([(sources, view)]);
    }
}

impl App {
    /// A view of a picture as cells in `place`.
    pub(super) fn cells_in(&self, place: Rect) -> View {
        self.picture_threads().cells_in(place)
    }

    /// The picture of several that a view shows.
    pub(super) fn one_of(&self, sides: &mut Sides, view: View) -> Picture {
        self.picture_threads().one_of(sides, view)
    }

    fn picture_threads(&self) -> PictureThreads<'_> {
        PictureThreads {
            setting: &self.setting,
            previews: &self.previews,
            review: &self.review,
            root: &self.welcome.root,
        }
    }

    /// Prepares the pictures of the item on screen and its neighbors for their places in `pane`,
    /// before drawing. Returns the place of the picture on screen.
    pub(super) fn prepare_picture(&mut self, pane: Rect) -> Rect {
        let root = self.welcome.root.clone();
        let mut sides = self
            .review
            .current()
            .and_then(|loaded| self.review.sides(loaded, &root));
        let layout = layout(self.review.room(pane), sides.is_some());
        let (place, room) = (layout.picture, self.review.room(pane));
        let (looking, wide) = (self.review.looking(), is_wide(room));
        let mut part = looking.part(sides.as_ref(), wide);
        let mut of = None;
        let picture = match (self.review.current(), &mut sides) {
            (None, _) => Picture::Loading,
            (Some(_), Some(sides)) => {
                of = Some(sides.content());
                let picture = self.one_of(
                    sides,
                    View {
                        part,
                        ..self.view_in(place)
                    },
                );
                // If one of two pictures fails, the other is still shown.
                match picture {
                    Picture::None(_) if looking.part(Some(sides), wide) != part => {
                        part = looking.part(Some(sides), wide);
                        self.one_of(
                            sides,
                            View {
                                part,
                                ..self.view_in(place)
                            },
                        )
                    }
                    picture => picture,
                }
            }
            (Some(loaded), None) => match picture_of(&loaded.item, &root) {
                Err(NoPicture { why, .. }) => Picture::None(why),
                Ok((key, path)) => {
                    of = Some(key.clone());
                    let view = View {
                        part,
                        ..self.view_in(place)
                    };
                    self.previews
                        .want(&key, &path, view)
                        .map_or(Picture::Loading, Picture::Ready)
                }
            },
        };
        let picture = match picture {
            // Picture names may contain the answer.
            Picture::None(_) if self.review.work().is_some_and(|work| work.asks_answers()) => {
                Picture::None("cannot be shown".to_string())
            }
            picture => picture,
        };
        if matches!(picture, Picture::None(_)) {
            self.wait_for_picture();
        }
        let keys = sides.as_ref().map_or(Vec::new(), |_| self.pair_keys());
        self.review.set_sides(sides, keys);
        self.review
            .set_picture(picture, (part, of), self.overlay.is_none());
        self.prefetch(room, part);
        place
    }

    /// Tells the generating job to make the picture of the item on screen next.
    fn wait_for_picture(&mut self) {
        let wanted = self
            .review
            .current()
            .is_some_and(|loaded| generated_image::picture_to_generate(&loaded.item).is_some());
        let number = self.review.number();
        if wanted && self.waited_for != number {
            self.waited_for = number;
            number.into_iter().for_each(|number| {
                self.link
                    .ask(Pending::Nothing, request::PrioritizePicture { number })
            });
        }
    }

    /// Prepares the pictures that are likely needed next: the other side of a blinking pair, then
    /// the neighbors.
    fn prefetch(&mut self, pane: Rect, part: Part) {
        let root = self.welcome.root.clone();
        let wide = is_wide(pane);
        let mut wishes: Vec<(Vec<Source>, View)> = Vec::new();
        if let (Some(sides), Show::First | Show::Second | Show::Other(_)) =
            (self.review.pair(), part.show)
        {
            let mut next = self.review.looking();
            match next.blink {
                Some(second) => next.blink = Some(!second),
                None => next.turn(sides, is_wide(pane)),
            }
            let show = next.shown(sides, is_wide(pane));
            let view = self.view_in(layout(pane, true).picture);
            if let Ok((sources, show)) = sides.wanted(show) {
                wishes.push((
                    sources,
                    View {
                        part: Part { show, ..part },
                        ..view
                    },
                ));
            }
        }
        let (position, len) = (self.review.position(), self.review.queue().len());
        for near in neighbors(position, len, self.review.forward()) {
            let Some(loaded) = self
                .review
                .queue()
                .number(near)
                .and_then(|n| self.review.loaded(n))
            else {
                continue;
            };
            let sides = self.review.sides(loaded, &root);
            let view = self.view_in(layout(pane, sides.is_some()).picture);
            let mut part = ViewState::default().part(sides.as_ref(), wide);
            let sources = match sides {
                Some(sides) => match sides.wanted(part.show) {
                    Ok((sources, show)) => {
                        part.show = show;
                        sources
                    }
                    Err(_) => continue,
                },
                None => match picture_of(&loaded.item, &root) {
                    Ok((key, path)) => vec![(key.into(), path)],
                    Err(_) => continue,
                },
            };
            wishes.push((sources, View { part, ..view }));
        }
        self.previews.ahead_of(wishes);
    }

    /// A view of a review picture in `place`: as cells, and in true pixels if enabled.
    fn view_in(&self, place: Rect) -> View {
        let pixels = if self.true_pixels {
            self.pixels.plan(place)
        } else {
            None
        };
        View {
            pixels,
            ..self.cells_in(place)
        }
    }
}
