//! What somebody can do who sends a project: a script for each attack.

mod secrets;
