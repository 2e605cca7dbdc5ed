//! Arguments only; everything else is in the library.

fn main() {}
