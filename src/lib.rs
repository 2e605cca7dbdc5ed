//! benchtop: a terminal workbench for curating vision-language benchmarks.
//!
//! The house has six floors. A room uses only rooms on lower floors, and rooms on one floor do not know each other
//! (`tests/house.rs` holds this against the `use` lines of the sources).
//!
//! | floor | room | what lives there |
//! |---|---|---|
//! | 6 | [`cli`] | one file a subcommand: arguments, printing, exit codes |
//! | 5 | [`tui`] | the terminal program: event loop, panes, widgets, preview, the tty |
//! | 4 | [`owner`] | the one process that owns a project: lock, socket, wire, writer; the client speaks to it |
//! | 3 | [`pipeline`] | long work: import, export, scoring |
//! | 2 | [`store`] | journals, segments, columns, search arena, rebuild |
//! | 2 | [`formats`] | one file an interchange format, read and write, streaming |
//! | 2 | [`metrics`] | pure functions from answers to numbers |
//! | 2 | [`inference`] | models: traits, and candle, HTTP and the storyboard behind them |
//! | 2 | [`compose`] | metadata to pictures and questions; today the sample set |
//! | 1 | [`model`] | plain data and rules: no I/O, no async, no drawing |

pub mod cli;
pub mod compose;
pub mod formats;
pub mod inference;
pub mod metrics;
pub mod model;
pub mod owner;
pub mod pipeline;
pub mod store;
pub mod tui;
