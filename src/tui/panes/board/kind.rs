//! What a breakdown is by.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Styles,
    Types,
    Quadrant,
    /// VLB's visual strategies by its language strategies.
    Strategies,
    Group(String),
    /// The stability of the scores of all models. The owner computes it.
    Stability,
}
