//! Selects and builds the generator of a job, from its overrides and `[generate]` of
//! `benchtop.toml`.

use std::io::Write;
use std::path::PathBuf;

use super::fallback::FallbackGenerator;
use benchtop_inference::ImageGenerator;
use benchtop_inference::candle::generator::{CandleGenerator, Options};
use benchtop_inference::http::HttpGenerator;
use benchtop_inference::hub::Hub;
use benchtop_inference::storyboard::Storyboard;
use benchtop_inference::worker::{Launch, Model, Timeouts, WorkerGenerator};
use benchtop_model::config::Config;
use benchtop_model::config::generate::{Backend, Device, Generate};
use benchtop_model::job::GenerationOverrides;
use benchtop_model::{Error, ErrorKind, Result, clean};

/// The overrides, with backend and model from `benchtop.toml` where unset. The configured model
/// applies to the configured backend only.
pub fn complete_overrides(config: &Config, wishes: &GenerationOverrides) -> GenerationOverrides {
    let there = &config.generate;
    let backend = wishes
        .backend
        .clone()
        .unwrap_or_else(|| there.backend.name().into());
    let model = wishes.model.clone().or_else(|| {
        there
            .model
            .clone()
            .filter(|_| backend == there.backend.name())
    });
    GenerationOverrides {
        backend: Some(backend),
        model,
        ..wishes.clone()
    }
}

/// Checks overrides before a job starts.
///
/// # Errors
///
/// [`ErrorKind::Usage`] with the possible values; for `candle`, why its model cannot be found and
/// where to put it; for `http`, errors in the endpoints.
pub fn check(config: &Config, wishes: &GenerationOverrides) -> Result<Backend> {
    let wishes = complete_overrides(config, wishes);
    let name = wishes.backend.clone().unwrap_or_default();
    let backend = Backend::from_name(&name).ok_or_else(|| {
        let known: Vec<&str> = Backend::ALL.map(Backend::name).into();
        Error::new(ErrorKind::Usage, format!("unknown backend `{name}`"))
            .field("backend")
            .help(format!("one of: {}", known.join(", ")))
    })?;
    match backend {
        Backend::Storyboard => {}
        Backend::Candle => {
            folder(&wishes)?;
            if let Device::Cuda(ordinal) = config.generate.device {
                Launch::cuda(ordinal.into())?;
            }
        }
        Backend::Http => {
            HttpGenerator::new(&servers(config, &wishes))?;
        }
    }
    Ok(backend)
}

/// The folder of the model in complete overrides.
fn folder(wishes: &GenerationOverrides) -> Result<PathBuf> {
    let Some(model) = &wishes.model else {
        return Err(
            Error::new(ErrorKind::Usage, "the backend `candle` needs a model")
                .field("model")
                .help(
                    "use a name from `benchtop models list`, or a folder in the diffusers layout",
                ),
        );
    };
    Hub::from_env()?.path(model)
}

/// The servers of `benchtop.toml`, with the model in complete overrides.
fn servers(config: &Config, wishes: &GenerationOverrides) -> Generate {
    Generate {
        model: wishes
            .model
            .clone()
            .or_else(|| config.generate.model.clone()),
        ..config.generate.clone()
    }
}

/// Whether complete overrides select a generator that makes drafts.
pub fn drafts(wishes: &GenerationOverrides) -> bool {
    wishes.backend.as_deref() == Some(Backend::Storyboard.name())
}

/// The device of a job with complete overrides. Jobs on one device take turns, whatever their
/// models.
pub fn device(config: &Config, wishes: &GenerationOverrides) -> String {
    match wishes.backend.as_deref() {
        Some(name) if name == Backend::Candle.name() => {
            format!("candle on {}", config.generate.device.name())
        }
        _ => [&wishes.backend, &wishes.model]
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// Loads the model in `folder` on the configured device.
fn candle(generate: &Generate, folder: PathBuf) -> Result<Box<dyn ImageGenerator>> {
    let together = generate.together as usize;
    let worker =
        |launch: Launch, model: &Model, timeouts: Timeouts| -> Result<Box<dyn ImageGenerator>> {
            Ok(Box::new(WorkerGenerator::open(launch, model, timeouts)?))
        };
    let gpu = |ordinal: u16| {
        worker(
            Launch::cuda(ordinal.into())?,
            &Model::cuda(folder.clone(), together),
            Timeouts::GPU,
        )
    };
    let here = || -> Result<Box<dyn ImageGenerator>> {
        Ok(Box::new(CandleGenerator::open(
            &folder,
            &Options {
                together,
                ..Options::cpu()
            },
            None,
        )?))
    };
    match generate.device {
        Device::Cpu => here(),
        Device::CpuWorker => worker(
            Launch::cpu()?,
            &Model {
                batch_size: together,
                ..Model::cpu(folder)
            },
            Timeouts::CPU,
        ),
        Device::Cuda(ordinal) => gpu(ordinal),
        Device::Auto => match gpu(0) {
            // There is no GPU program here, or it cannot use a GPU. A problem of the model itself
            // remains an error.
            Err(problem)
                if matches!(problem.kind, ErrorKind::NotFound | ErrorKind::Unreachable) =>
            {
                let generator = here()?;
                if problem.kind == ErrorKind::NotFound {
                    return Ok(generator);
                }
                let said = format!("generating on the CPU: {problem}");
                let _ = writeln!(std::io::stderr(), "{}", clean::line(&said));
                Ok(Box::new(FallbackGenerator {
                    generator,
                    why: format!("no GPU: {}", problem.what),
                }))
            }
            other => other,
        },
    }
}

/// Builds the generator.
///
/// # Errors
///
/// Why it is not available.
pub fn build(config: &Config, wishes: &GenerationOverrides) -> Result<Box<dyn ImageGenerator>> {
    let wishes = complete_overrides(config, wishes);
    Ok(match check(config, &wishes)? {
        Backend::Storyboard => Box::new(Storyboard::new()),
        Backend::Candle => candle(&config.generate, folder(&wishes)?)?,
        Backend::Http => Box::new(HttpGenerator::new(&servers(config, &wishes))?),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_config_fills_unset_overrides() {
        let text = "name = \"x\"\n[generate]\nbackend = \"candle\"\nmodel = \"sdxl\"\n";
        let config = Config::parse(text, Path::new("benchtop.toml")).unwrap();
        let of = |backend: Option<&str>| {
            let wishes = complete_overrides(
                &config,
                &GenerationOverrides {
                    backend: backend.map(Into::into),
                    ..GenerationOverrides::default()
                },
            );
            (wishes.backend.unwrap(), wishes.model)
        };
        assert_eq!(of(None), ("candle".into(), Some("sdxl".into())));
        assert_eq!(
            of(Some("storyboard")),
            ("storyboard".into(), None),
            "the configured model belongs to another backend"
        );
    }

    #[test]
    fn jobs_of_one_device_take_turns_on_it() {
        let of = |device: &str, backend: &str, model: &str| {
            let config = format!("name = \"x\"\n[generate]\ndevice = \"{device}\"\n");
            let config = Config::parse(&config, Path::new("benchtop.toml")).unwrap();
            let (backend, model) = (Some(backend.to_string()), Some(model.to_string()));
            self::device(
                &config,
                &complete_overrides(
                    &config,
                    &GenerationOverrides {
                        backend,
                        model,
                        ..GenerationOverrides::default()
                    },
                ),
            )
        };
        assert_eq!(
            of("cuda:1", "candle", "sdxl"),
            of("cuda:1", "candle", "sd15")
        );
        assert_eq!(of("cuda:1", "candle", "sdxl"), "candle on cuda:1");
        assert_ne!(of("auto", "http", "sdxl"), of("auto", "http", "flux"));
    }

    #[test]
    fn unknown_backends_and_models_are_refused() {
        let config = Config::parse("name = \"x\"", Path::new("benchtop.toml")).unwrap();
        let of = |backend: &str, model: Option<&str>| {
            let (backend, model) = (Some(backend.to_string()), model.map(str::to_string));
            check(
                &config,
                &GenerationOverrides {
                    backend,
                    model,
                    ..GenerationOverrides::default()
                },
            )
            .unwrap_err()
        };
        let problem = of("crayon", None);
        assert!(problem.what.contains("crayon") && problem.help.unwrap().contains("storyboard"));
        assert!(of("candle", None).help.unwrap().contains("models list"));
        assert_eq!(
            of("candle", Some("/no/such/model")).kind,
            ErrorKind::NotFound
        );
        assert!(of("http", None).what.contains("endpoint"));
        assert!(
            build(&config, &GenerationOverrides::default())
                .unwrap()
                .capabilities()
                .draft
        );
        assert!(drafts(&complete_overrides(
            &config,
            &GenerationOverrides::default()
        )));
    }
}
