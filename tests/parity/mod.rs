//! Our models against PyTorch: tiny fixtures in `data/`, written by the scripts beside this file.

mod clip;
mod generator;
mod models;
mod pictures;
mod preprocess;
mod safety;
mod schedulers;
mod siglip;
mod similarity;
mod support;
mod text;
mod tokenizer;
