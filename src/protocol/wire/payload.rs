//! What requests carry that is more than a few fields.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use benchtop_model::{Filter, Judgement};

/// One verdict on many items.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bulk {
    /// Which items.
    pub filter: Filter,
    /// What is said of each.
    pub judgement: Judgement,
    /// How many it must be: otherwise nothing is judged.
    pub count: Option<u64>,
    /// Only count.
    pub dry: bool,
}

impl Bulk {
    /// A verdict on what this filter finds.
    pub fn new(filter: Filter, judgement: Judgement) -> Bulk {
        Bulk {
            filter,
            judgement,
            count: None,
            dry: false,
        }
    }
}

/// A verdict on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decide {
    /// Receipt: sent again after a lost connection, it counts once.
    pub uuid: Uuid,
    /// Item number, from 1.
    pub number: u32,
    /// The item's revision the client had on screen; `None` decides whatever happened since.
    pub expected: Option<u64>,
    /// What is said.
    pub judgement: Judgement,
}
