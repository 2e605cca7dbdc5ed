//! The worker for one GPU: a binary of its own, since one that is linked with CUDA does not start without it.

use std::process::ExitCode;

use benchtop::inference::candle::device::DeviceName;
use benchtop::inference::worker::serve;
use clap::Parser;

/// Makes pictures on one GPU for benchtop, which starts this program itself.
#[derive(Parser)]
#[command(name = "benchtop-gpu", version)]
struct Arguments {
    /// The GPU: cuda:0, cuda:1 and so on
    #[arg(long, default_value = "cuda:0", value_parser = |name: &str| DeviceName::from_name(name).ok_or("no such device"))]
    device: DeviceName,
}

fn main() -> ExitCode {
    ExitCode::from(serve(Arguments::parse().device, None))
}
