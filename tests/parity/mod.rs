//! Our models against PyTorch, and our statistics against other packages: tiny fixtures in `data/`, written by the scripts
//! beside this file.

mod agreement;
mod clip;
mod generator;
mod minilm;
pub mod models;
mod pgd;
pub mod pictures;
mod preprocess;
mod safety;
mod schedulers;
mod siglip;
mod similarity;
mod statistics;
pub mod support;
mod text;
mod tokenizer;
