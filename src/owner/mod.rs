//! Floor 4: the one process that owns a project, and the client that speaks to it.
