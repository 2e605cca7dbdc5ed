//! Arguments only; everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(benchtop::cli::start::main(std::env::args_os()))
}
