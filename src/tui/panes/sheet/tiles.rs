//! The pictures of the sheet: preparing them, and what was painted of their items.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use ratatui::layout::Rect;

use super::SheetPane;
use super::grid::Grid;
use crate::item::{Loaded, NoPicture, Picture, Sides, painted, picture_of, sides, stored_picture};
use crate::pane::{Painted, Scene};
use crate::preview::worker::{Ready, Source};
use crate::preview::{Part, Show, View};

/// A picture of the sheet, as of the last frame.
#[derive(Debug)]
pub struct Tile {
    /// The item, unless the pictures of one item are shown.
    number: Option<u32>,
    pub picture: Picture,
    sides: Option<Sides>,
    show: Show,
}

/// A picture in true pixels, and its place.
pub type Pixels = (Arc<Ready>, Rect);

/// What to prepare for a tile.
enum Wanted {
    /// The files, and what to show of them.
    Files(Vec<Source>, Show),
    /// There is nothing to prepare.
    Known(Picture),
}

/// The picture of an item that a tile shows: both of two, otherwise the first.
fn wanted(loaded: &Loaded, root: &Path) -> (Wanted, Option<Sides>, Show) {
    let none = |NoPicture { why, .. }| Wanted::Known(Picture::None(why));
    let own = match loaded.item.images.len() {
        0 | 1 => None,
        _ => sides(loaded, &[], root),
    };
    let Some(own) = own else {
        let wanted = match picture_of(&loaded.item, root) {
            Ok((key, path)) => Wanted::Files(vec![(key.into(), path)], Show::First),
            Err(reason) => none(reason),
        };
        return (wanted, None, Show::First);
    };
    let show = match own.names.len() == 2 && own.both() {
        true => Show::Beside,
        false => Show::First,
    };
    let wanted = match own.wanted(show) {
        Ok((files, show)) => Wanted::Files(files, show),
        Err(reason) => none(reason),
    };
    (wanted, Some(own), show)
}

impl SheetPane {
    /// Prepares the pictures of the sheet for their places, and those of the next sheet.
    pub(super) fn prepare(&mut self, grid: Grid, scene: &Scene<'_>) {
        let (pictures, root) = (scene.pictures, scene.root);
        let view = |show| View {
            part: Part {
                show,
                ..Part::default()
            },
            ..pictures.cells_in(grid.tile(0).picture)
        };
        let mut tiles: Vec<Tile> = Vec::new();
        let mut wishes: Vec<(Vec<Source>, View)> = Vec::new();
        // The tile of each wish.
        let mut of: Vec<usize> = Vec::new();
        let mut add = |number, wanted, sides, show| {
            let picture = match wanted {
                Wanted::Known(picture) => picture,
                Wanted::Files(files, show) => {
                    of.push(tiles.len());
                    wishes.push((files, view(show)));
                    Picture::Loading
                }
            };
            tiles.push(Tile {
                number,
                picture,
                sides,
                show,
            });
        };
        let page = grid.count();
        let cursor = match &self.samples {
            Some(samples) => {
                let sheet = samples.place.sheet(samples.list().len(), page);
                for image in &samples.list()[sheet] {
                    let wanted = match stored_picture(&image.image(), root) {
                        Some((key, path)) => Wanted::Files(vec![(key.into(), path)], Show::First),
                        None => Wanted::Known(Picture::None("its file is missing".into())),
                    };
                    add(None, wanted, None, Show::First);
                }
                samples.place.cursor - samples.place.top
            }
            None => {
                let mut seen = HashSet::new();
                for number in self.cells() {
                    let Some(number) = number else {
                        let none = Wanted::Known(Picture::None(String::new()));
                        add(None, none, None, Show::First);
                        continue;
                    };
                    let (wanted, sides, show) = match self.items.get(&number) {
                        None => (Wanted::Known(Picture::Loading), None, Show::First),
                        Some(Err(why)) => {
                            let why = Picture::None(why.clone());
                            (Wanted::Known(why), None, Show::First)
                        }
                        Some(Ok(loaded)) => wanted(loaded, root),
                    };
                    // An item in two places is painted once.
                    let number = Some(number).filter(|number| seen.insert(*number));
                    add(number, wanted, sides, show);
                }
                self.place.cursor.saturating_sub(self.place.top)
            }
        };
        // The picture under the cursor also in true pixels, if they are enabled.
        let place = grid.tile(cursor).picture;
        let pixels = pictures.view_in(place).pixels;
        let current = of.iter().position(|at| *at == cursor);
        let current = pixels.and_then(|plan| {
            let (files, view) = wishes.get(current?)?.clone();
            let pixels = Some(plan);
            wishes.push((files, View { pixels, ..view }));
            Some(())
        });
        let mut found = pictures.all(&wishes);
        let pixels = current.and_then(|()| found.pop());
        self.pixels = match pixels {
            Some(Picture::Ready(ready)) if has_pixels(&ready) => Some((ready, place)),
            _ => None,
        };
        for (at, picture) in of.into_iter().zip(found) {
            if let Some(tile) = tiles.get_mut(at) {
                tile.picture = picture;
            }
        }
        self.tiles = tiles;
        self.ahead(grid, &view, scene);
    }

    /// Prepares the pictures of the next sheet.
    fn ahead(&self, grid: Grid, view: &dyn Fn(Show) -> View, scene: &Scene<'_>) {
        if self.samples.is_some() {
            return;
        }
        let next = self.place.sheet(self.queue.len(), grid.count()).end;
        let loaded = (next..next + grid.count())
            .filter_map(|at| self.queue.number(at))
            .filter_map(|number| self.loaded(number));
        let wishes = loaded.filter_map(|loaded| match wanted(loaded, scene.root).0 {
            Wanted::Files(files, show) => Some((files, view(show))),
            Wanted::Known(_) => None,
        });
        scene.pictures.ahead(wishes.collect());
    }

    /// What the last frame painted of each item.
    pub(super) fn painted_items(&self) -> Vec<Painted> {
        let of = |tile: &Tile| {
            let number = tile.number?;
            let loaded = self.loaded(number)?;
            let pictures = painted(
                &loaded.item,
                tile.sides.as_ref(),
                tile.show,
                &tile.picture,
                false,
            );
            Some(Painted {
                number,
                rev: loaded.rev,
                text_rev: loaded.text_rev,
                ready: !matches!(tile.picture, Picture::Loading),
                pictures,
            })
        };
        self.tiles.iter().filter_map(of).collect()
    }
}

/// Whether a picture was prepared in true pixels.
fn has_pixels(ready: &Ready) -> bool {
    matches!(ready, Ok(picture) if picture.pixels.is_some())
}
