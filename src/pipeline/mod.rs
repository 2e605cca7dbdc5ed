//! Floor 3: long work.
