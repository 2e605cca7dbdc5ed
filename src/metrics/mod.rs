//! Floor 2: pure functions from answers to numbers.
