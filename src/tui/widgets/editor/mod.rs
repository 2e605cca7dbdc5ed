mod patch;
pub use patch::Patch;
