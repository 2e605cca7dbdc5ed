//! The generator of the project as a painter of V1, V2, and V3.

use crate::context::OwnerContext;
use crate::engine::Step;
use crate::trust;
use benchtop_inference::ImageGenerator;
use benchtop_metrics::vlb::Strategy;
use benchtop_model::config::Config;
use benchtop_model::config::generate::Backend;
use benchtop_model::job::GenerationOverrides;
use benchtop_model::trust::{DataKind, Destination};
use benchtop_model::{Error, Result};
use benchtop_pipeline::bootstrap::products::Products;
use benchtop_pipeline::generate::build;

/// Whether a plan paints.
pub(super) fn paints(products: &Products) -> bool {
    let mut strategies = products.all.iter().map(|product| product.applied.strategy);
    strategies.any(Strategy::is_of_picture)
}

fn is_server(config: &Config) -> bool {
    config.generate.backend == Backend::Http
}

/// Number of products of a plan that a server paints.
pub(super) fn sent(config: &Config, products: &Products) -> u64 {
    let painted = products.all.iter();
    let painted = painted.filter(|p| is_server(config) && p.applied.strategy.is_of_picture());
    painted.count() as u64
}

/// Checks that the generator of the project can be used, if a plan paints.
///
/// # Errors
/// As [`build::check`].
pub(super) fn check(config: &Config, products: &Products) -> Result<()> {
    match paints(products) {
        true => build::check(config, &GenerationOverrides::default()).map(drop),
        false => Ok(()),
    }
}

/// Servers that paint. They get pictures.
///
/// # Errors
/// Invalid addresses.
pub(super) fn destinations(config: &Config, products: &Products) -> Result<Vec<Destination>> {
    match paints(products) && is_server(config) {
        true => trust::of_endpoints(&config.generate.endpoints, DataKind::Pictures),
        false => Ok(Vec::new()),
    }
}

/// The device that a plan paints on; `None` without a model on this machine.
pub(super) fn device(config: &Config, products: &Products) -> Option<String> {
    let wishes = build::complete_overrides(config, &GenerationOverrides::default());
    let is_model = config.generate.backend == Backend::Candle;
    (paints(products) && is_model).then(|| build::device(config, &wishes))
}

/// The generator, built when it is first needed.
pub(super) struct Painter {
    config: Config,
    built: Option<Box<dyn ImageGenerator>>,
}

impl Painter {
    pub(super) fn new(config: &Config) -> Painter {
        Painter {
            config: config.clone(),
            built: None,
        }
    }

    /// The generator, whose requests are counted for job `id`.
    ///
    /// # Errors
    /// Why it is not available, and [`Error::usage`] for one that paints whole pictures only.
    pub(super) fn get(
        &mut self,
        shared: &OwnerContext,
        id: u32,
    ) -> Result<&mut dyn ImageGenerator> {
        let painter = match &mut self.built {
            Some(built) => built,
            none => {
                let wishes = GenerationOverrides::default();
                let mut built = shared.requested.generator(&self.config, &wishes)?;
                if let Some(meter) = shared.jobs.meter(id) {
                    built.count_requests(meter);
                }
                let capabilities = built.capabilities();
                if !capabilities.respects.mask {
                    let what = format!("{} cannot paint a part of a picture", capabilities.name);
                    let help = "choose another backend or model in [generate] of benchtop.toml";
                    return Err(Error::usage(what).field("backend").help(help));
                }
                none.insert(built)
            }
        };
        Ok(painter.as_mut())
    }
}

/// What was painted.
pub(super) enum Painted {
    /// There was nothing to paint.
    Nothing,
    Some,
    /// The job does not go on now.
    Ends(Step),
}
