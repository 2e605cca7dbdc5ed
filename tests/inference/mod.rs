//! What answers for models: one conformance suite for all image generators, HTTP against a real server, model files,
//! judges, readers of text.

pub mod conformance;
mod http;
mod hub;
mod judge;
mod ocr;
pub mod server;
mod storyboard;
mod worker;
