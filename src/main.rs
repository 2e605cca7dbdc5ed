//! Arguments only; everything else is in the library.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match benchtop::cli::run(benchtop::cli::Cli::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(problem) => {
            eprintln!("benchtop: {problem}");
            ExitCode::from(problem.exit_code())
        }
    }
}
