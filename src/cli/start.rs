//! Start of the program: parses the arguments, reports errors and panics, and returns the exit
//! code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;

use clap::Parser;

use super::{Cli, out, run};
use benchtop_model::{Error, clean};

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
    let json = wants_json(&args);
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            // The message quotes the arguments, so control characters are removed from them first.
            let cleaned = args
                .iter()
                .map(|arg| clean::line(&arg.to_string_lossy()).into_owned());
            let error = Cli::try_parse_from(cleaned).err().unwrap_or(error);
            let message = error.render().to_string();
            if error.use_stderr() && json {
                out::problem(&usage(&message), json);
            } else if error.use_stderr() {
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
            out::problem(&problem, json);
            problem.exit_code()
        }
    }
}

/// True if the arguments ask for JSON. A command line that clap refuses has no parsed `--json`, so this reads the
/// arguments themselves.
fn wants_json(args: &[OsString]) -> bool {
    let options: Vec<&OsString> = args.iter().skip(1).take_while(|arg| *arg != "--").collect();
    let format = |pair: &[&OsString]| pair[0] == "--format" && pair[1] == "json";
    options
        .iter()
        .any(|arg| *arg == "--json" || *arg == "--format=json")
        || options.windows(2).any(format)
}

/// Clap's report as an error: the first paragraph is the message, the usage and tips are the help.
fn usage(report: &str) -> Error {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (what, rest) = report.split_once("\n\n").unwrap_or((report, ""));
    let what = what.strip_prefix("error: ").unwrap_or(what);
    let error = Error::usage(joined(what));
    match joined(rest) {
        help if help.is_empty() => error,
        help => error.help(help),
    }
}
