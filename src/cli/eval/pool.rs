//! Which servers are asked, and how: the same for models and for judges.

use benchtop_model::evaluation::Server;

/// Arguments of every command that asks over servers.
#[derive(clap::Args)]
pub struct Pool {
    /// Where its API begins, such as http://127.0.0.1:8000/v1; named several times, the servers are one pool
    #[arg(long, value_name = "URL", required = true)]
    endpoint: Vec<String>,
    /// The environment variable that holds the key, as the owner sees it
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// Most requests in flight at each server
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=256))]
    concurrency: u32,
    /// Seconds for one answer
    #[arg(long, value_name = "S", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    /// Most tokens of one answer, thoughts included
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub max_tokens: u32,
    /// Most tries of one question
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub tries: u32,
}

impl Pool {
    /// The servers.
    pub fn servers(&self) -> Vec<Server> {
        let one = |url: &String| Server {
            url: url.clone(),
            key_env: self.key_env.clone(),
            concurrency: self.concurrency,
            timeout_s: self.timeout,
        };
        self.endpoint.iter().map(one).collect()
    }
}
