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

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

pub use pictures::{NoPicture, Picture, Sides, picture_of, sides, stored_picture};
pub use seen::{failed, painted};
pub use view_state::ViewState;

use benchtop_model::Item;
use benchtop_protocol::wire::ItemView;

/// An item as the owner sends it, parsed.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub item: Arc<Item>,
    pub view: ItemView,
}

impl Deref for Loaded {
    type Target = ItemView;

    fn deref(&self) -> &ItemView {
        &self.view
    }
}

/// The items near the one on screen that are neither here nor asked for. Forgets all others once
/// there are more than `most`.
pub fn missing<T>(
    items: &mut HashMap<u32, T>,
    most: usize,
    mut near: Vec<u32>,
    asked: &[u32],
) -> Vec<u32> {
    if items.len() > most {
        items.retain(|number, _| near.contains(number));
    }
    near.retain(|n| !items.contains_key(n) && !asked.contains(n));
    near
}

impl Loaded {
    /// Parses an item from the owner.
    pub fn from_view(mut view: ItemView) -> std::result::Result<Loaded, String> {
        let json = std::mem::take(&mut view.json);
        let item =
            serde_json::from_str(&json).map_err(|e| format!("cannot parse this item: {e}"))?;
        Ok(Loaded {
            item: Arc::new(item),
            view,
        })
    }
}
