//! `benchtop worker`: a CPU worker, started by an owner with `device = "cpu-worker"` in
//! `[generate]`.

use benchtop_inference::candle::device::DeviceName;
use benchtop_inference::worker::{FAULT, Fault, serve};
use benchtop_model::{Error, Result};

#[derive(clap::Args)]
pub struct Args {
    /// Device: cpu
    #[arg(long)]
    device: String,
}

/// Serves requests until the owner ends.
///
/// # Errors
/// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for an unknown device or test fault.
pub fn run(args: &Args) -> Result<u8> {
    let wrong = |what: String| Error::usage(what);
    let place = DeviceName::from_name(&args.device)
        .ok_or_else(|| wrong(format!("unknown device `{}`", args.device)).help("one of: cpu"))?;
    let fault = match std::env::var(FAULT) {
        Ok(text) => Some(Fault::parse(&text).map_err(wrong)?),
        Err(_) => None,
    };
    Ok(serve(place, fault))
}
