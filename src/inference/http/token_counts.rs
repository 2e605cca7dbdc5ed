//! The token counts of responses.

use serde_json::Value;

use super::error_body::json;
use benchtop_model::vlm::Usage;

/// The token counts in `usage`, with the names of the chat API or of the image API. `None` unless
/// both are valid counts.
pub(super) fn token_counts(value: &Value) -> Option<Usage> {
    let usage = value.get("usage")?;
    let count = |names: [&str; 2]| {
        let count = names.iter().find_map(|name| usage.get(*name))?;
        count.as_u64().or_else(|| {
            count
                .as_f64()
                .filter(|c| (0.0..1e15).contains(c))
                .map(|c| c as u64)
        })
    };
    Some(Usage {
        prompt: count(["prompt_tokens", "input_tokens"])?,
        completion: count(["completion_tokens", "output_tokens"])?,
    })
}

/// The same for a response that has no usable answer.
pub(super) fn token_counts_of(bytes: &[u8]) -> Option<Usage> {
    token_counts(&json(bytes).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_apis_name_their_counts() {
        let of = |text: &str| token_counts_of(text.as_bytes()).map(|u| (u.prompt, u.completion));
        let chat = r#"{"usage": {"prompt_tokens": 12, "completion_tokens": 3.0}}"#;
        let images = r#"{"data": [], "usage": {"input_tokens": 5, "output_tokens": 4160}}"#;
        assert_eq!((of(chat), of(images)), (Some((12, 3)), Some((5, 4160))));
        for none in [
            "{}",
            "not json",
            r#"{"usage": {"prompt_tokens": 1}}"#,
            r#"{"usage": {"prompt_tokens": -1, "completion_tokens": 2}}"#,
        ] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
