//! Start of the program: parses the arguments, reports errors and panics, and returns the exit
//! code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;

use clap::Parser;

use super::{Cli, out, run};
use benchtop_model::clean;

/// Runs the program and returns its exit code. The first argument is the program's name.
pub fn main(args: impl Iterator<Item = OsString>) -> u8 {
    std::panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or_else(|| "an unknown location".to_string(), ToString::to_string);
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let what = text
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        let thread = std::thread::current();
        let trace = Backtrace::capture();
        let trace = if trace.status() == BacktraceStatus::Captured {
            format!("\n{trace}")
        } else {
            String::new()
        };
        out::tell(format_args!(
            "thread `{}` panicked at {place}:\n{what}{trace}",
            thread.name().unwrap_or("unnamed")
        ));
    }));
    let args: Vec<OsString> = args.collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            // The message quotes the arguments, so control characters are removed from them first.
            let cleaned = args
                .iter()
                .map(|arg| clean::line(&arg.to_string_lossy()).into_owned());
            let error = Cli::try_parse_from(cleaned).err().unwrap_or(error);
            let message = error.render().to_string();
            if error.use_stderr() {
                out::tell_text(&message);
            } else if let Err(problem) = out::print(&message) {
                out::tell(format_args!("benchtop: {problem}"));
            }
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    match run(cli) {
        Ok(code) => code,
        Err(problem) => {
            out::tell(format_args!("benchtop: {problem}"));
            problem.exit_code()
        }
    }
}
