//! What the owner holds of the pictures that items request.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use benchtop_inference::ImageGenerator;
use benchtop_model::Result;
use benchtop_model::config::Config;
use benchtop_model::generated_image::PictureState;
use benchtop_model::job::GenerationOverrides;
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_store::damaged_pictures::Damaged;
use benchtop_store::present_pictures::Present;

/// Builds a generator.
pub type GeneratorFactory =
    Box<dyn Fn(&Config, &GenerationOverrides) -> Result<Box<dyn ImageGenerator>> + Send + Sync>;

/// The picture states of all items, with what they were computed from.
pub(super) type States = (
    Arc<RequestedImages>,
    usize,
    u64,
    HashSet<u64>,
    PictureStates,
);

/// The state of each item's picture, with a number that changes when files are added or removed.
pub type PictureStates = (u64, Arc<Vec<PictureState>>);

/// The pictures that items request, as far as they were read.
pub struct Requested {
    maker: GeneratorFactory,
    pub(super) named: Mutex<Option<Arc<RequestedImages>>>,
    pub(super) states: Mutex<Option<States>>,
    pub(super) present: Mutex<Present>,
    /// The files whose bytes differ from the recorded hash, as far as they were checked.
    pub(super) damaged: Mutex<Damaged>,
    /// Version counter of `states`, to detect outdated lists.
    pub(super) found: AtomicU64,
}

impl Requested {
    /// Nothing is read yet. `maker` builds generators.
    pub fn new(maker: GeneratorFactory) -> Requested {
        Requested {
            maker,
            named: Mutex::default(),
            states: Mutex::default(),
            present: Mutex::default(),
            damaged: Mutex::default(),
            found: AtomicU64::new(0),
        }
    }

    /// Builds a generator.
    ///
    /// # Errors
    /// Why it is not available.
    pub(crate) fn generator(
        &self,
        config: &Config,
        wishes: &GenerationOverrides,
    ) -> Result<Box<dyn ImageGenerator>> {
        (self.maker)(config, wishes)
    }
}
