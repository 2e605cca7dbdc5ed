//! Limits on what a job sends to servers.

use benchtop_model::job::Budget;
use benchtop_model::job::budget::parse_money;

#[derive(clap::Args)]
pub struct Limits {
    /// Pause the job after N requests, repeated ones included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_requests: Option<u64>,
    /// Pause the job after N tokens, prompts and answers together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_total_tokens: Option<u64>,
    /// Pause the job when its tokens cost this much
    #[arg(long, value_name = "PRICE", value_parser = cost)]
    max_cost: Option<u64>,
}

/// Parses an amount of money above 0 as millionths.
fn cost(text: &str) -> Result<u64, String> {
    match parse_money(text)? {
        0 => Err("expected an amount above 0".into()),
        micros => Ok(micros),
    }
}

impl Limits {
    pub fn budget(&self) -> Budget {
        Budget {
            requests: self.max_requests,
            tokens: self.max_total_tokens,
            cost_micros: self.max_cost,
        }
    }
}
