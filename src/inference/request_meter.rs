//! Counts the requests to servers.

use benchtop_model::vlm::Usage;

/// Counts requests before they are sent, and decides whether they may be. Its methods may block, so
/// async code calls them on threads for that.
pub trait RequestMeter: Send + Sync {
    /// Counts a request that is about to be sent.
    ///
    /// # Errors
    /// Why it must not be sent. Then it is not counted.
    fn before_request(&self) -> Result<(), String>;

    /// Counts the tokens of an answer, before anybody hears of it. `None` if the server did not
    /// count them.
    fn after_answer(&self, usage: Option<Usage>);
}
