//! Confidence intervals and tests.
//!
//! [`wilson`] is for shares and [`Clusters`] for statistics of sums over images or pairs.
//! [`mcnemar`], [`flip_test`], [`holm`], and [`ranks`] compare models. [`spearman`] and [`kendall`]
//! compare two orders of the same models. [`linkage`] finds similar models.

mod clusters;
mod correlation;
mod dendrogram;
mod gamma;
mod number;
mod p_value;
mod paired;
mod proportion;
mod ranks;
mod sign_flip;

pub use self::clusters::{ClusterSums, Clusters};
pub use self::correlation::{Correlation, Significance, average_ranks, kendall, spearman};
pub use self::dendrogram::{Strokes, drawn, leaves, linkage};
pub use self::gamma::{ln_gamma, normal_two_sided, pearson, upper_gamma};
pub use self::number::Number;
pub(super) use self::number::{mean, variance};
pub use self::p_value::p_text;
pub use self::paired::{discordant, holm, mcnemar};
pub use self::proportion::{Z95, wilson};
pub(super) use self::ranks::pairs;
pub use self::ranks::{Test, ranks};
pub use self::sign_flip::{Differences, EXACT, flip_test};
pub use benchtop_model::board::analysis::Rank;
