//! Floor 2: pure functions from answers to numbers.
//!
//! [`score`] makes boards of answers; [`mvp`], [`dysca`], [`mmsap`], [`autobench`] and [`vlb`] are the measures of their papers, from
//! [`tally`] to score; [`stability`] and [`cleaning`] say what they are on a part of the data; [`extract`] reads answers out of raw
//! output, [`free_form`] compares it by its meaning; [`statistics`] says how sure the numbers are; [`table_lint`] finds what cannot
//! be right in a printed table.
//! [`judge`] understands what a judge said, [`alignment`] scores a picture against its description, [`wanted_word`] the text
//! in it against the word that was wanted; [`picture`], [`leakage`] and [`consensus`] find what is wrong with items without
//! asking anybody; [`agreement`] says how far people agree on them. [`nearest`] finds embeddings that are alike, [`kmmd`]
//! says how far apart two sets of them are.

pub mod agreement;
pub mod alignment;
pub mod autobench;
pub mod cleaning;
pub mod consensus;
pub mod dysca;
pub mod extract;
pub mod judge;
pub mod kmmd;
pub mod leakage;
pub mod mmsap;
pub mod mvp;
pub mod nearest;
pub mod picture;
pub mod score;
pub mod stability;
pub mod statistics;
pub mod table_lint;
pub mod tally;
pub mod vlb;
pub mod wanted_word;
