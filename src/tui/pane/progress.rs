//! What the first row shows of a pane.

/// Texts with the widths that are kept for them, so that nothing moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The position among the items.
    pub place: (String, usize),
    pub filter: String,
    /// The last receipt, or that one is awaited.
    pub receipt: (String, usize),
}
