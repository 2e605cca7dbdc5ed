//! Bootstrapping (VLB): variants of questions that models write, paint, and judge.
//!
//! A composition is a chain of strategies. Each beginning of a chain is a product, which is made once
//! for a source item and shared by all compositions that begin with it. A product is made in steps:
//! ask, read, check, paint, judge. Each step is a line of the job's journal, and the next step
//! follows from the lines alone.
//!
//! | module | contents |
//! |---|---|
//! | [`painting`] | candidates as edits of pictures |
//! | [`planning`] | which items get variants |
//! | [`products`] | the products of the compositions of a plan |
//! | [`progress`] | all products of a job, from its journal |
//! | [`publish`] | the variants as items of the project |
//! | [`requests`] | the requests to writers and judges |
//! | [`state`] | the steps of one product: what was done, and what is next |
//! | [`transcript`] | the requests and answers behind an item |

pub mod painting;
pub mod planning;
pub mod products;
pub mod progress;
pub mod publish;
pub mod requests;
pub mod state;
pub mod transcript;
