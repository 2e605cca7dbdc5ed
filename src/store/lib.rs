//! Floor 3: the files of a project, and the parts of them that are held in memory.
//!
//! Source files: `sessions/*.jsonl` (decisions: [`journal`]), `imports/` (imported items and
//! predictions: [`manifest`] and [`segment`]), `images/pictures.jsonl` (generated images:
//! [`pictures`]), `runs/` (model outputs: [`runs`]), `scores/` (scores of items: [`scores`],
//! [`similarity`]), and `jobs/` (unfinished jobs: [`jobs`]).
//!
//! Everything below `store/` is derived from them: a sled index ([`index`]) and snapshots, flat
//! files that open faster ([`snapshot_format`], [`column_snapshots`]). If it is deleted, [`open`]
//! rebuilds it.
//!
//! | module | contents |
//! |---|---|
//! | [`append_log`] | append-only log files: synced lines, and rollback of failed appends |
//! | [`catalog`] | items and predictions: columns in memory, texts in segments |
//! | [`checksummed_line`] | JSON lines with their own checksum |
//! | `checksummed_row` | binary rows with their own checksum |
//! | [`column_snapshots`] | `columns.snap` and `statuses.snap`, which open faster than sled |
//! | [`columns`] | the columns for filters and sorting |
//! | [`contains`] | filters rows by their texts |
//! | [`damaged_pictures`] | picture files whose bytes differ from their hash |
//! | [`fixtures`] | test data of several crates |
//! | [`history`] | the decisions of all journals in one order, and the ledger at a point in time |
//! | [`index`] | the sled database: column blocks, frame tables, and the status checkpoint |
//! | [`inventory`] | path, length, and hash of every file at the last check |
//! | [`jobs`] | the files of jobs |
//! | [`journal`] | `sessions/*.jsonl`: the decisions of one annotator |
//! | [`json_checksum`] | JSON files with their own checksum |
//! | [`judge_cache`] | `runs/judge.jsonl`: answers that judges read in outputs |
//! | [`layout`] | the layout of files in a project, and the migration of earlier layouts |
//! | [`lazy_append`] | a log file that is opened for writing on the first append |
//! | [`lazy_index`] | the sled index, opened on a thread while the first page is shown |
//! | [`ledger`] | the verdicts that count, folded from all journals |
//! | [`manifest`] | `imports/manifest.jsonl`: the list of imports |
//! | [`merge`] | merges journals of other machines |
//! | [`metadata`] | the metadata files: reads, and saves with conflict detection |
//! | [`open`] | opens a project: from snapshots, else from the index, else from the source files |
//! | [`pictures`] | `images/pictures.jsonl`: the journal of generated pictures, and its index |
//! | [`prefix_digest`] | lengths and digests of the journals that a file was derived from |
//! | [`present_pictures`] | which picture files exist in `images/` |
//! | [`query`] | filters, sorts, and counts rows of the columns |
//! | [`recover`] | recovers segments that the manifest no longer names |
//! | [`releases`] | `releases/*.json`: records of releases |
//! | [`removal`] | takes a project back to empty, at its next start |
//! | [`revised_items`] | later texts of existing rows |
//! | [`rounds`] | `sessions/rounds/`: round files |
//! | [`rules`] | the `[[rules]]` of `benchtop.toml`, and their history |
//! | [`runs`] | `runs/`: evaluations and their journals of answers |
//! | [`scores`] | `scores/`: scores of items |
//! | [`segment`] | `imports/*.jsonl.zst`: the records of an import |
//! | [`settings`] | changes of `benchtop.toml` that keep its comments |
//! | [`similarity`] | `scores/similarity/`: cosine similarities of text pairs |
//! | [`snapshot_format`] | the format of all `.snap` and `.similar` files |
//! | [`status_columns`] | the values of an item that change with decisions |
//! | [`trust`] | the trust file of a person |

pub mod append_log;
pub mod catalog;
pub mod checksummed_line;
mod checksummed_row;
pub mod column_snapshots;
pub mod columns;
pub mod contains;
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
pub mod releases;
pub mod removal;
pub mod revised_items;
pub mod rounds;
pub mod rules;
pub mod runs;
pub mod scores;
pub mod segment;
pub mod settings;
pub mod similarity;
pub mod snapshot_format;
pub mod status_columns;
pub mod trust;

pub use catalog::Catalog;
pub use ledger::Ledger;
pub use status_columns::StatusColumns;
