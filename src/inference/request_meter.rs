//! Counts the requests to servers.

use benchtop_model::vlm::Usage;

/// Counts requests before they are sent, and decides whether they may be. Its methods may block, so
/// async code calls them on threads for that, unless [`is_quick`](Self::is_quick).
pub trait RequestMeter: Send + Sync {
    /// Counts a request that is about to be sent.
    ///
    /// # Errors
    /// Why it must not be sent. Then it is not counted.
    fn before_request(&self) -> Result<(), String>;

    /// Counts the tokens of an answer, before anybody hears of it. `None` if the server did not
    /// count them.
    fn after_answer(&self, usage: Option<Usage>);

    /// Whether the next count takes place in memory only. Handing it to another thread would cost
    /// more than a short request.
    fn is_quick(&self) -> bool {
        false
    }
}
