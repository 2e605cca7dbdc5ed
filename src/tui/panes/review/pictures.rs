//! Prepares the pictures of the item on screen and its neighbors, before drawing.

use ratatui::layout::Rect;

use super::pane::show_error;
use super::{ReviewPane, is_wide, layout};
use crate::item::{NoPicture, Picture, picture_of};
use crate::pane::{Context, Scene};
use crate::preview::worker::{Source, neighbors};
use crate::preview::{Part, Show, View};
use benchtop_model::generated_image;
use benchtop_protocol::wire::request;

impl ReviewPane {
    pub(super) fn prepare_picture(&mut self, area: Rect, scene: &Scene<'_>) {
        let (pictures, room) = (scene.pictures, self.room(area));
        let mut sides = self.current().and_then(|loaded| pictures.sides(loaded));
        let place = layout(room, sides.is_some()).picture;
        let (looking, wide) = (self.looking(), is_wide(room.width));
        let view = |part| View {
            part,
            ..pictures.view_in(place)
        };
        let mut part = looking.part(sides.as_ref(), wide);
        let mut of = None;
        let picture = match (self.current(), &mut sides) {
            (None, _) => Picture::Loading,
            (Some(_), Some(sides)) => {
                of = Some(sides.content());
                // If one of two pictures fails, the other is still shown.
                match pictures.one_of(sides, view(part)) {
                    Picture::None(_) if looking.part(Some(sides), wide) != part => {
                        part = looking.part(Some(sides), wide);
                        pictures.one_of(sides, view(part))
                    }
                    picture => picture,
                }
            }
            (Some(loaded), None) => match picture_of(&loaded.item, scene.root) {
                Err(NoPicture { why, .. }) => Picture::None(why),
                Ok((key, path)) => {
                    of = Some(key.clone());
                    pictures.one(&key, &path, view(part))
                }
            },
        };
        let picture = match picture {
            // Picture names may contain the answer.
            Picture::None(_) if self.work().is_some_and(|work| work.asks_answers()) => {
                Picture::None("cannot be shown".to_string())
            }
            picture => picture,
        };
        if matches!(picture, Picture::None(_)) {
            self.wait_for_picture(scene.now);
        }
        let keys = sides
            .as_ref()
            .map_or(Vec::new(), |_| Self::pair_keys(scene));
        self.set_sides(sides, keys);
        let bare = !scene.is_covered && self.selection().is_none() && !self.shows_marks();
        self.set_picture(picture, (part, of), bare);
        self.prefetch(room, part, scene);
    }

    /// Notes that the picture of the item on screen is to be generated next.
    fn wait_for_picture(&mut self, now: u64) {
        let to_generate = |loaded: &crate::item::Loaded| {
            generated_image::picture_to_generate(&loaded.item).is_some()
        };
        let number = self.number();
        if self.current().is_some_and(to_generate) && self.waited_for != number {
            self.waited_for = number;
            self.picture_due.start(now);
        }
    }

    /// Tells the generating job to make the picture of the item on screen next.
    pub(super) fn prioritize_picture(&mut self, cx: &mut Context<'_>) {
        if let Some(number) = self.waited_for {
            cx.ask(request::PrioritizePicture { number }, show_error);
        }
    }

    /// Prepares the pictures that are likely needed next: the other side of a blinking pair, then
    /// the neighbors.
    fn prefetch(&self, room: Rect, part: Part, scene: &Scene<'_>) {
        let (pictures, wide) = (scene.pictures, is_wide(room.width));
        let view_in = |pair| pictures.view_in(layout(room, pair).picture);
        let mut wishes: Vec<(Vec<Source>, View)> = Vec::new();
        if let (Some(sides), Show::First | Show::Second | Show::Other(_)) = (self.pair(), part.show)
        {
            let mut next = self.looking();
            match next.blink {
                Some(second) => next.blink = Some(!second),
                None => next.turn(sides, wide),
            }
            if let Ok((sources, show)) = sides.wanted(next.shown(sides, wide)) {
                let part = Part { show, ..part };
                let view = view_in(true);
                wishes.push((sources, View { part, ..view }));
            }
        }
        for near in neighbors(self.position(), self.queue.len(), self.forward()) {
            let number = self.queue.number(near);
            let loaded = number.and_then(|number| self.loaded(number));
            wishes.extend(loaded.and_then(|loaded| scene.wish(loaded, wide, view_in)));
        }
        pictures.ahead(wishes);
    }
}
