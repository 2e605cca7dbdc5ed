//! What people and scripts do, from one end to the other.

mod cli;
mod rebuild;
mod recompose;
mod vocab;
