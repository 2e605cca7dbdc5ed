//! Forms with files as the body of a request: `multipart/form-data` (RFC 7578).

/// A form that is ready to be sent.
pub(super) struct Form {
    /// The header, with the boundary.
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

/// One field of a form.
pub(super) enum Part<'a> {
    Text(&'a str, String),
    /// A PNG. Servers need a file name to take the field for a file.
    Png(&'a str, &'a [u8]),
}

/// Writes the parts as a form. The boundary is a digest of the parts, so that the same parts give the
/// same body, and no part can contain it.
pub(super) fn form(parts: &[Part<'_>]) -> Form {
    let mut digest = blake3::Hasher::new();
    for part in parts {
        let content = part.content();
        digest.update(part.header().as_bytes());
        digest.update(&(content.len() as u64).to_le_bytes());
        digest.update(content);
    }
    let boundary = format!("benchtop-{}", &digest.finalize().to_hex()[..48]);
    let mut body = Vec::new();
    for part in parts {
        let start = format!("--{boundary}\r\n{}\r\n\r\n", part.header());
        body.extend_from_slice(start.as_bytes());
        body.extend_from_slice(part.content());
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Form {
        content_type: format!("multipart/form-data; boundary={boundary}"),
        body,
    }
}

impl Part<'_> {
    fn header(&self) -> String {
        match self {
            Part::Text(name, _) => {
                format!("Content-Disposition: form-data; name=\"{}\"", quoted(name))
            }
            Part::Png(name, _) => {
                let name = quoted(name);
                format!(
                    "Content-Disposition: form-data; name=\"{name}\"; filename=\"{name}.png\"\r\n\
                     Content-Type: image/png"
                )
            }
        }
    }

    fn content(&self) -> &[u8] {
        match self {
            Part::Text(_, text) => text.as_bytes(),
            Part::Png(_, bytes) => bytes,
        }
    }
}

/// A name as browsers write it. Names come from `benchtop.toml`, and must not end a header.
fn quoted(name: &str) -> String {
    let name = name.replace('"', "%22");
    name.replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_one_part_per_field() {
        let parts = [
            Part::Text("a\"\r\nb", "one\r\ntwo".into()),
            Part::Png("image", b"\x89PNG\r\n--benchtop-"),
        ];
        let Form { content_type, body } = form(&parts);
        let boundary = content_type
            .strip_prefix("multipart/form-data; boundary=")
            .unwrap();
        // RFC 2046 allows 70 characters.
        assert_eq!(boundary.len(), 57);
        let mut expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a%22%0D%0Ab\"\r\n\r\none\r\ntwo\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"image\"; filename=\"image.png\"\r\n\
             Content-Type: image/png\r\n\r\n"
        )
        .into_bytes();
        expected.extend_from_slice(b"\x89PNG\r\n--benchtop-\r\n");
        expected.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        assert_eq!(body, expected);
        assert_eq!(form(&parts).body, body);
        assert_ne!(form(&parts[..1]).content_type, content_type);
    }
}
