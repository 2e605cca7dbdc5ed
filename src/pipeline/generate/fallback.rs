//! A generator that replaces an unavailable one.

use std::sync::Arc;

use benchtop_inference::request_meter::RequestMeter;
use benchtop_inference::{GenerationEvent, ImageGenerator};
use benchtop_model::generation::{Capabilities, Fingerprint, Settings, Task};

/// A substitute generator, and why it is used. Its pictures carry its own fingerprint.
pub struct FallbackGenerator {
    pub generator: Box<dyn ImageGenerator>,
    /// Why the preferred generator is unavailable.
    pub why: String,
}

impl ImageGenerator for FallbackGenerator {
    fn capabilities(&self) -> &Capabilities {
        self.generator.capabilities()
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        self.generator.fingerprint(settings)
    }

    fn replaces_because(&self) -> Option<&str> {
        Some(&self.why)
    }

    fn count_requests(&mut self, meter: Arc<dyn RequestMeter>) {
        self.generator.count_requests(meter);
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    ) {
        self.generator.generate(settings, tasks, watch);
    }
}
