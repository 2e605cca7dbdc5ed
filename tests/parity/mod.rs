//! Our models against PyTorch: tiny fixtures in `data/`, written by the scripts beside this file.

mod schedulers;
mod support;
mod text;
