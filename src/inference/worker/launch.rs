//! Which program the worker is, and how it is started.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::candle::device::Place;
use benchtop_model::{Error, ErrorKind, Result};

/// The environment variable that names the worker for GPUs.
pub const PROGRAM_ENV: &str = "BENCHTOP_WORKER";

/// What it is called beside this program.
const PROGRAM: &str = "benchtop-gpu";

/// A program that becomes a worker.
#[derive(Clone, Debug)]
pub struct Launch {
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

impl Launch {
    /// `program` with `args`, in this process's environment.
    pub fn new(program: impl Into<PathBuf>, args: &[&str]) -> Launch {
        let args = args.iter().map(|arg| (*arg).to_string()).collect();
        Launch {
            program: program.into(),
            args,
            env: Vec::new(),
        }
    }

    /// The same with one more variable in its environment.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: &str) -> Launch {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The worker for the CPU: this program's own hidden subcommand.
    ///
    /// # Errors
    /// When the system does not tell where this program is.
    pub fn cpu() -> Result<Launch> {
        let program = std::env::current_exe()
            .map_err(|e| Error::new(ErrorKind::Io, format!("cannot find this program: {e}")))?;
        Ok(Launch::new(
            program,
            &["worker", "--device", &Place::Cpu.to_string()],
        ))
    }

    /// The worker for GPU `ordinal`, counted from 0 in the order of the PCI bus, as NVIDIA's tools do.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] where there is none, with where it was looked for and how it is made.
    pub fn cuda(ordinal: usize) -> Result<Launch> {
        let path = Launch::looked_for();
        if !is_program(&path) {
            let how = "build it with `cargo build --release --features cuda --bin benchtop-gpu` and put it there, or name \
                       it in BENCHTOP_WORKER; without a GPU `device = \"cpu\"` in [generate] does";
            return Err(
                Error::new(ErrorKind::NotFound, "there is no program for GPUs")
                    .file(path)
                    .help(how),
            );
        }
        let launch = Launch::new(path, &["--device", &Place::Cuda(ordinal).to_string()]);
        Ok(launch.with_env("CUDA_DEVICE_ORDER", "PCI_BUS_ID"))
    }

    /// Where the worker for GPUs is looked for: what `BENCHTOP_WORKER` names, else `benchtop-gpu` beside this program.
    pub fn looked_for() -> PathBuf {
        match std::env::var_os(PROGRAM_ENV).filter(|v| !v.is_empty()) {
            Some(path) => path.into(),
            None => std::env::current_exe()
                .unwrap_or_default()
                .with_file_name(PROGRAM),
        }
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The command, in a process group of its own, with pipes.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command
    }
}

/// Whether there is a file that can be run.
fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
