//! Scenarios: pictures that are altered in one way, and the items with them.
//!
//! A kind of scenario is a row of [`benchtop_model::scenario::SCENARIOS`], with its settings, and a
//! [`Scenario`] in the table of `registry`. The rest is the same for all kinds: which items and pictures
//! there are, what each gets, the files, and the items.
//!
//! | module | contents |
//! |---|---|
//! | `adversarial` | small changes against a model |
//! | `corruption` | noise, blur, and other corruptions |
//! | `print_attack` | wrong words on pictures |
//! | `kind` | what a kind implements |
//! | `layout` | rows and columns of a contact sheet |
//! | [`planning`] | which pictures to make, for which items, with which parameters |
//! | [`making`] | makes one picture |
//! | [`publish`] | the items with the pictures, as segments |
//! | `registry` | the table of kinds |
//! | [`sheet`] | contact sheets of what a scenario does to one picture |
//! | `words` | the wrong word of a question |

mod adversarial;
mod corruption;
mod kind;
mod layout;
pub mod making;
pub mod planning;
mod print_attack;
pub mod publish;
mod registry;
pub mod sheet;
#[cfg(test)]
mod tests;
mod words;

pub use kind::{Dealer, Dealt, Painter, Parameters, Per, Scenario};
pub use layout::Layout;
pub use registry::of;
