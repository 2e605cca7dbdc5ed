//! Renders the table of requests as Markdown.

use super::request::Name;
use super::{Access, Blind, FRAME_LIMIT, Kind, PROTOCOL};

/// The contents of `docs/wire.md`.
pub fn wire_reference() -> String {
    let mut out = format!(
        "# The protocol between the owner process and its clients\n\n\
         Generated from the table in `src/protocol/wire/request.rs`. A test compares the two; run \
         `BENCHTOP_BLESS=1 cargo test -p benchtop-protocol wire_reference` to update this page.\n\n\
         Version {PROTOCOL}. Owner and client must have the same version. A frame is a 4-byte big-endian length and a \
         [postcard](https://postcard.jamesmunns.com) body of at most {} MiB. The client sends `Hello`, and the owner replies \
         `Welcome` or `Refused`. After that, every request carries a number, and its reply repeats the number. A client can \
         cancel a request by its number. Tasks report their progress. A page of the item list may come in parts.\n\n\
         The columns:\n\n\
         - **Kind.** `query`: runs on a lookup thread. `task`: runs on its own thread and reports progress. `decision`: \
         runs on the writer thread; the receipt is sent when the decision is on disk. `control`: runs in the connection \
         itself.\n\
         - **Who may.** `member`: everybody who can reach the socket. `owner`: in a shared project, only the project's owner. \
         `{}`: every member, but only the project's owner if the request consents to sending data off this machine.\n\
         - **Writes.** Such requests are refused in a read-only project.\n\
         - **Blind round.** How the request hides verdicts, notes, statuses, and scores of blind items from an annotator. \
         `{}`: the reply contains none of them. `{}`: a blind item looks pending. `{}`: refused if the reply would reveal \
         something about a blind item. `{}`: refused while a blind round hides anything from the annotator.\n",
        FRAME_LIMIT >> 20,
        Access::OwnerToConsent.label(),
        Blind::Nothing.label(),
        Blind::Filtered.label(),
        Blind::Guarded.label(),
        Blind::Refused.label(),
    );
    for kind in [Kind::Query, Kind::Task, Kind::Decision, Kind::Control] {
        out += &format!(
            "\n## Kind: {}\n\n| request | fields | reply | who may | writes | blind round | description |\n\
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

/// A type as inline code, without module paths.
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
    fn the_committed_wire_reference_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/wire.md");
        let made = wire_reference();
        if std::env::var_os("BENCHTOP_BLESS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            made == committed,
            "docs/wire.md is out of date; run BENCHTOP_BLESS=1 cargo test -p benchtop-protocol wire_reference"
        );
        for name in Name::ALL {
            let row = format!("\n| {} |", name.row().name);
            assert_eq!(committed.matches(&row).count(), 1, "{name:?} has one row");
        }
    }
}
