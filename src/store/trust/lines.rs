//! The lines of the trust file.

use serde::{Deserialize, Serialize};

use super::{Agreement, Linked, TrustedJob};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, Result};

/// Version of the lines.
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Line {
    Agreement(Agreement),
    Pictures(Linked),
    Job(TrustedJob),
}

#[derive(Serialize, Deserialize)]
struct VersionedLine {
    v: u8,
    #[serde(flatten)]
    line: Line,
}

/// Content of the trust file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustFile {
    pub agreements: Vec<Agreement>,
    pub links: Vec<Linked>,
    /// Jobs, oldest first.
    pub jobs: Vec<TrustedJob>,
    /// Lines that this version cannot parse. They grant nothing and are kept.
    pub unread: Vec<String>,
}

impl TrustFile {
    /// Whether the person agreed to send data to `to`, or need not agree.
    pub fn agrees(&self, to: &Destination) -> bool {
        to.needs_no_consent() || self.agreements.iter().any(|a| a.destination.covers(to))
    }

    pub(super) fn parse(text: &str) -> TrustFile {
        let mut held = TrustFile::default();
        for line in text.lines().filter(|l| !l.trim().is_empty()) {
            match serde_json::from_str::<VersionedLine>(line) {
                Ok(VersionedLine {
                    v: VERSION,
                    line: Line::Agreement(agreement),
                }) => held.agreements.push(agreement),
                Ok(VersionedLine {
                    v: VERSION,
                    line: Line::Pictures(linked),
                }) => held.links.push(linked),
                Ok(VersionedLine {
                    v: VERSION,
                    line: Line::Job(job),
                }) => held.jobs.push(job),
                _ => held.unread.push(line.to_string()),
            }
        }
        held
    }

    pub(super) fn text(&self) -> Result<String> {
        let mut text = String::new();
        let mut put = |line: Line| -> Result<()> {
            let line = serde_json::to_string(&VersionedLine { v: VERSION, line })
                .map_err(|e| Error::failed(e.to_string()))?;
            text.push_str(&line);
            text.push('\n');
            Ok(())
        };
        self.agreements
            .iter()
            .try_for_each(|a| put(Line::Agreement(a.clone())))?;
        self.links
            .iter()
            .try_for_each(|l| put(Line::Pictures(l.clone())))?;
        self.jobs
            .iter()
            .try_for_each(|j| put(Line::Job(j.clone())))?;
        self.unread
            .iter()
            .for_each(|line| text.push_str(&format!("{line}\n")));
        Ok(text)
    }
}
