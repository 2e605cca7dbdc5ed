//! Tells errors of the server from errors of a single question.

/// Number of consecutive failures that are attributed to the servers. The work then stops, and
/// these questions are asked again when it resumes.
pub const STREAK: usize = 8;
/// The same before the first answer, for a wrong address or model name.
pub const AT_FIRST: usize = 5;

/// Whether a refusal `SERVER: STATUS ...` concerns the question: a filtered or too large picture.
/// Any other status would occur for every question.
pub fn is_of_question(reason: &str) -> bool {
    let status = reason
        .split_once(": ")
        .and_then(|(_, rest)| rest.split(' ').next()?.parse::<u16>().ok());
    matches!(status, Some(400 | 413 | 415 | 422 | 451))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_errors_are_distinguished_from_server_errors() {
        assert!(is_of_question(
            "http://127.0.0.1:8000: 400 Bad Request: the picture was flagged"
        ));
        assert!(is_of_question("https://api.example: 413 Payload Too Large"));
        for other in [
            "http://h: 404 Not Found: no model `x`",
            "http://h: 401 Unauthorized",
            "no answer",
            "",
        ] {
            assert!(!is_of_question(other), "{other}");
        }
    }
}
