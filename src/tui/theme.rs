//! Colours and emphasis by role, at every colour level.
