//! Floor 2: scores and statistics, as pure functions from answers to numbers.
//!
//! | module | contents |
//! |---|---|
//! | [`agreement`] | agreement between annotators: percentages, kappa, alpha, and AC1 |
//! | [`alignment`] | whether a picture shows what its description says (AutoBench-V) |
//! | [`autobench`] | AutoBench-V's measures |
//! | [`cleaning`] | the effect of removing items on scores (Dysca) |
//! | [`consensus`] | what the outcomes of several models say about an item |
//! | [`dysca`] | Dysca's measures |
//! | [`extract`] | reads answers in model outputs, by named and versioned rules |
//! | [`judge`] | parses a judge's reply |
//! | [`kmmd`] | kernel maximum mean discrepancy: the distance between two sets of embeddings |
//! | [`leakage`] | whether a question contains the words of its answer |
//! | [`mmsap`] | MM-SAP's measures |
//! | [`nearest`] | exact cosine search in embeddings |
//! | [`picture`] | flaws of a picture that can be found without a model |
//! | [`requested_text`] | whether the text in a picture is the requested text |
//! | [`score`] | boards: columns and cells from parsed answers |
//! | [`stability`] | how a score settles as more of the data is used |
//! | [`statistics`] | confidence intervals and tests |
//! | [`table_lint`] | numbers in a printed table that cannot be right |
//! | [`tally`] | results of a set of answers, in numbers that can be added |
//! | [`vlb`] | VLB's measures |
//! | [`written`] | texts that a model wrote for a question, and their checks |

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
pub mod nearest;
pub mod picture;
pub mod requested_text;
pub mod score;
pub mod stability;
pub mod statistics;
pub mod table_lint;
pub mod tally;
pub mod vlb;
pub mod written;
