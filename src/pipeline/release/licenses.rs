//! The licenses of a release: those of the pictures, those of the models that made pictures, and the
//! pictures that must not be redistributed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use serde::Serialize;

use super::document;
use benchtop_inference::hub;
use benchtop_model::generated_image::picture_key;
use benchtop_model::generation::Fingerprint;
use benchtop_model::{ImageRef, Item, Rights};
use benchtop_store::pictures::Pictures;

/// The kind of sensitive content of pictures under access rules.
const RESTRICTED: &str = "restricted";
/// Licenses that allow no redistribution: lower-case letters and digits only.
const CLOSED: [&str; 7] = [
    "allrightsreserved",
    "confidential",
    "none",
    "noredistribution",
    "notredistributable",
    "proprietary",
    "unlicensed",
];
/// The license of pictures that state none.
const UNSTATED: &str = "not stated";

/// Why a picture must not be redistributed, if so.
pub(super) fn withheld(rights: Option<&Rights>) -> Option<String> {
    let rights = rights?;
    let kinds = rights.sensitivity.iter();
    let mut kinds = kinds.filter(|kind| kind.trim().eq_ignore_ascii_case(RESTRICTED));
    if kinds.next().is_some() {
        return Some(RESTRICTED.into());
    }
    let license = rights.license.as_deref()?;
    let letters: String = license
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let is_closed = CLOSED.contains(&letters.to_ascii_lowercase().as_str());
    is_closed.then(|| format!("license: {license}"))
}

/// Pictures under one license.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct LicensedPictures {
    pub license: String,
    /// Different files, by hash.
    pub pictures: u64,
    /// Where they come from.
    pub sources: BTreeSet<String>,
    pub sensitivity: BTreeSet<String>,
}

/// A model that made pictures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Maker {
    /// Its name, or the backend for pictures without a model.
    pub model: String,
    pub license: Option<String>,
    pub pictures: u64,
}

/// A picture that is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct WithheldPicture {
    /// BLAKE3 hash of its file.
    pub blake3: String,
    pub why: String,
    pub source: Option<String>,
    /// Ids of the items that show it.
    pub items: BTreeSet<String>,
}

/// The licenses of a release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Licenses {
    pub pictures: Vec<LicensedPictures>,
    pub models: Vec<Maker>,
    /// By hash.
    pub withheld: Vec<WithheldPicture>,
}

/// Collects the licenses item by item.
#[derive(Debug, Default)]
pub(super) struct Collecting {
    /// License by hash of a file.
    seen: HashMap<String, bool>,
    by_license: BTreeMap<String, LicensedPictures>,
    /// Different files by short fingerprint.
    by_print: BTreeMap<String, u64>,
    withheld: BTreeMap<String, WithheldPicture>,
}

impl Collecting {
    pub fn add(&mut self, item: &Item, made: &Pictures) {
        for image in &item.images {
            let Some(hash) = &image.hash else { continue };
            let rights = image.rights.as_deref();
            if let Some(why) = withheld(rights) {
                let entry = self.withheld.entry(hash.clone()).or_default();
                (entry.blake3, entry.why) = (hash.clone(), why);
                entry.source = rights.and_then(|r| r.source.clone());
                entry.items.insert(item.id.clone());
            }
            let print = fingerprint(item, image, made);
            if self.seen.insert(hash.clone(), true).is_some() {
                continue;
            }
            if let Some(print) = &print {
                *self.by_print.entry(print.clone()).or_default() += 1;
            }
            let stated = rights.and_then(|r| r.license.clone());
            let license = match (stated, print) {
                (Some(license), _) => license,
                (None, Some(_)) => continue,
                (None, None) => UNSTATED.into(),
            };
            let entry = self.by_license.entry(license).or_default();
            entry.pictures += 1;
            entry.sources.extend(rights.and_then(|r| r.source.clone()));
            entry
                .sensitivity
                .extend(rights.into_iter().flat_map(|r| r.sensitivity.clone()));
        }
    }

    /// Whether generated pictures are among them.
    pub fn has_generated(&self) -> bool {
        !self.by_print.is_empty()
    }

    /// `prints` explains the fingerprints of generators.
    pub fn finish(self, prints: &BTreeMap<String, Fingerprint>) -> Licenses {
        let known = hub::models();
        let mut models: BTreeMap<String, Maker> = BTreeMap::new();
        for (print, pictures) in self.by_print {
            let parts = prints.get(&print).map(|print| &print.parts);
            let part = |name: &str| parts.and_then(|parts| parts.get(name)).cloned();
            let name = part("model")
                .or_else(|| part("endpoints"))
                .or_else(|| part("backend"));
            let name = name.unwrap_or_else(|| "unknown".into());
            let license = match part("backend").as_deref() {
                Some("storyboard") => Some("no model: drafts are drawn by benchtop".into()),
                _ => known
                    .iter()
                    .find(|model| is_named(&name, &model.name) || is_named(&name, &model.repo))
                    .map(|model| model.licence.clone()),
            };
            let maker = models.entry(name.clone()).or_insert(Maker {
                model: name,
                license,
                pictures: 0,
            });
            maker.pictures += pictures;
        }
        let named = |(license, pictures)| LicensedPictures {
            license,
            ..pictures
        };
        Licenses {
            pictures: self.by_license.into_iter().map(named).collect(),
            models: models.into_values().collect(),
            withheld: self.withheld.into_values().collect(),
        }
    }
}

/// Whether a recorded model is the one called `name`: the recorded text can also hold a revision or
/// the path of a folder.
fn is_named(recorded: &str, name: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '@' | ',' | ';' | '(');
    recorded == name
        || recorded.split(ends).any(|part| part == name)
        || recorded.starts_with(name) && recorded[name.len()..].starts_with(ends)
}

/// The fingerprint of the generator of a picture, if it was generated here.
fn fingerprint(item: &Item, image: &ImageRef, made: &Pictures) -> Option<String> {
    if made.is_empty() {
        return None;
    }
    let key = picture_key(&item.dataset, &image.name);
    let entry = made.samples(key).find(|entry| {
        let own = made.image(entry, &image.name);
        own.hash.is_some() && own.hash == image.hash
    })?;
    Some(made.fingerprint(entry).to_string())
}

impl Licenses {
    /// Different files without a stated license.
    pub fn unstated(&self) -> u64 {
        let stated = self.pictures.iter().filter(|p| p.license == UNSTATED);
        stated.map(|p| p.pictures).sum()
    }

    /// `LICENSES.md`.
    pub fn text(&self) -> String {
        let mut out = String::from("# Licenses\n\n## Pictures\n\n");
        if self.pictures.is_empty() {
            out.push_str("No picture came from elsewhere.\n");
        }
        for entry in &self.pictures {
            let _ = writeln!(
                out,
                "- {}: {} different files",
                document::line(&entry.license),
                entry.pictures
            );
            for source in &entry.sources {
                let _ = writeln!(out, "  - source: {}", document::line(source));
            }
            for kind in &entry.sensitivity {
                let _ = writeln!(out, "  - sensitive content: {}", document::line(kind));
            }
        }
        out.push_str("\n## Models that made pictures\n\n");
        if self.models.is_empty() {
            out.push_str("No picture was generated in the project.\n");
        }
        for maker in &self.models {
            let license = maker.license.as_deref();
            let _ = writeln!(
                out,
                "- {}: {} different files, license: {}",
                document::line(&maker.model),
                maker.pictures,
                document::line(license.unwrap_or("not known to benchtop"))
            );
        }
        out.push_str("\n## Pictures that are left out\n\n");
        if self.withheld.is_empty() {
            out.push_str("None.\n");
        }
        for picture in &self.withheld {
            let _ = write!(
                out,
                "- `{}` ({})",
                picture.blake3,
                document::line(&picture.why)
            );
            if let Some(source) = &picture.source {
                let _ = write!(out, ", source: {}", document::line(source));
            }
            let items: Vec<_> = picture.items.iter().map(|id| document::line(id)).collect();
            let _ = writeln!(out, ", shown by {}", items.join(", "));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restricted_pictures_and_closed_licenses_are_withheld() {
        let why = |license: &str, kinds: &[&str]| {
            withheld(Some(&Rights {
                source: None,
                license: (!license.is_empty()).then(|| license.into()),
                sensitivity: kinds.iter().map(|kind| (*kind).into()).collect(),
            }))
        };
        for closed in [
            "All rights reserved",
            "Proprietary",
            "no-redistribution",
            "NONE",
        ] {
            assert!(why(closed, &[]).is_some(), "{closed}");
        }
        for open in ["CC-BY-4.0", "CC0-1.0", "MIT", ""] {
            assert_eq!(why(open, &["celebrity", "violence"]), None, "{open}");
        }
        assert_eq!(why("CC-BY-4.0", &["Restricted"]), Some("restricted".into()));
        assert_eq!(withheld(None), None);
    }

    #[test]
    fn a_recorded_model_is_found_among_the_known_ones() {
        for recorded in ["sd-1.5", "sd-1.5@451f", "/models/sd-1.5", "sd-1.5 (fp16)"] {
            assert!(is_named(recorded, "sd-1.5"), "{recorded}");
        }
        assert!(!is_named("sd-1.5x", "sd-1.5") && !is_named("my-sd-1.5", "sd-1.5"));
        assert!(is_named("a/b@1", "a/b") && !is_named("a/bc", "a/b"));
    }
}
