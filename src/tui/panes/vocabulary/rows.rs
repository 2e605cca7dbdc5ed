//! The terms of a vocabulary as table rows.

use std::collections::HashMap;

use crate::theme::Role;
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::widgets::text::grouped;
use benchtop_compose::metadata::{Metadata, STYLE};
use benchtop_model::usage::TermUse;
use benchtop_model::{Finding, Severity};

/// A filter of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    #[default]
    All,
    /// Terms that differ from the disk.
    Changed,
    Found,
    Disabled,
}

impl Show {
    /// All filters in menu order.
    pub const ALL: [Show; 4] = [Show::All, Show::Changed, Show::Found, Show::Disabled];

    /// The name in the heading and the menu.
    pub fn name(self) -> &'static str {
        match self {
            Show::All => "all terms",
            Show::Changed => "changed",
            Show::Found => "with findings",
            Show::Disabled => "disabled",
        }
    }
}

/// A term of the vocabulary, or a style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Position in the file.
    pub at: usize,
    /// The term, or the style's name.
    pub text: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// Kept in the file but not used in questions.
    pub disabled: bool,
}

/// The terms of a vocabulary, or the styles.
pub fn entries(metadata: &Metadata, name: &str) -> Vec<Entry> {
    if name == STYLE {
        let entry = |(at, s): (usize, &benchtop_compose::metadata::Style)| Entry {
            at,
            text: s.name.clone(),
            line: s.line,
            disabled: s.disabled,
        };
        return metadata.styles().iter().enumerate().map(entry).collect();
    }
    let entry = |(at, t): (usize, &benchtop_compose::metadata::Term)| Entry {
        at,
        text: t.text.clone(),
        line: t.line,
        disabled: t.disabled,
    };
    metadata.vocabularies().get(name).map_or(Vec::new(), |v| {
        v.terms().iter().enumerate().map(entry).collect()
    })
}

pub fn columns() -> Vec<Spec> {
    vec![
        Spec::text("term", 22),
        Spec::text("state", 5),
        Spec::number("items", "", ColumnKind::Number, 7),
        Spec::number("accepted", "", ColumnKind::Share, 12),
        Spec::text("rules", 16),
        Spec::text("finding", 20),
    ]
}

/// Facts about the terms from outside their file.
pub struct Known<'k> {
    /// The terms on disk, each with whether it is disabled.
    pub base: HashMap<&'k str, bool>,
    pub found: HashMap<u32, Vec<&'k Finding>>,
    /// The vocabulary and the compatibility rules, if there are any.
    pub rules: Option<(&'k str, &'k benchtop_compose::metadata::Rules)>,
    /// Usage counts by term; `None` until they arrive.
    pub usage: Option<HashMap<&'k str, &'k TermUse>>,
}

impl Known<'_> {
    fn changed(&self, entry: &Entry) -> bool {
        self.base.get(entry.text.as_str()) != Some(&entry.disabled)
    }

    /// Whether a filter and a search (in lower case) keep a term.
    pub fn passes(&self, entry: &Entry, show: Show, search: &str) -> bool {
        let fits = match show {
            Show::All => true,
            Show::Changed => self.changed(entry),
            Show::Found => self.found.contains_key(&entry.line),
            Show::Disabled => entry.disabled,
        };
        fits && (search.is_empty() || entry.text.to_lowercase().contains(search))
    }

    pub fn row(&self, entry: &Entry) -> Vec<LocalCell> {
        let dim = entry.disabled;
        let text = if dim { Role::Dim } else { Role::Text };
        let term = LocalCell::text(&entry.text).role(text);
        let found = self.found.get(&entry.line).map_or(&[][..], Vec::as_slice);
        let worst = found.iter().map(|f| f.severity()).max();
        let mark = match worst {
            Some(Severity::Error) => "!",
            Some(Severity::Warning) => "?",
            None => " ",
        };
        let state = match self.base.get(entry.text.as_str()) {
            _ if entry.disabled => "off",
            None => "new",
            Some(true) => "on",
            Some(false) => "",
        };
        let status = LocalCell::text(format!("{mark}{state}")).role(match (worst, state) {
            (Some(Severity::Error), _) => Role::Bad,
            (Some(Severity::Warning), _) => Role::Warn,
            (None, "new" | "on") => Role::Pending,
            _ => Role::Dim,
        });
        let (items, accepted) = match &self.usage {
            None => (LocalCell::number("…", None), LocalCell::number("…", None)),
            Some(usage) => {
                let all = usage
                    .get(entry.text.as_str())
                    .map(|u| u.items)
                    .unwrap_or_default();
                let rate = all.acceptance();
                let shown = rate.map_or("-".into(), |(share, n)| {
                    format!("{:.0} % of {}", share * 100.0, grouped(n))
                });
                (
                    LocalCell::count(all.all()),
                    LocalCell::number(shown, rate.map(|(share, _)| share)),
                )
            }
        };
        let summary = self.rules.map_or(String::new(), |(name, rules)| {
            super::rules::summary(rules, name, &entry.text)
        });
        let rules = LocalCell::text(summary).role(text);
        let more = if found.len() > 1 {
            format!(" (+{})", found.len() - 1)
        } else {
            String::new()
        };
        let first = found.first();
        let finding = first.map_or(String::new(), |f| format!("{}{more}", f.message));
        let finding = LocalCell::text(finding).role(match worst {
            Some(Severity::Error) => Role::Bad,
            _ => Role::Warn,
        });
        let (items, accepted) = (items.role(text), accepted.role(text));
        vec![term, status, items, accepted, rules, finding]
    }
}
