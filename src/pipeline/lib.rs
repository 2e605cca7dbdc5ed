//! Floor 4: long-running work: reads formats, fills the store, and scores. It knows nothing of
//! owners and terminals.
//!
//! | module | contents |
//! |---|---|
//! | [`analysis`] | analyses of whole boards |
//! | [`board`] | boards of a project or of files: parsed answers, notes, and texts behind a cell |
//! | [`bootstrap`] | variants of questions that models write and judge: steps, requests, and items |
//! | [`compose`] | composes a plan into the store or into a file |
//! | [`derive`] | derived items: new ones, their pictures, and their later texts |
//! | [`evaluate`] | questions to models over HTTP, and their answers as predictions |
//! | [`export`] | items and predictions in an interchange format |
//! | [`generate`] | generates the pictures of all items |
//! | [`import`] | imports files: recognized by content, all or nothing |
//! | `in_order` | work on several threads whose results are taken in order |
//! | [`lineage`] | every step from the terms of the oldest source to the question |
//! | `missing_terms` | terms for slots that prompts gained after items were composed |
//! | [`new_segments`] | segments that are not part of the project yet |
//! | [`picture_edit`] | edits of pictures with a painter (VLB's V1, V2, and V3) |
//! | [`pictures`] | imports the pictures that records name |
//! | [`prompt_preview`] | what a prompt file would ask about one item |
//! | [`recompose`] | composes items again after metadata changes |
//! | [`release`] | releases: items in a folder that is written once, their verification, and their differences |
//! | [`revise`] | segments of items with existing ids |
//! | [`sample`] | the sample data set as an import |
//! | [`scenario`] | scenarios: derived pictures of many items, and the items with them |
//! | [`scoring`] | runs scorers on items, and applies rules to the scores |
//! | [`sources`] | which files an import or a board reads, and in which order |
//! | [`stale_sources`] | derived items whose source changed |
//! | [`usage`] | how the items of a project use its metadata |
//! | [`verify`] | reads every file of a project and checks it |

pub mod analysis;
pub mod board;
pub mod bootstrap;
pub mod compose;
pub mod derive;
pub mod evaluate;
pub mod export;
pub mod generate;
pub mod import;
mod in_order;
pub mod lineage;
mod missing_terms;
pub mod new_segments;
pub mod picture_edit;
pub mod pictures;
pub mod prompt_preview;
pub mod recompose;
pub mod release;
pub mod revise;
pub mod sample;
pub mod scenario;
pub mod scoring;
pub mod sources;
pub mod stale_sources;
#[cfg(test)]
mod testing;
pub mod usage;
pub mod verify;
