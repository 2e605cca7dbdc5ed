//! What a breakdown is by.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Styles,
    Types,
    Quadrant,
    Group(String),
    /// The stability of the scores of all models. The owner computes it.
    Stability,
}
