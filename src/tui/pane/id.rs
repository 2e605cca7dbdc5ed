//! The names of the panes, and what their requests open.

/// A pane. One fills the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneId {
    Review,
    List,
    Board,
    Vocabulary,
    Templates,
    Coverage,
    Generate,
    Filters,
    Agreement,
    Adjudicate,
    Rounds,
}

/// What the reply to a request opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// A menu or page. Keys typed before it opens are meant for it.
    Overlay,
    /// A confirmation with a count. Keys typed before it opens must not confirm it.
    Confirmation,
}
