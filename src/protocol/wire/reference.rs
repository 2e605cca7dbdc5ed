//! The table of requests in words.

use super::request::Name;
use super::{Access, Blind, FRAME_LIMIT, Kind, PROTOCOL};

/// The protocol in Markdown: `docs/wire.md`.
pub fn wire_reference() -> String {
    let mut out = format!(
        "# The protocol between the owner process and its clients\n\n\
         Made from the table in `src/protocol/wire/request.rs`; a test keeps the two the same \
         (`BENCHTOP_BLESS=1 cargo test -p benchtop-protocol wire_reference` rewrites this page).\n\n\
         Version {PROTOCOL}; owner and client must have the same. A frame is a 4-byte big-endian length and a \
         [postcard](https://postcard.jamesmunns.com) body of at most {} MiB. The client sends `Hello` and the owner replies \
         `Welcome` or `Refused`. From then on every request carries a number, and its reply the same number. A request can be \
         cancelled by its number. Long tasks send their progress, and a page of the item list may come in parts.\n\n\
         What the columns say:\n\n\
         - **Runs on.** `query`: a thread beside the writer. `task`: a thread of its own, with progress. `decision`: the writer \
         thread; the receipt comes once the decision is on disk. `control`: the conversation itself.\n\
         - **Who may.** `member`: everybody who reaches the socket. `owner`: in a shared project only the user it belongs to. \
         `{}`: members, but only the owner where the request consents to what leaves the machine.\n\
         - **Writes.** Refused while the project can only be read.\n\
         - **Blind round.** How the request keeps verdicts, notes, statuses and scores of veiled items from an annotator. \
         `{}`: the reply holds none. `{}`: a veiled item looks as if nobody had judged it. `{}`: refused where the reply would \
         tell of a veiled item. `{}`: refused while a blind round keeps anything from the annotator.\n",
        FRAME_LIMIT >> 20,
        Access::OwnerToConsent.label(),
        Blind::Nothing.label(),
        Blind::Filtered.label(),
        Blind::Guarded.label(),
        Blind::Refused.label(),
    );
    for kind in [Kind::Query, Kind::Task, Kind::Decision, Kind::Control] {
        out += &format!(
            "\n## Kind: {}\n\n| request | fields | reply | who may | writes | blind round | what it asks |\n\
             |---|---|---|---|---|---|---|\n",
            kind.label()
        );
        for row in Name::ALL
            .iter()
            .map(|name| name.row())
            .filter(|row| row.kind == kind)
        {
            let field = |(name, kind): &(&str, &str)| {
                if name.is_empty() {
                    cell(kind)
                } else {
                    format!("`{name}`: {}", cell(kind))
                }
            };
            let fields = row.fields.iter().map(field).collect::<Vec<_>>().join(", ");
            let reply = if row.reply == "()" {
                String::new()
            } else {
                cell(row.reply)
            };
            let (access, writes, blind) = (row.access.label(), row.writes, row.blind.label());
            let doc = row
                .doc
                .iter()
                .map(|line| line.trim())
                .collect::<Vec<_>>()
                .join(" ");
            let doc = doc
                .replace("[`super::", "[`")
                .replace("[`", "`")
                .replace("`]", "`")
                .replace('|', "\\|");
            out += &format!(
                "| {} | {fields} | {reply} | {access} | {writes} | {blind} | {doc} |\n",
                row.name
            );
        }
    }
    out
}

/// A type as code, without the paths that lead to it.
fn cell(kind: &str) -> String {
    let compact: String = kind
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace(" ::", "::")
        .replace(":: ", "::");
    let bare = compact
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">");
    let word = |word: &str| word.rsplit("::").next().unwrap_or(word).to_string();
    let mut out = String::new();
    let mut path = String::new();
    for c in bare.chars() {
        if c.is_alphanumeric() || c == '_' || c == ':' {
            path.push(c);
        } else {
            out += &word(&std::mem::take(&mut path));
            out.push(c);
        }
    }
    format!("`{}`", out + &word(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_reference_is_the_committed_one() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/wire.md");
        let made = wire_reference();
        if std::env::var_os("BENCHTOP_BLESS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            made == committed,
            "docs/wire.md is out of date: BENCHTOP_BLESS=1 cargo test -p benchtop-protocol wire_reference rewrites it"
        );
        for name in Name::ALL {
            let row = format!("\n| {} |", name.row().name);
            assert_eq!(committed.matches(&row).count(), 1, "{name:?} has one row");
        }
    }
}
