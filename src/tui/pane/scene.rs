//! What a pane draws with.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::id::PaneId;
use crate::action::Action;
use crate::item::{Loaded, Picture, Sides, ViewState, picture_of};
use crate::keymap::Keymap;
use crate::panes::metadata::edit_session::EditSession;
use crate::preview::worker::Source;
use crate::preview::{Part, View};
use crate::theme::Look;
use crate::widgets::purpose::{self, Begin};
use benchtop_model::job::Newest;

/// The parts of the program that a frame needs.
pub struct Scene<'a> {
    pub look: &'a Look,
    pub keymap: &'a Keymap,
    /// The project folder.
    pub root: &'a Path,
    pub pictures: &'a dyn Pictures,
    /// The metadata that is being edited.
    pub metadata: &'a EditSession,
    /// Number of items in the project.
    pub items: u32,
    /// Milliseconds of the program's clock.
    pub now: u64,
    /// Whether a menu, prompt, or page is open.
    pub is_covered: bool,
    /// The program with its options, as a shell starts it.
    pub program: &'a [String],
}

impl Scene<'_> {
    /// The name of the key of an action.
    pub fn key(&self, action: Action) -> String {
        self.keymap.press(action)
    }

    /// Draws what an empty pane is for, and the key that begins.
    pub fn draw_purpose(&self, pane: PaneId, area: Rect, buf: &mut Buffer) {
        let info = pane.info();
        let (action, does) = match self.items == 0 && info.needs_items {
            true => (Action::HomeTab, "opens Home, where you add items"),
            false => info.begin,
        };
        let key = self.key(action);
        let begins = purpose::draw(&info.purpose, &Begin { key, does }, area, buf, self.look);
        self.look.hits.click(begins, action);
    }

    /// The newest picture of a job, for its place.
    pub fn newest(&self, newest: &Newest, place: Rect) -> Option<Picture> {
        // Files are named by their content.
        let key = newest.path.file_stem()?.to_string_lossy();
        let (path, view) = (self.root.join(&newest.path), self.pictures.cells_in(place));
        (!place.is_empty()).then(|| self.pictures.one(&key, &path, view))
    }

    /// What to prepare for an item that is likely next. `view_in` is the view of one of several
    /// pictures, or of the only one.
    pub fn wish(
        &self,
        next: &Loaded,
        wide: bool,
        view_in: impl FnOnce(bool) -> View,
    ) -> Option<(Vec<Source>, View)> {
        let sides = self.pictures.sides(next);
        let view = view_in(sides.is_some());
        let part = ViewState::default().part(sides.as_ref(), wide);
        let wanted = match sides {
            Some(sides) => sides.wanted(part.show),
            None => picture_of(&next.item, self.root)
                .map(|(key, path)| (vec![(key.into(), path)], part.show)),
        };
        let (sources, show) = wanted.ok()?;
        let part = Part { show, ..part };
        Some((sources, View { part, ..view }))
    }
}

/// Prepares pictures in the background. A picture that is not ready is [`Picture::Loading`]; a frame
/// follows once it is.
pub trait Pictures {
    /// A view of a whole picture as cells in `place`.
    fn cells_in(&self, place: Rect) -> View;

    /// A view of a whole picture as cells in `place`, and in true pixels if enabled.
    fn view_in(&self, place: Rect) -> View;

    /// A picture file. `key` names its content.
    fn one(&self, key: &str, path: &Path, view: View) -> Picture;

    /// Pictures that are on screen together, each with its own view.
    fn all(&self, wishes: &[(Vec<Source>, View)]) -> Vec<Picture>;

    /// The pictures of an item that has several.
    fn sides(&self, loaded: &Loaded) -> Option<Sides>;

    /// The picture of several that a view shows. Records files that turn out to hold no picture.
    fn one_of(&self, sides: &mut Sides, view: View) -> Picture;

    /// Prepares pictures that are likely needed next.
    fn ahead(&self, wishes: Vec<(Vec<Source>, View)>);
}
