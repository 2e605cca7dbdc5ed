//! Floor 2: what a project keeps on disk.
