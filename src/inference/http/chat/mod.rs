//! OpenAI's chat API with pictures, `POST /v1/chat/completions`, for judges and other
//! vision-language models.
//!
//! Pictures are sent as data URLs. The temperature is 0 unless the request has one. If a server refuses a request with
//! optional parts (a JSON schema, log-probabilities, a seed), the request is repeated without them,
//! and later requests to this server leave them out. A note in the reply says so.

pub(super) mod answer;
mod ask;
mod body;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::ask::{Chat, Known};
use super::caller::Caller;
use super::pool::{Table, Timeouts};
use crate::BatchEvent;
use crate::request_meter::RequestMeter;
use crate::vlm::VisionLanguageModel;
use benchtop_model::Result;
use benchtop_model::config::Judge;
use benchtop_model::config::judge::Fields;
use benchtop_model::generation::{Failure, FailureKind, Fingerprint};
use benchtop_model::vlm::{Reply, VlmCapabilities, VlmRequest};

/// Part of the fingerprint. Increase it with every change of the requests.
const VERSION: u32 = 1;

/// A vision-language model behind a pool of chat servers.
pub struct ChatModel {
    abilities: VlmCapabilities,
    caller: Caller,
    seed: u32,
    servers: Arc<[Known]>,
}

impl ChatModel {
    /// A model behind the endpoints of `config`. Reads the keys from the environment. Sends
    /// nothing.
    ///
    /// # Errors
    /// [`Input`](benchtop_model::ErrorKind::Input) without endpoints or for an invalid URL;
    /// [`Unreachable`](benchtop_model::ErrorKind::Unreachable) if a key variable is not set.
    pub fn new(config: &Judge) -> Result<ChatModel> {
        Self::with_timeouts(config, Timeouts::default())
    }

    /// As [`new`](Self::new), with other timeouts.
    pub fn with_timeouts(config: &Judge, timeouts: Timeouts) -> Result<ChatModel> {
        let caller = Caller::new(&table(config), timeouts)?;
        let abilities = VlmCapabilities {
            name: format!("{} over HTTP", caller.pool.models()),
            max_batch: caller.pool.concurrency() * 4,
            max_images: 16,
            max_tokens: 1 << 20,
        };
        let servers = config
            .endpoints
            .iter()
            .map(|e| Known::new(e.fields.clone()))
            .collect();
        Ok(ChatModel {
            abilities,
            caller,
            seed: config.seed,
            servers,
        })
    }

    /// Number of live tasks of the runtime: 0 if no request is in flight and no connection is open.
    pub fn alive_tasks(&self) -> usize {
        self.caller.alive_tasks()
    }
}

/// The servers of `[judge]`.
fn table(config: &Judge) -> Table<'_, Fields> {
    let (model, endpoints) = (config.model.as_deref(), config.endpoints.as_slice());
    Table {
        name: "judge",
        path: "chat/completions",
        model,
        tries: config.tries,
        endpoints,
    }
}

impl std::fmt::Debug for ChatModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChatModel")
            .field("abilities", &self.abilities)
            .finish_non_exhaustive()
    }
}

impl VisionLanguageModel for ChatModel {
    fn abilities(&self) -> &VlmCapabilities {
        &self.abilities
    }

    fn fingerprint(&self) -> Fingerprint {
        let names = |at: usize| {
            let f = &self.servers[at].fields;
            format!(
                "{} {} {} {} {}",
                f.max_tokens, f.temperature, f.seed, f.response_format, f.logprobs
            )
        };
        Fingerprint::default()
            .with("backend", "chat over http")
            .with("version", VERSION)
            .with("endpoints", self.caller.pool.described(names))
            .with("temperature", 0)
            .with("seed", self.seed)
    }

    fn count_requests(&mut self, meter: Arc<dyn RequestMeter>) {
        self.caller.meter = Some(meter);
    }

    fn ask(&mut self, asks: &[VlmRequest], watch: &mut dyn FnMut(BatchEvent<Reply>) -> bool) {
        let one = |ask: &VlmRequest| match self.abilities.refusal_reason(ask) {
            Some(why) => Err(Failure::new(FailureKind::Input, why)),
            None => Ok(ask.clone()),
        };
        let api = Chat {
            seed: self.seed,
            servers: Arc::clone(&self.servers),
        };
        self.caller.work(api, asks.iter().map(one).collect(), watch);
    }
}
