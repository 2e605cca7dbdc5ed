//! Scores and statistics: pure functions from answers to numbers (floor 2).
//!
//! [`extract`] reads answers out of raw output; [`free_form`] compares free text by meaning.
//! [`score`] builds boards. [`mvp`], [`dysca`], [`mmsap`], [`autobench`], and [`vlb`] implement the
//! measures of their papers from [`tally`] counts; [`stability`] and [`cleaning`] compute them on a
//! part of the data. [`statistics`] has the intervals and tests, and [`table_lint`] finds numbers
//! in a printed table that cannot be right.
//!
//! [`judge`] parses a judge's reply. [`alignment`] scores a picture against its description,
//! [`wanted_word`] scores the text in a picture against the intended word. [`picture`],
//! [`leakage`], and [`consensus`] find bad items without human help; [`agreement`] measures how far
//! people agree on items. [`nearest`] finds similar embeddings, [`kmmd`] measures the distance
//! between two sets of them.

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
pub mod requested_text;
pub mod score;
pub mod stability;
pub mod statistics;
pub mod table_lint;
pub mod tally;
pub mod vlb;
