//! How the program begins and ends: its arguments, its exit code, and what it says of an error or a panic.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;

use clap::Parser;

use super::{Cli, out, run};
use benchtop_model::clean;

/// Runs the program with these arguments, the first of which is its name. Gives its exit code.
pub fn main(args: impl Iterator<Item = OsString>) -> u8 {
    std::panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or_else(|| "an unknown place".to_string(), ToString::to_string);
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
            // It quotes the arguments, each of which is to stay in its line.
            let cleaned = args
                .iter()
                .map(|arg| clean::line(&arg.to_string_lossy()).into_owned());
            let error = Cli::try_parse_from(cleaned).err().unwrap_or(error);
            let said = error.render().to_string();
            if error.use_stderr() {
                out::tell_text(&said);
            } else if let Err(problem) = out::print(&said) {
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
