//! Damaged input gives an error with file, line, and field, and never a panic.

use std::io::{BufReader, Read};
use std::path::Path;

use benchtop::formats::{self, Format, RECORD_LIMIT, Records};
use benchtop::model::ErrorKind;

/// A record's id, or the line and field of its error.
type Outcome = Result<String, (u64, String)>;

/// Every record or error in `bytes`.
fn read(bytes: impl Into<Vec<u8>>, format: &Format) -> Vec<Outcome> {
    let input = Box::new(std::io::Cursor::new(bytes.into()));
    let name = Path::new("f.json");
    let tell = |error: benchtop::model::Error| {
        assert_eq!(error.kind, ErrorKind::Input, "{error}");
        assert_eq!(error.place.file.as_deref(), Some(name), "{error}");
        let field = error.place.field.clone().unwrap_or_default();
        (error.place.line.unwrap_or_default(), field)
    };
    if format.has_predictions {
        let rows = formats::predictions_from(input, name, format).unwrap();
        rows.map(|(_, r)| r.map(|p| p.key.to_string()).map_err(tell))
            .collect()
    } else {
        let rows = formats::items_from(input, name, format, "d").unwrap();
        rows.map(|(_, r)| r.map(|i| i.id).map_err(tell)).collect()
    }
}

const GOOD: &str = r#"{"id": 1, "images": ["a.png"], "question": "Q?", "answer": "x", "question_type": "multi choice", "options": ["x", "y"]}"#;

fn ok(id: &str) -> Outcome {
    Ok(id.to_string())
}

fn wrong(line: u64, field: &str) -> Outcome {
    Err((line, field.to_string()))
}

#[test]
fn byte_order_mark_and_windows_line_ends_are_fine() {
    let second = GOOD.replace("\"id\": 1", "\"id\": 2");
    let lines = format!("\u{FEFF}{GOOD}\r\n\r\n{second}\r\n");
    assert_eq!(
        read(lines, formats::named("dysca").unwrap()),
        [ok("d/1"), ok("d/2")]
    );
    let array = format!("\u{FEFF}[\r\n{GOOD},\r\n{second}\r\n]\r\n");
    assert_eq!(
        read(array, formats::named("dysca").unwrap()),
        [ok("d/1"), ok("d/2")]
    );
}

#[test]
fn truncated_files_name_the_line() {
    let cut = &GOOD[..60];
    assert_eq!(
        read(format!("{GOOD}\n{cut}"), formats::named("dysca").unwrap())[1],
        wrong(2, "")
    );
    assert_eq!(
        read(
            format!("[\n{GOOD},\n{cut}"),
            formats::named("dysca").unwrap()
        )[1],
        wrong(3, "")
    );
    let missing = read(format!("[\n{GOOD}\n"), formats::named("dysca").unwrap());
    assert_eq!(missing[1], wrong(3, ""));
    assert_eq!(missing.len(), 2);
}

#[test]
fn one_bad_record_leaves_the_others() {
    let second = GOOD.replace("\"id\": 1", "\"id\": 2");
    for (from, to, field) in [
        ("multi choice", "essay", "question_type"),
        ("\"answer\": \"x\"", "\"answer\": \"z\"", "answer"),
        ("\"answer\": \"x\"", "\"answer\": 4", "answer"),
        ("\"Q?\"", "\"\"", "question"),
        ("[\"x\", \"y\"]", "{\"x\": 1}", "options"),
        ("\"id\": 1", "\"id\": null", "id"),
    ] {
        let found = read(
            format!("{}\n{second}", GOOD.replace(from, to)),
            formats::named("dysca").unwrap(),
        );
        assert_eq!(found[0], wrong(1, field));
        assert_eq!(found[1], ok("d/2"));
    }
}

#[test]
fn bytes_that_are_no_text_name_their_line() {
    let mut bytes = format!("{GOOD}\n").into_bytes();
    bytes.extend(b"{\"id\": \"\xFF\"}\n");
    bytes.extend(GOOD.replace("\"id\": 1", "\"id\": 3").bytes());
    let found = read(bytes, formats::named("dysca").unwrap());
    assert_eq!(found[1], wrong(2, ""));
    assert_eq!(found[2], ok("d/3"));
    assert_eq!(
        read(
            "{\"question_id\": 1, \"output\": NaN}",
            formats::named("mvp-predictions").unwrap()
        ),
        [wrong(1, "")]
    );
}

#[test]
fn our_own_form_names_what_is_missing() {
    let found = read(
        "{\"id\": \"d/1\", \"dataset\": \"d\", \"key\": 1, \"form\": \"plain\", \"kind\": \"yes-no\"}",
        formats::named("benchtop-jsonl").unwrap(),
    );
    assert_eq!(found[0], wrong(1, "question"));
    let item = "{\"id\": \"d/2\", \"dataset\": \"d\", \"key\": 1, \"form\": \"plain\", \"kind\": \"yes-no\", \"question\": \"Q\", \"answer\": \"no\"}";
    assert_eq!(
        read(item, formats::named("benchtop-jsonl").unwrap())[0],
        wrong(1, "id")
    );
    assert_eq!(
        read(
            item.replace("d/2", "d/1"),
            formats::named("benchtop-jsonl").unwrap()
        ),
        [ok("d/1")]
    );
}

/// A reader that makes up a record of `left` bytes without holding it, and counts what was asked of it.
struct Long {
    head: &'static [u8],
    left: usize,
    tail: &'static [u8],
}

impl Read for Long {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if !self.head.is_empty() {
            return self.head.read(out);
        }
        if self.left > 0 {
            let n = out.len().min(self.left);
            out[..n].fill(b'x');
            self.left -= n;
            return Ok(n);
        }
        self.tail.read(out)
    }
}

#[test]
fn an_over_long_record_is_refused_and_the_next_one_read() {
    for (head, tail) in [
        (&b"{\"a\":1}\n{\"b\":\""[..], &b"\"}\n{\"c\":3}\n"[..]),
        (&b"[{\"a\":1},\n{\"b\":\""[..], &b"\"},\n{\"c\":3}]"[..]),
    ] {
        let mut records = Records::new(BufReader::new(Long {
            head,
            left: 20 << 20,
            tail,
        }));
        assert_eq!(records.next_record().unwrap().unwrap().bytes, b"{\"a\":1}");
        let problem = records.next_record().unwrap_err();
        assert_eq!(problem.place.line, Some(2));
        assert!(
            problem.what.contains(&RECORD_LIMIT.to_string()),
            "{problem}"
        );
        assert_eq!(records.next_record().unwrap().unwrap().bytes, b"{\"c\":3}");
        assert!(records.next_record().unwrap().is_none());
    }
}
