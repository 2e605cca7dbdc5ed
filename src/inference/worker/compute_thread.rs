//! The worker's compute thread: loads a model, and generates the pictures of one call after
//! another.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use candle_core::{DType, Device};
use rustix::process::Signal;

use super::fault::{Fault, What};
use super::messages::tell;
use super::protocol::{FromWorker, Load, Loaded, Make};
use super::serve::{FATAL, ReplyChannel, asleep, end};
use crate::candle::generator::{CandleGenerator, Options};
use crate::device_errors::{self, ErrorClass};
use crate::{GenerationEvent, ImageGenerator};
use benchtop_model::error::{Error, Result};
use benchtop_model::generation::{Failure, FailureKind, Picture, Settings, Task};

/// The state of the compute thread.
pub(super) struct Painter {
    pub(super) device: Option<Device>,
    pub(super) voice: ReplyChannel,
    /// Runs up to this number are canceled.
    pub(super) cancelled: Arc<AtomicU64>,
    pub(super) fault: Option<Fault>,
    /// Number of pictures made so far.
    pub(super) made: u64,
    pub(super) model: Option<CandleGenerator>,
}

impl Painter {
    pub(super) fn load(&mut self, load: &Load) {
        // Two models may not fit into memory.
        self.model = None;
        let loaded = self.open(load).map(|(model, loaded)| {
            self.model = Some(model);
            loaded
        });
        if let Err(problem) = &loaded {
            self.exit_if_fatal(&problem.what);
        }
        self.voice.say(&FromWorker::Loaded(Box::new(loaded)));
    }

    fn open(&self, load: &Load) -> Result<(CandleGenerator, Loaded)> {
        let Some(device) = self.device.clone() else {
            return Err(Error::input("the worker has no device to load a model on"));
        };
        let dtype = DType::from_str(&load.dtype)
            .map_err(|_| Error::input(format!("unknown dtype `{}`", load.dtype)).field("dtype"))?;
        let together = usize::try_from(load.together).unwrap_or(usize::MAX);
        let whole_pixels = usize::try_from(load.whole_pixels).unwrap_or(usize::MAX);
        let options = Options {
            dtype,
            device,
            together,
            whole_pixels,
        };
        let model = CandleGenerator::open(&load.folder, &options, load.hash.clone())?;
        let tile_pixels = model.tile_pixels();
        let loaded = Loaded {
            capabilities: model.capabilities().clone(),
            fixed: model.fixed.clone(),
            tiled: model.fixed_within(tile_pixels),
            tile_pixels: tile_pixels as u64,
        };
        Ok((model, loaded))
    }

    pub(super) fn make(&mut self, make: &Make, tasks: &[Task]) {
        let Make { run, settings, .. } = make;
        let run = *run;
        let mut model = self.model.take();
        match &mut model {
            Some(model) => {
                let whole_pixels = usize::try_from(make.whole_pixels).unwrap_or(usize::MAX);
                model.make_within(
                    usize::try_from(make.together).unwrap_or(usize::MAX),
                    whole_pixels,
                );
                let mut batch = 1;
                model.generate(settings, tasks, &mut |told| {
                    match told {
                        GenerationEvent::Step {
                            done,
                            of,
                            batch: together,
                        } => {
                            batch = together;
                            self.step(tasks);
                            self.voice.say(&FromWorker::Step {
                                run,
                                done,
                                of,
                                batch: together as u64,
                            });
                        }
                        GenerationEvent::Done { index, result } => {
                            self.done(make, index, self.short(make, batch, result))
                        }
                    }
                    self.cancelled.load(Ordering::SeqCst) < run
                });
            }
            None => {
                let none = || {
                    Err(Failure::new(
                        FailureKind::Unavailable,
                        "the worker has no model loaded",
                    ))
                };
                (0..tasks.len()).for_each(|index| self.done(make, index, none()));
            }
        }
        self.model = model;
        self.voice.say(&FromWorker::Over(run));
    }

    fn done(&mut self, make: &Make, index: usize, result: std::result::Result<Picture, Failure>) {
        match &result {
            Ok(_) => self.made += 1,
            Err(failure) => self.exit_if_fatal(&failure.reason),
        }
        self.voice.say(&FromWorker::Done {
            run: make.run,
            index: index as u64,
            result,
        });
    }

    /// Exits if the error means that the device's state is lost: later results would fail too, or
    /// be wrong.
    fn exit_if_fatal(&self, error: &str) {
        if device_errors::classify(error) == Some(ErrorClass::Fatal) {
            self.voice.say(&FromWorker::Fatal(error.into()));
            tell(format_args!(
                "benchtop: the device's state is lost: {error}"
            ));
            std::process::exit(FATAL.into());
        }
    }

    /// Triggers a fault after a step, if one is due.
    fn step(&self, tasks: &[Task]) {
        let prompts = tasks.iter().map(|task| task.prompt.as_str());
        let Some(fault) = self.fault.as_ref().filter(|f| f.is_due(self.made, prompts)) else {
            return;
        };
        match fault.kind {
            What::Exit(status) => {
                tell(format_args!("test fault: exit {status}"));
                std::process::exit(status.into());
            }
            What::Kill => end(),
            What::Garbage => self.voice.raw(b"Hello from a library\n"),
            What::Torn => {
                self.voice.raw(&[0, 0, 1, 0, 7, 7]);
                std::process::exit(0);
            }
            What::Stall => asleep(),
            What::Freeze => {
                let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::STOP);
            }
            What::Fatal => self.exit_if_fatal(
                "DriverError(CUDA_ERROR_ILLEGAL_ADDRESS, \"an illegal memory access\")",
            ),
            What::OutOfMemoryAbove(_) | What::OutOfMemoryWhole | What::Protocol(_) | What::Mute => {
            }
        }
    }

    /// The result, or an out-of-memory failure if a fault asks for one.
    fn short(
        &self,
        make: &Make,
        batch: usize,
        result: std::result::Result<Picture, Failure>,
    ) -> std::result::Result<Picture, Failure> {
        let Settings { width, height, .. } = make.settings;
        let pixels = u64::from(width) * u64::from(height);
        let too_much = self
            .fault
            .as_ref()
            .is_some_and(|f| f.is_too_much(batch, pixels, make.whole_pixels));
        match result {
            Ok(_) if too_much => Err(Failure::new(
                FailureKind::OutOfMemory,
                "test fault: out of memory",
            )),
            other => other,
        }
    }
}
