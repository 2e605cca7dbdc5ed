//! Floor 3: the files of a project, and the parts of them that are held in memory.
//!
//! Source files: `sessions/*.jsonl` (decisions: [`journal`]), `imports/` (imported items and
//! predictions: [`manifest`] and [`segment`]), `images/pictures.jsonl` (generated images:
//! [`pictures`]), `runs/` (model outputs: [`runs`]), `scores/` (scores of items: [`scores`],
//! [`similarity`]), and `jobs/` (unfinished jobs: [`jobs`]).
//!
//! Everything below `store/` is derived from them: a sled index ([`index`]) and flat files that
//! open faster ([`snapshot`]). If it is deleted, [`open`] rebuilds it. [`query`] filters and sorts
//! the columns. [`search`] finds words in an [`arena`].

pub mod append_log;
pub mod arena;
pub mod catalog;
pub mod checksummed_line;
pub mod columns;
pub mod damaged_pictures;
pub mod fixtures;
pub mod history;
pub mod index;
pub mod inventory;
pub mod jobs;
pub mod journal;
pub mod json_checksum;
pub mod judge_cache;
pub mod layout;
pub mod lazy_append;
pub mod lazy_index;
pub mod ledger;
pub mod manifest;
pub mod merge;
pub mod metadata;
pub mod open;
pub mod pictures;
pub mod prefix_digest;
pub mod present_pictures;
pub mod query;
pub mod recover;
pub mod revised_items;
pub mod rounds;
pub mod rules;
pub mod runs;
pub mod scores;
pub mod snapshot_format;
pub mod status_columns;

pub mod column_snapshots;
pub mod search;
pub mod segment;
pub mod similarity;
pub mod trust;

pub use catalog::Catalog;
pub use ledger::Ledger;
pub use status_columns::StatusColumns;
