//! Work of a pane that is due later.

/// A time in milliseconds of the program's clock, while something is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer(Option<u64>);

impl Timer {
    /// Starts, unless it already runs.
    pub fn start(&mut self, due: u64) {
        self.0.get_or_insert(due);
    }

    /// Starts again, even if it runs.
    pub fn restart(&mut self, due: u64) {
        self.0 = Some(due);
    }

    pub fn stop(&mut self) {
        self.0 = None;
    }

    pub fn due(self) -> Option<u64> {
        self.0
    }

    /// Whether the time has come. Then the timer stops.
    pub fn is_over(&mut self, now: u64) -> bool {
        let over = self.0.is_some_and(|due| due <= now);
        if over {
            self.stop();
        }
        over
    }
}
