//! How stale items are recomposed.

/// What to do about stale items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecomposeChoice {
    /// Recompose them.
    Compose,
    /// Also recompose items that lack a term for a new slot.
    DrawMissing,
    Leave,
}

/// How to recompose.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecomposeMode {
    /// Only count the items.
    pub(super) dry: bool,
    /// The user asked for it: report even if there is nothing to do.
    pub(super) asked: bool,
}
