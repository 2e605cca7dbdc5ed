//! Our models against PyTorch: tiny fixtures in `data/`, written by the scripts beside this file.

mod generator;
mod models;
mod pictures;
mod schedulers;
mod support;
mod text;
//! Our networks against PyTorch: fixtures are made by the scripts beside, with tiny models and random weights.
mod models;
mod pictures;
mod tokenizer;
