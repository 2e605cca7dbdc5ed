//! The contact sheet: 6 to 40 pictures of the review's items, or of a filter, at once.
//!
//! A verdict is a decision on one item at the revision that was painted. One key accepts all
//! pictures of the sheet that have no verdict yet and that the terminal has painted, each as its
//! own decision. Undo takes them back as one step.
//!
//! | file | what it does |
//! |---|---|
//! | `pane` | the contact sheet as a pane of the program |
//! | `grid` | how many pictures fit, and how large |
//! | `place` | the sheet and the cursor in a list |
//! | `arrangement`, `scenario`, `examples` | what a scenario made, in rows with labels; the search for examples |
//! | `items` | queues, and loading items |
//! | `moves` | moving, paging, and leaving |
//! | `verdicts`, `step` | verdicts; those that were given with one key |
//! | `tags` | tags that the next verdict carries |
//! | `samples` | the pictures that were generated for an item |
//! | `tiles` | preparing pictures, and what was painted |
//! | `draw` | drawing |

mod arrangement;
mod draw;
mod examples;
mod grid;
mod items;
mod moves;
mod pane;
mod place;
mod samples;
mod scenario;
mod step;
mod tags;
mod tiles;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use benchtop_model::generated_image::GeneratedImage;
use benchtop_protocol::wire::Decide;

use crate::item::Loaded;
use crate::pane::PaneId;
use crate::panes::review::queue::Queue;
use arrangement::Arranged;
use place::Place;
use ratatui::layout::Rect;
use step::Step;
use tiles::{Pixels, Tile};

/// Rows of a picture at first.
const HEIGHT: u16 = 8;

/// A verdict that awaits its receipt, and the step that it belongs to.
#[derive(Clone, Debug)]
struct Pending {
    decide: Decide,
    step: u64,
}

/// The pictures of one item. They replace the sheet until the user goes back.
#[derive(Debug)]
pub struct Samples {
    pub number: u32,
    /// Newest first, once they are loaded.
    pub loaded: Option<benchtop_model::Result<Vec<GeneratedImage>>>,
    pub place: Place,
    /// The pane to return to, if not the sheet.
    pub from: Option<PaneId>,
}

impl Samples {
    pub fn list(&self) -> &[GeneratedImage] {
        match &self.loaded {
            Some(Ok(list)) => list,
            _ => &[],
        }
    }
}

#[derive(Debug)]
pub struct SheetPane {
    /// The annotator's name.
    who: String,
    queue: Queue,
    /// Whether the queue is of a filter of this pane, not that of the review.
    own: bool,
    /// Whether the review serves one item at a time, in a round.
    in_round: bool,
    /// Whether the queue was set.
    ready: bool,
    place: Place,
    items: HashMap<u32, Result<Loaded, String>>,
    asked: HashSet<u32>,
    selected: BTreeSet<u32>,
    /// Tags that the next verdict on an item carries.
    tags: BTreeMap<u32, Vec<String>>,
    /// The preferred rows of a picture.
    height: u16,
    /// The area of the last frame.
    area: Rect,
    /// The pictures of the last frame.
    tiles: Vec<Tile>,
    /// The picture under the cursor in true pixels, as of the last frame.
    pixels: Option<Pixels>,
    pending: Vec<Pending>,
    steps: Vec<Step>,
    /// The number of steps so far.
    begun: u64,
    /// The steps on several items: where they were given, and their revisions.
    judged: Vec<(Place, (u64, u64))>,
    /// The reasons and the note of the last rejection.
    again: Option<(Vec<String>, Option<String>)>,
    /// The last receipt.
    saved: Option<String>,
    samples: Option<Samples>,
    /// What a scenario made, if that is shown.
    arranged: Option<Arranged>,
    /// The search for examples, while it goes on.
    search: Option<examples::Search>,
}

impl Default for SheetPane {
    fn default() -> Self {
        SheetPane {
            who: String::new(),
            queue: Queue::default(),
            own: false,
            in_round: false,
            ready: false,
            place: Place::default(),
            items: HashMap::new(),
            asked: HashSet::new(),
            selected: BTreeSet::new(),
            tags: BTreeMap::new(),
            height: HEIGHT,
            area: Rect::default(),
            tiles: Vec::new(),
            pixels: None,
            pending: Vec::new(),
            steps: Vec::new(),
            begun: 0,
            judged: Vec::new(),
            again: None,
            saved: None,
            samples: None,
            arranged: None,
            search: None,
        }
    }
}

#[cfg(test)]
mod scenario_tests;
#[cfg(test)]
mod tests;
