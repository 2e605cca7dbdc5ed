//! OpenAI's image API: `POST /v1/images/generations`, and `POST /v1/images/edits` for tasks with a start
//! image.
//!
//! Settings without a field in the API (seed, steps, guidance, negative prompt) are sent in extra
//! body fields with configurable names. Servers silently ignore unknown fields, so a setting counts
//! as honored only if the response repeats it with the value that was sent ([`Picture::honoured`]).
//! Other settings are named in a note. Start image and mask are fields of the API, so they count as
//! honored, and [`Capabilities::respects`] has nothing else. A server may still paint outside of the
//! mask; whoever needs exact pixels there pastes the picture back (`benchtop_raster::edit`).

pub(super) mod answer;
mod edits;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::answer::{Image, Sent};
use super::caller::Caller;
use super::exchange::{Api, Line, Stop};
use super::pool::{Table, Timeouts};
use super::token_counts::token_counts_of;
use crate::request_meter::RequestMeter;
use crate::{BatchEvent, GenerationEvent, ImageGenerator};
use benchtop_model::Result;
use benchtop_model::config::Generate;
use benchtop_model::config::generate::Fields;
use benchtop_model::generation::{
    Capabilities, Fingerprint, Init, Picture, RespectedInputs, Scheduler, Settings, Task,
};

/// Part of the fingerprint. Increase it with every change of the requests.
const VERSION: u32 = 1;

/// An image generator behind a pool of servers.
pub struct HttpGenerator {
    capabilities: Capabilities,
    caller: Caller,
    /// The field names of each server.
    fields: Arc<[Fields]>,
}

impl HttpGenerator {
    /// A generator for the endpoints of `config`. Reads the keys from the environment. Sends
    /// nothing.
    ///
    /// # Errors
    /// [`Input`](benchtop_model::ErrorKind::Input) without endpoints or for an invalid URL;
    /// [`Unreachable`](benchtop_model::ErrorKind::Unreachable) if a key variable is not set.
    pub fn new(config: &Generate) -> Result<HttpGenerator> {
        Self::with_timeouts(config, Timeouts::default())
    }

    /// As [`new`](Self::new), with other timeouts.
    pub fn with_timeouts(config: &Generate, timeouts: Timeouts) -> Result<HttpGenerator> {
        let table = table(config);
        let caller = Caller::new(&table, timeouts)?;
        let capabilities = Capabilities {
            name: format!("{} over HTTP", caller.pool.models()),
            max_batch: caller.pool.concurrency() * 4,
            multiple_of: 8,
            sides: (64, 4096),
            schedulers: Vec::new(),
            respects: RespectedInputs {
                init: true,
                mask: true,
                ..RespectedInputs::default()
            },
            reports_steps: false,
            draft: false,
            recommended: Settings {
                width: 1024,
                height: 1024,
                steps: 30,
                guidance: 5.0,
                scheduler: Scheduler::Euler,
            },
        };
        let fields = config.endpoints.iter().map(|e| e.fields.clone()).collect();
        Ok(HttpGenerator {
            capabilities,
            caller,
            fields,
        })
    }

    /// Number of live tasks of the runtime: 0 if no request is in flight and no connection is open.
    pub fn alive_tasks(&self) -> usize {
        self.caller.alive_tasks()
    }
}

/// The servers of `[generate]`.
pub(super) fn table(config: &Generate) -> Table<'_, Fields> {
    let (model, endpoints) = (config.model.as_deref(), config.endpoints.as_slice());
    Table {
        name: "generate",
        path: "images/generations",
        model,
        tries: config.tries,
        endpoints,
    }
}

impl std::fmt::Debug for HttpGenerator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpGenerator")
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

impl ImageGenerator for HttpGenerator {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        let names = |at: usize| {
            let f = &self.fields[at];
            format!(
                "{} {} {} {}",
                f.seed, f.steps, f.guidance, f.negative_prompt
            )
        };
        Fingerprint::default()
            .with("backend", "http")
            .with("version", VERSION)
            .with("endpoints", self.caller.pool.described(names))
            .with("width", settings.width)
            .with("height", settings.height)
            .with("steps", settings.steps)
            .with("guidance", settings.guidance)
    }

    fn count_requests(&mut self, meter: Arc<dyn RequestMeter>) {
        self.caller.meter = Some(meter);
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    ) {
        let one = |task: &Task| {
            self.capabilities
                .refusal_reason(settings, task)
                .map_or_else(|| Ok(task.clone()), Err)
        };
        let (of, batch) = (settings.steps, tasks.len());
        let api = Images {
            settings: settings.clone(),
            fields: Arc::clone(&self.fields),
        };
        self.caller.work(
            api,
            tasks.iter().map(one).collect(),
            &mut |news| match news {
                BatchEvent::Alive => watch(GenerationEvent::Step { done: 0, of, batch }),
                BatchEvent::Done { index, result } => {
                    watch(GenerationEvent::Done { index, result })
                }
            },
        );
    }
}

/// The API with the settings of one call.
struct Images {
    settings: Settings,
    fields: Arc<[Fields]>,
}

/// The lower 32 bits of the seed. Some servers refuse larger seeds, and others round those above
/// 2^53.
fn seed(task: &Task) -> u64 {
    task.seed & 0xffff_ffff
}

impl Images {
    /// The fields of a request, and the extra ones among them.
    fn fields(&self, line: &Line<'_>, task: &Task) -> (Map<String, Value>, Sent) {
        let (settings, fields) = (&self.settings, &self.fields[line.at]);
        let mut body = Map::new();
        body.insert("model".into(), line.server().model.as_str().into());
        body.insert("prompt".into(), task.prompt.as_str().into());
        body.insert("n".into(), 1.into());
        body.insert(
            "size".into(),
            format!("{}x{}", settings.width, settings.height).into(),
        );
        if !fields.response_format.is_empty() {
            body.insert(fields.response_format.clone(), "b64_json".into());
        }
        let negative = task
            .negative_prompt
            .as_deref()
            .filter(|n| !n.trim().is_empty());
        let wishes = [
            (&fields.seed, Some(Value::from(seed(task)))),
            (&fields.steps, Some(Value::from(settings.steps))),
            (&fields.guidance, Some(Value::from(settings.guidance))),
            (&fields.negative_prompt, negative.map(Value::from)),
        ];
        let sent = wishes.map(|(name, value)| {
            value
                .filter(|_| !name.is_empty())
                .map(|value| (name.clone(), value))
        });
        body.extend(sent.iter().flatten().cloned());
        let size = (settings.width, settings.height);
        (
            body,
            Sent {
                fields: sent,
                prompt: task.prompt.clone(),
                size,
            },
        )
    }

    /// Sends the request of a task.
    async fn send(
        line: &Line<'_>,
        fields: Map<String, Value>,
        init: Option<&Init>,
    ) -> std::result::Result<Vec<u8>, Stop> {
        let Some(init) = init.cloned() else {
            return line.post(serde_json::to_vec(&fields)).await;
        };
        // Encoding takes milliseconds, so it must not block other requests.
        let form = tokio::task::spawn_blocking(move || edits::edit(&fields, &init)).await;
        let form = form
            .unwrap_or_else(|err| Err(format!("cannot encode the start image: {err}")))
            .map_err(Stop::refused)?;
        line.post_form("edits", form).await
    }
}

impl Api for Images {
    type Task = Task;
    type Answer = Picture;

    async fn exchange(&self, line: Line<'_>, task: &Task) -> std::result::Result<Picture, Stop> {
        let (fields, sent) = self.fields(&line, task);
        let init = task.init.as_ref();
        let bytes = Self::send(&line, fields, init).await?;
        let given = answer::parse(&bytes, &sent);
        // What cannot be used is paid for too.
        let usage = given
            .as_ref()
            .map_or_else(|_| token_counts_of(&bytes), |given| given.usage);
        line.answered(usage).await;
        let given = given.map_err(Stop::unfit)?;
        let image = match given.image {
            Image::Bytes(image) => image,
            Image::At(address) => line.get(&address, "picture").await?,
        };
        // Decoding takes milliseconds, so it must not block other requests.
        let size = sent.size;
        match tokio::task::spawn_blocking(move || answer::decode(&image, size)).await {
            // An edit of another size cannot be put back into its picture.
            Ok(Ok((_, Some(note)))) if init.is_some() => Err(Stop::unfit(note)),
            Ok(Ok((pixels, note))) => {
                let strength = init.map(|init| init.strength).filter(|s| *s < 1.0);
                let unsent = strength
                    .map(|s| format!("strength {s} was not sent; the API has no field for it"));
                let notes = given.notes.into_iter().chain(note).chain(unsent).collect();
                Ok(Picture {
                    pixels,
                    respected: RespectedInputs {
                        init: init.is_some_and(|init| init.mask.is_none()),
                        mask: init.is_some_and(|init| init.mask.is_some()),
                        ..given.honoured
                    },
                    notes,
                })
            }
            Ok(Err(why)) => Err(Stop::unfit(why)),
            Err(err) => Err(Stop::unfit(format!("cannot decode the picture: {err}"))),
        }
    }
}
