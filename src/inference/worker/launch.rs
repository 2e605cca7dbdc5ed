//! Finds the worker program and builds its command line.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::candle::device::DeviceName;
use benchtop_model::{Error, Result};

/// The environment variable with the path of the GPU worker.
pub const PROGRAM_ENV: &str = "BENCHTOP_WORKER";

/// The file name of the GPU worker next to this program.
const PROGRAM: &str = "benchtop-gpu";

/// The command of a worker.
#[derive(Clone, Debug)]
pub struct Launch {
    pub program: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

impl Launch {
    /// Runs `program` with `args` in this process's environment.
    pub fn new(program: impl Into<PathBuf>, args: &[&str]) -> Launch {
        let args = args.iter().map(|arg| (*arg).to_string()).collect();
        Launch {
            program: program.into(),
            args,
            env: Vec::new(),
        }
    }

    #[must_use]
    pub fn with_env(mut self, name: &str, value: &str) -> Launch {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The CPU worker: this program with its hidden subcommand.
    pub fn cpu() -> Result<Launch> {
        let program = std::env::current_exe()
            .map_err(|e| Error::failed(format!("cannot find this program: {e}")))?;
        Ok(Launch::new(
            program,
            &["worker", "--device", &DeviceName::Cpu.to_string()],
        ))
    }

    /// The worker for the GPU `ordinal`, counted from 0 in the order of the PCI bus, as in NVIDIA's
    /// tools.
    ///
    /// # Errors
    /// [`Error::not_found`] if the GPU worker is not installed, with its expected path and how
    /// to build it.
    pub fn cuda(ordinal: usize) -> Result<Launch> {
        let path = Launch::gpu_program();
        if !is_program(&path) {
            let how = "build it with `cargo build --release --features cuda --bin benchtop-gpu` and copy it to this path, \
                       or set BENCHTOP_WORKER to its path; without a GPU, set `device = \"cpu\"` in [generate]";
            return Err(Error::not_found("the GPU worker is not installed")
                .file(path)
                .help(how));
        }
        let launch = Launch::new(path, &["--device", &DeviceName::Cuda(ordinal).to_string()]);
        Ok(launch.with_env("CUDA_DEVICE_ORDER", "PCI_BUS_ID"))
    }

    /// The path of the GPU worker: `BENCHTOP_WORKER`, else `benchtop-gpu` next to this program.
    pub fn gpu_program() -> PathBuf {
        match std::env::var_os(PROGRAM_ENV).filter(|v| !v.is_empty()) {
            Some(path) => path.into(),
            None => std::env::current_exe()
                .unwrap_or_default()
                .with_file_name(PROGRAM),
        }
    }

    /// The command with pipes, in its own process group.
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

/// True for an executable file.
fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
