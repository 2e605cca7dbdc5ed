//! benchtop: a terminal workbench for curating vision-language benchmarks.
//!
//! This crate re-exports the crates of the workspace. They are layered on six floors: a crate uses only crates on lower floors,
//! and crates on one floor do not use each other (`tests/house.rs` checks the sources). Above floor 2 there are two independent
//! groups, which build in parallel: `inference`, `store`, `pipeline`, and `owner` make up the owner process, and `protocol` and
//! `tui` its clients. `cli` joins them. The `lib.rs` of each crate has a table of its modules.
//!
//! | floor | crate | content |
//! |---|---|---|
//! | 6 | [`cli`] | one file per subcommand: arguments, printing, exit codes |
//! | 5 | [`owner`] | the process that owns a project: server, dispatch, handlers, writer, jobs |
//! | 5 | [`tui`] | the terminal program: event loop, panes, widgets, preview, terminal |
//! | 4 | [`pipeline`] | long operations: import, export, compose, generate, evaluate, score, boards, verify |
//! | 3 | [`inference`] | model traits, with candle, HTTP, Tesseract, and the storyboard behind them |
//! | 3 | [`store`] | journals, segments, columns, index, rebuild |
//! | 3 | [`protocol`] | the messages between owner and clients, the client, and finding or starting an owner |
//! | 2 | [`files`] | the project folder; reading and writing files safely |
//! | 2 | [`formats`] | interchange formats, one file each, read and written as streams |
//! | 2 | [`metrics`] | pure functions from answers to numbers |
//! | 2 | [`raster`] | pixels of pictures: decoding, scaling, corruptions, print attacks, edits, contact sheets, and the cards of the storyboard |
//! | 2 | [`search`] | fuzzy search over the texts of all items |
//! | 2 | [`compose`] | metadata to prompts, pictures, and questions; plans; the linter |
//! | 1 | [`model`] | plain data and rules: no I/O, no async, no drawing |

pub use benchtop_cli as cli;
pub use benchtop_compose as compose;
pub use benchtop_files as files;
pub use benchtop_formats as formats;
pub use benchtop_inference as inference;
pub use benchtop_metrics as metrics;
pub use benchtop_model as model;
pub use benchtop_owner as owner;
pub use benchtop_pipeline as pipeline;
pub use benchtop_protocol as protocol;
pub use benchtop_raster as raster;
pub use benchtop_search as search;
pub use benchtop_store as store;
pub use benchtop_tui as tui;
