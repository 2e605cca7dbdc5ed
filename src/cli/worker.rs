//! `benchtop worker`: a worker for the CPU, started by an owner whose `[generate]` says `device = "cpu-worker"`.

use benchtop_inference::candle::device::Place;
use benchtop_inference::worker::{FAULT, Fault, serve};
use benchtop_model::{Error, ErrorKind, Result};

#[derive(clap::Args)]
pub struct Args {
    /// The device: cpu
    #[arg(long)]
    device: String,
}

/// Serves until the owner ends.
///
/// # Errors
/// [`ErrorKind::Usage`] for a device that there is not here, and for a fault that means nothing.
pub fn run(args: &Args) -> Result<u8> {
    let wrong = |what: String| Error::new(ErrorKind::Usage, what);
    let place = Place::from_name(&args.device)
        .ok_or_else(|| wrong(format!("`{}` is no device", args.device)).help("one of: cpu"))?;
    let fault = match std::env::var(FAULT) {
        Ok(text) => Some(Fault::parse(&text).map_err(wrong)?),
        Err(_) => None,
    };
    Ok(serve(place, fault))
}
