//! Items as JSON lines, for people and exports.

use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{Lines, request};

/// Maximum size of the item lines in one frame, in bytes.
const LINES_BYTES: usize = 2 << 20;

/// The line of an item with the files of its generated pictures.
pub(super) fn resolved(shared: &OwnerContext, line: String) -> String {
    shared.items.pictures().resolved(&line).unwrap_or(line)
}

impl Query for request::Lines {
    /// Lines and statuses of the items from number `from` on.
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Lines> {
        let from = self.0;
        let shared = view.shared();
        let catalog = shared.items.catalog();
        let mut row = from.saturating_sub(1) as usize;
        let mut json = Vec::new();
        let mut statuses = Vec::new();
        while row < catalog.len() && json.len() < LINES_BYTES {
            let (bytes, next) = catalog.chunk(row)?;
            json.extend_from_slice(&bytes);
            statuses.extend((row..next).map(|r| view.status(r as u32).0));
            row = next;
        }
        let mut json =
            String::from_utf8(json).map_err(|_| Error::corrupt("a stored item is not UTF-8"))?;
        if view.hides_parts() {
            let first = from.saturating_sub(1);
            let keyless = json
                .lines()
                .zip(first..)
                .map(|(line, row)| Ok(view.visible(row, line.into())? + "\n"));
            json = keyless.collect::<Result<String>>()?;
        }
        let pictures = shared.items.pictures();
        if !pictures.is_empty() {
            json = json.lines().fold(
                String::with_capacity(json.len() + json.len() / 4),
                |mut all, line| {
                    all.push_str(pictures.resolved(line).as_deref().unwrap_or(line));
                    all.push('\n');
                    all
                },
            );
        }
        Ok(Lines {
            json,
            statuses,
            next: (row < catalog.len()).then_some(row as u32 + 1),
        })
    }
}

impl Query for request::Items {
    /// Lines and statuses of these items.
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Lines> {
        let shared = view.shared();
        let catalog = shared.items.catalog();
        let mut lines = Lines {
            json: String::new(),
            statuses: Vec::new(),
            next: None,
        };
        for number in &self.0 {
            if lines.json.len() > LINES_BYTES {
                lines.next = Some(*number);
                break;
            }
            let row = number
                .checked_sub(1)
                .ok_or_else(|| Error::not_found("unknown item #0"))?;
            lines
                .json
                .push_str(&view.visible(row, resolved(shared, catalog.line(row as usize)?))?);
            lines.json.push('\n');
            lines.statuses.push(view.status(row).0);
        }
        Ok(lines)
    }
}
