pub mod diff;
pub mod preview;
pub mod session;
