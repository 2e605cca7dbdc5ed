//! Builds the clients of models.

use parking_lot::Mutex;

use benchtop_inference::http::chat::ChatModel;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::config::Judge;
use benchtop_model::config::judge::{Endpoint, Price};
use benchtop_model::evaluation::NewRun;
use benchtop_model::{Error, Result};

/// Builds the client of a model.
pub type Maker = Box<dyn Fn(&NewRun) -> Result<Box<dyn VisionLanguageModel>> + Send + Sync>;

/// What evaluations need of the owner.
pub struct Evaluations {
    pub maker: Maker,
    /// Held while a run takes its label.
    pub(super) labels: Mutex<()>,
}

impl Default for Evaluations {
    /// Clients that send to the servers of a run.
    fn default() -> Self {
        Evaluations::with(Box::new(|new| Ok(Box::new(ChatModel::new(&table(new)?)?))))
    }
}

impl Evaluations {
    pub fn with(maker: Maker) -> Evaluations {
        Evaluations {
            maker,
            labels: Mutex::default(),
        }
    }
}

/// The servers of a run as a table for the chat client.
///
/// # Errors
/// [`Error::usage`] for an invalid URL or variable.
fn table(new: &NewRun) -> Result<Judge> {
    let one = |server: &benchtop_model::evaluation::Server| {
        let mut value = serde_json::json!({
            "url": server.url, "concurrency": server.concurrency, "timeout_s": server.timeout_s,
        });
        if let Some(name) = &server.key_env {
            value["key_env"] = name.as_str().into();
        }
        serde_json::from_value::<Endpoint>(value)
            .map_err(|e| Error::usage(e.to_string()).field("endpoint"))
    };
    Ok(Judge {
        model: Some(new.model.clone()),
        tries: new.tries,
        max_tokens: new.max_tokens,
        seed: 0,
        price_in: Price(new.prices.0),
        price_out: Price(new.prices.1),
        endpoints: new.servers.iter().map(one).collect::<Result<_>>()?,
    })
}
