//! What people and scripts do, from one end to the other.

mod cli;
mod lint;
mod rebuild;
mod recompose;
mod vocab;
