//! An item and its pictures, as panes show them.
//!
//! | file | what it does |
//! |---|---|
//! | `pictures` | the pictures of an item: one, several, or those of a pair |
//! | `seen` | what was painted of an item |
//! | `view_state` | how pictures are viewed: zoom, blink, and the choice among several |

mod pictures;
mod seen;
mod view_state;

use std::sync::Arc;

pub use pictures::{NoPicture, Picture, Sides, picture_of, sides};
pub use seen::{failed, painted};
pub use view_state::ViewState;

use benchtop_model::scoring::bench::MatchingRule;
use benchtop_model::verdict::EffectiveVerdict;
use benchtop_model::{Item, Status};
use benchtop_protocol::wire::ItemView;

/// An item with its status and verdicts.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub item: Arc<Item>,
    pub status: Status,
    /// Project revision of the last change.
    pub rev: u64,
    /// Project revision of the last change to text or picture.
    pub text_rev: u64,
    /// The effective verdicts.
    pub standing: Vec<EffectiveVerdict>,
    /// What of its metadata changed or vanished since it was composed.
    pub stale: Option<String>,
    /// The rules that apply to it.
    pub chips: Vec<MatchingRule>,
}

impl Loaded {
    /// Parses an item from the owner.
    pub fn from_view(view: ItemView) -> std::result::Result<Loaded, String> {
        let item =
            serde_json::from_str(&view.json).map_err(|e| format!("cannot parse this item: {e}"))?;
        let ItemView {
            status,
            rev,
            text_rev,
            standing,
            stale,
            chips,
            ..
        } = view;
        Ok(Loaded {
            item: Arc::new(item),
            status,
            rev,
            text_rev,
            standing,
            stale,
            chips,
        })
    }
}
