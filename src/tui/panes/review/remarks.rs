//! What the review knows of comments and marks.

use std::collections::BTreeMap;

use benchtop_model::Mark;
use benchtop_protocol::wire::{CommentOn, ShownComment, Thread};

/// Tags and marks that the next verdict on an item carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attached {
    pub tags: Vec<String>,
    pub marks: Vec<Mark>,
}

/// The thread on screen.
#[derive(Debug)]
pub(super) struct OpenThread {
    pub number: u32,
    /// `None` until it arrives.
    pub thread: Option<Thread>,
    /// The comment that actions apply to.
    pub cursor: usize,
    /// Whether the cursor moved since the last frame.
    pub moved: bool,
}

/// Comments and marks of the pane.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    pub thread: Option<OpenThread>,
    pub marking: Option<Marking>,
    pub attached: BTreeMap<u32, Attached>,
    /// Labels of earlier marks, oldest first.
    pub labels: Vec<String>,
    /// Texts of refused comments, by item.
    pub drafts: BTreeMap<u32, String>,
    /// Events that await their receipts, oldest first.
    pub pending: Vec<CommentOn>,
    /// The key that opens the thread.
    pub key: String,
    /// The keys of the thread, as one line.
    pub hint: String,
}

impl Remarks {
    pub fn has_unsaved(&self) -> bool {
        !self.pending.is_empty()
    }

    /// The marks of the next verdict on an item.
    pub fn marks_on(&self, number: u32) -> &[Mark] {
        self.attached.get(&number).map_or(&[], |a| &a.marks)
    }

    pub fn selected(&self) -> Option<&ShownComment> {
        let open = self.thread.as_ref()?;
        open.thread.as_ref()?.comments.get(open.cursor)
    }
}

/// The cursor of the marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Marking {
    /// Column and row among the cells of the picture; `None` for its middle.
    pub at: Option<(u16, u16)>,
    /// Left, top, right, and bottom of the cell where a box began, as fractions of the picture.
    pub corner: Option<[f64; 4]>,
}
