//! Payloads of requests with many fields.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use benchtop_model::{CommentAct, Filter, Judgement};

/// One verdict on many items.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bulk {
    pub filter: Filter,
    pub judgement: Judgement,
    /// Expected number of items. If it differs, nothing is judged.
    pub count: Option<u64>,
    /// Dry run: only count.
    pub dry: bool,
}

impl Bulk {
    /// A verdict on the items that match this filter.
    pub fn new(filter: Filter, judgement: Judgement) -> Bulk {
        Bulk {
            filter,
            judgement,
            count: None,
            dry: false,
        }
    }
}

/// One event of the thread of an item.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CommentOn {
    /// Identifies the event. Sent again after a lost connection, it counts once. A new comment has
    /// this name.
    pub uuid: Uuid,
    /// Item number, from 1.
    pub number: u32,
    /// Not an undo or redo, for which there are requests.
    pub act: CommentAct,
}

/// One verdict on one item.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decide {
    /// Identifies the decision. Sent again after a lost connection, it counts once.
    pub uuid: Uuid,
    /// Item number, from 1.
    pub number: u32,
    /// Revision of the item on the client's screen; `None` accepts any revision.
    pub expected: Option<u64>,
    pub judgement: Judgement,
}
