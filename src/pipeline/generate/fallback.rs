//! A generator in place of one that could not be had.

use benchtop_inference::{ImageGenerator, Told};
use benchtop_model::generation::{Capabilities, Fingerprint, Settings, Task};

/// What works in place of another, and why. What it makes is its own, under its own fingerprint.
pub struct FallbackGenerator {
    /// What works.
    pub generator: Box<dyn ImageGenerator>,
    /// Why the other does not.
    pub why: String,
}

impl ImageGenerator for FallbackGenerator {
    fn capabilities(&self) -> &Capabilities {
        self.generator.capabilities()
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        self.generator.fingerprint(settings)
    }

    fn instead(&self) -> Option<&str> {
        Some(&self.why)
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(Told) -> bool,
    ) {
        self.generator.generate(settings, tasks, watch);
    }
}
