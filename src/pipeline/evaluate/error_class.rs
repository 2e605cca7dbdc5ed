//! When a question that was not answered is the server's fault, and when its own.

/// So many failures without an answer in between are the servers' and not the questions': the work ends, and these questions are asked
/// again when it goes on.
pub const STREAK: usize = 8;
/// The same before the first answer: a wrong address or a wrong model name.
pub const AT_FIRST: usize = 5;

/// Whether a refusal, `SERVER: STATUS ...`, is about what was asked: a picture that a filter takes out, one that is too
/// large. Any other status would come for every question.
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
    fn a_refusal_is_told_from_a_wrong_model() {
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
