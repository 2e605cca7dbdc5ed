//! `README.md` and `CHANGELOG.md` of a release, and text from outside in Markdown.

use std::fmt::Write as _;

use super::diff::ReleaseDiff;
use super::statistics::Statistics;
use benchtop_model::clean;
use benchtop_model::release::{ReleaseRecord, ReleaseReport};

/// Text from outside on one line.
pub(super) fn plain(text: &str) -> String {
    clean::line(text).into_owned()
}

/// Text from outside on one line of Markdown: it makes no link, tag, or code.
pub(super) fn line(text: &str) -> String {
    let mut out = String::new();
    for c in clean::line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '[' | '`' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// Name, version, and date.
pub(super) fn title(record: &ReleaseRecord) -> String {
    let mut title = record.name.clone();
    if let Some(version) = &record.version {
        let _ = write!(title, " {}", line(version));
    }
    if let Some(date) = &record.date {
        let _ = write!(title, " ({date})");
    }
    title
}

/// `README.md`.
pub(super) fn readme(
    project: &str,
    record: &ReleaseRecord,
    statistics: &Statistics,
    report: &ReleaseReport,
) -> String {
    let mut out = format!("# {}: {}\n\n", line(project), title(record));
    out.push_str("| | | |\n|---|---:|---|\n");
    for (name, number, unit) in statistics.rows() {
        let _ = writeln!(out, "| {name} | {number} | {unit} |");
    }
    let _ = write!(
        out,
        "\nItems were chosen with the filter `{}`.\n",
        plain(&record.filter).replace('`', "'")
    );
    if report.drafts > 0 {
        let _ = writeln!(
            out,
            "\n{} items show a draft of their picture.",
            report.drafts
        );
    }
    if report.sample > 0 {
        let _ = writeln!(
            out,
            "\n{} items are made-up items of benchtop's sample, and no data.",
            report.sample
        );
    }
    out.push_str(
        "\n## Files\n\n\
         | path | content |\n|---|---|\n\
         | `huggingface/` | Hugging Face's image folder: `load_dataset(\"DIR/huggingface\")` |\n\
         | `parquet/` | the same with the pictures inside: `load_dataset(\"DIR/parquet\")` |\n\
         | `records/` | `items.jsonl` with every field, Dysca's JSON with one file per scenario, and the pictures |\n\
         | `statistics/` | the statistics as text, JSON, and charts |\n\
         | `DATASHEET.md` | questions and answers on the data set |\n\
         | `LICENSES.md`, `licenses.json` | licenses, and the pictures that are left out |\n\
         | `CHANGELOG.md` | what changed since the release before |\n\
         | `release.json` | the items with digests of their parts |\n\
         | `manifest.json` | length and BLAKE3 hash of every file, and one hash of everything |\n\n\
         `benchtop release verify DIR` checks the folder against `manifest.json`.\n",
    );
    out
}

/// `CHANGELOG.md`. `changes` are those since the release before.
pub(super) fn changelog(record: &ReleaseRecord, changes: Option<&ReleaseDiff>) -> String {
    let mut out = format!("# Changes of {}\n", title(record));
    let Some(changes) = changes else {
        out.push_str("\nThis is the first release.\n");
        return out;
    };
    let _ = write!(out, "\nSince {}:\n", line(&changes.a.name));
    let mut list = |title: &str, ids: &mut dyn Iterator<Item = String>| {
        let lines: Vec<String> = ids.collect();
        let _ = write!(out, "\n## {title}: {} items\n", lines.len());
        for (at, id) in lines.iter().enumerate() {
            let _ = writeln!(out, "{}- {id}", if at == 0 { "\n" } else { "" });
        }
    };
    list("Added", &mut changes.added.iter().map(|id| line(id)));
    list("Removed", &mut changes.removed.iter().map(|id| line(id)));
    let changed = changes.changed.iter();
    let mut changed = changed.map(|item| format!("{}: {}", line(&item.id), item.what.join(", ")));
    list("Changed", &mut changed);
    out
}

/// The card that tells Hugging Face's loaders where the splits of each data set are. `folders` has the
/// folder of each data set and its splits with items, `pattern` makes the files of a split from its name.
pub(super) fn card(folders: &[(String, Vec<&str>)], pattern: &dyn Fn(&str) -> String) -> String {
    let mut out = String::from("---\nconfigs:\n");
    for (folder, splits) in folders {
        let (name, prefix) = match folders.len() {
            1 => ("default", String::new()),
            _ => (folder.as_str(), format!("{folder}/")),
        };
        // Names of folders have no quotes.
        let _ = write!(out, "- config_name: \"{name}\"\n  data_files:\n");
        for split in splits {
            let _ = write!(
                out,
                "  - split: {split}\n    path: \"{prefix}{}\"\n",
                pattern(split)
            );
        }
    }
    out.push_str("---\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_makes_no_markup() {
        let hostile = "a\u{1b}[31m<img src=x>\n# [b](http://c) `d`";
        let shown = line(hostile);
        assert!(!shown.contains('\u{1b}') && !shown.contains('\n') && !shown.contains('<'));
        assert!(shown.contains("\\[b](http://c)"), "{shown}");
    }
}
