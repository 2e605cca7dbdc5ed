//! The options for servers, shared by models and judges.

use benchtop_model::evaluation::Server;

#[derive(clap::Args)]
pub struct Pool {
    /// Base URL of the server's API, such as http://127.0.0.1:8000/v1 (repeat for a pool of
    /// servers)
    #[arg(long, value_name = "URL", required = true)]
    endpoint: Vec<String>,
    /// Environment variable of the owner process that holds the API key
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// Maximum number of requests in flight per server
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=256))]
    concurrency: u32,
    /// Timeout of a request in seconds
    #[arg(long, value_name = "S", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    /// Maximum number of tokens per answer, including reasoning
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub max_tokens: u32,
    /// Maximum number of tries per question
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub tries: u32,
}

impl Pool {
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
