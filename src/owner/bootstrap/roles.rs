//! The models of the roles, as `benchtop.toml` has them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::painter;
use crate::context::OwnerContext;
use crate::trust;
use benchtop_inference::http::chat::ChatModel;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_metrics::vlb::Strategy;
use benchtop_model::config::{Config, Judge};
use benchtop_model::job::Prices;
use benchtop_model::trust::{DataKind, Destination};
use benchtop_model::{Error, Result};
use benchtop_pipeline::bootstrap::products::Products;
use benchtop_store::jobs::ModelRole;

/// The table of a role.
pub(super) fn table(config: &Config, role: ModelRole) -> &Judge {
    match role {
        ModelRole::Writer => &config.writer,
        ModelRole::Grounder => &config.grounder,
        ModelRole::Judge => &config.judge,
    }
}

/// Who is asked to make a product of this strategy; `None` for V3.
pub(super) fn maker(strategy: Strategy) -> Option<ModelRole> {
    match strategy {
        Strategy::V1 | Strategy::V2 => Some(ModelRole::Grounder),
        Strategy::V3 => None,
        _ => Some(ModelRole::Writer),
    }
}

/// The roles that a plan needs.
pub(super) fn needed(products: &Products) -> BTreeSet<ModelRole> {
    let strategies = products.all.iter().map(|product| product.applied.strategy);
    strategies
        .filter_map(maker)
        .chain([ModelRole::Judge])
        .collect()
}

/// Checks that each role that a plan needs has servers.
///
/// # Errors
/// [`Error::usage`] for the first one without.
pub(super) fn check(config: &Config, products: &Products) -> Result<()> {
    for role in needed(products) {
        if !table(config, role).is_configured() {
            let name = role.name();
            return Err(Error::usage(format!("no {name} is configured")).field(name).help(format!(
                "add [{name}] with a model and endpoints to benchtop.toml, such as endpoints = [{{ url = \"http://127.0.0.1:8000/v1\" }}]"
            )));
        }
    }
    Ok(())
}

/// Where the roles of a plan and its painter are. All of them may be sent pictures.
///
/// # Errors
/// Invalid addresses.
pub(super) fn destinations(config: &Config, products: &Products) -> Result<Vec<Destination>> {
    let mut all = BTreeSet::new();
    for role in needed(products) {
        let to = trust::of_endpoints(&table(config, role).endpoints, DataKind::Pictures)?;
        all.extend(to);
    }
    all.extend(painter::destinations(config, products)?);
    Ok(all.into_iter().collect())
}

/// The highest prices of the roles, so that a budget of money is never exceeded.
pub(super) fn prices(config: &Config, products: &Products) -> Prices {
    let tables = needed(products).into_iter().map(|role| table(config, role));
    tables.fold((0, 0), |(into, out), table| {
        (into.max(table.price_in.0), out.max(table.price_out.0))
    })
}

/// Whether the judge is a model that also writes.
pub(super) fn judges_itself(config: &Config, products: &Products) -> bool {
    let models = |role: ModelRole| -> BTreeSet<String> {
        let table = table(config, role);
        let own = table.endpoints.iter().map(|e| e.model.as_ref());
        let all = own.map(|own| own.or(table.model.as_ref()).cloned());
        all.flatten().collect()
    };
    let judges = models(ModelRole::Judge);
    let others = needed(products)
        .into_iter()
        .filter(|role| *role != ModelRole::Judge);
    others
        .into_iter()
        .any(|role| !models(role).is_disjoint(&judges))
}

/// The models by role. Each answers one batch of requests at a time.
pub(super) type ChatModels = BTreeMap<ModelRole, Arc<Mutex<ChatModel>>>;

/// The models of a plan, and their tables.
pub(super) struct Models {
    config: Config,
    pub(super) built: ChatModels,
    /// The greatest useful number of requests at once.
    pub(super) batch: usize,
}

impl Models {
    /// The models of the roles that a plan needs, whose requests are counted for job `id`.
    ///
    /// # Errors
    /// Invalid addresses, and keys that are not set.
    pub(super) fn new(
        shared: &OwnerContext,
        (id, config): (u32, &Config),
        products: &Products,
    ) -> Result<Models> {
        let (mut built, mut batch) = (ChatModels::new(), 1);
        for role in needed(products) {
            let mut model = ChatModel::new(table(config, role))?;
            if let Some(meter) = shared.jobs.meter(id) {
                model.count_requests(meter);
            }
            batch = batch.max(model.abilities().max_batch);
            built.insert(role, Arc::new(Mutex::new(model)));
        }
        Ok(Models {
            config: config.clone(),
            built,
            batch,
        })
    }

    pub(super) fn table(&self, role: ModelRole) -> &Judge {
        table(&self.config, role)
    }
}
