//! What answers for models: one conformance suite for all image generators, HTTP against a real server, model files.

pub mod conformance;
mod http;
mod hub;
mod server;
mod storyboard;
