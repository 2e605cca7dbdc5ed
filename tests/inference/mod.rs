//! Model backends: one conformance suite for image generators, HTTP servers, model files, judges, OCR.

pub mod conformance;
mod edits;
mod http;
mod hub;
mod judge;
mod ocr;
mod print_attack;
pub mod server;
mod storyboard;
mod worker;
