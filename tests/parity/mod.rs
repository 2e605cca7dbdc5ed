//! Our models against PyTorch: tiny fixtures in `data/`, written by the scripts beside this file.

mod generator;
mod models;
mod pictures;
mod schedulers;
mod support;
mod text;
mod tokenizer;
