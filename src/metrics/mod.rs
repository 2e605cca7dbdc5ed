//! Floor 2: pure functions from answers to numbers.
//!
//! [`score`] grades answers and counts units; [`mvp`] and [`accuracy`] say which units there are; [`extract`] reads answers out of
//! raw output; [`statistics`] says how sure the numbers are.

pub mod accuracy;
pub mod extract;
pub mod mvp;
pub mod score;
pub mod statistics;
