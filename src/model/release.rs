//! Releases: the request, the record that the project keeps, and the report.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{Error, Result};
use super::filter::Filter;
use super::hash::of_texts;
use super::item::{Item, Role};
use super::name;
use super::status::Status;

/// Stands for the name of the newest release in filters.
pub const NEWEST: &str = "newest";
/// Names that no release can have: those of subcommands, and [`NEWEST`].
const RESERVED: [&str; 4] = [NEWEST, "datasheet", "diff", "verify"];
/// Name of the split without `--split`, as Hugging Face's loaders expect it.
pub const WHOLE: &str = "train";
/// Longest version, in bytes.
const VERSION_LIMIT: usize = 100;
/// Most splits of a release.
const SPLITS_LIMIT: usize = 16;
/// Version of the record.
pub const VERSION: u8 = 1;

/// A split and its share of the items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    pub name: String,
    /// Its share, relative to the sum of all shares.
    pub share: u32,
}

/// Parses splits such as `train=80,test=20`. An empty text is one split of all items.
///
/// # Errors
/// [`Error::usage`] with the field `split`.
pub fn parse_splits(text: &str) -> Result<Vec<Split>> {
    let wrong = |what: String| {
        Error::usage(what)
            .field("split")
            .help("name each split with its share, such as `train=80,test=20`")
    };
    let mut splits: Vec<Split> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let split = part.split_once('=').and_then(|(name, share)| {
            let share = share
                .trim()
                .parse()
                .ok()
                .filter(|n| (1..=1_000_000).contains(n))?;
            let name = name.trim().to_string();
            Some(Split { name, share })
        });
        let split = split.ok_or_else(|| wrong(format!("`{part}` is no split with its share")))?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if split.name.is_empty() || split.name.len() > 40 || !split.name.chars().all(is_plain) {
            let what = format!("`{}` cannot name a split", split.name);
            return Err(wrong(what).help("use letters, digits, and `_`, at most 40"));
        }
        if splits
            .iter()
            .any(|s| s.name.eq_ignore_ascii_case(&split.name))
        {
            return Err(wrong(format!("the split `{}` is named twice", split.name)));
        }
        splits.push(split);
    }
    if splits.len() > SPLITS_LIMIT {
        return Err(wrong(format!("the maximum is {SPLITS_LIMIT} splits")));
    }
    Ok(splits)
}

/// Checks the name of a release, which is also that of a folder and a file.
///
/// # Errors
/// [`Error::usage`] with the field `name`.
pub fn check_name(wanted: &str) -> Result<()> {
    name::check(wanted, "a release").map_err(|problem| problem.field("name"))?;
    if RESERVED.contains(&wanted) {
        let what = format!("`{wanted}` cannot name a release: it has another meaning here");
        return Err(Error::usage(what)
            .field("name")
            .help("use a name such as `v1`"));
    }
    Ok(())
}

/// A request to release items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseRequest {
    pub name: String,
    /// Filter words. Without a status among them, only accepted items are released.
    pub filter: String,
    /// The folder; `None` for `releases/NAME` in the project.
    pub out: Option<PathBuf>,
    pub version: Option<String>,
    /// `YYYY-MM-DD`; `None` for the day of the newest verdict.
    pub date: Option<String>,
    /// Empty for one split, [`WHOLE`].
    pub splits: Vec<Split>,
    /// Seed of the assignment to splits.
    pub seed: u64,
    /// Include items that show a draft.
    pub drafts: bool,
    /// Only count.
    pub dry: bool,
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, digits: usize, most: u32| {
        let is_number = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
        is_number && part.parse().is_ok_and(|n: u32| (1..=most).contains(&n))
    };
    match parts.as_slice() {
        [year, month, day] => number(year, 4, 9999) && number(month, 2, 12) && number(day, 2, 31),
        _ => false,
    }
}

impl ReleaseRequest {
    /// Checks name, version, date, and filter.
    ///
    /// # Errors
    /// [`Error::usage`] with the field.
    pub fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        if let Some(version) = &self.version
            && (version.trim().is_empty()
                || version.len() > VERSION_LIMIT
                || version.chars().any(char::is_control))
        {
            let what = format!("a version is a line of at most {VERSION_LIMIT} bytes");
            return Err(Error::usage(what).field("version"));
        }
        if self.date.as_deref().is_some_and(|date| !is_date(date)) {
            return Err(Error::usage("a date is written as 2026-11-24").field("date"));
        }
        self.chosen().map(drop)
    }

    /// The filter that chooses the items. Without a status, it keeps the accepted ones.
    ///
    /// # Errors
    /// [`Error::usage`] for a filter that cannot be read.
    pub fn chosen(&self) -> Result<Filter> {
        let mut filter = Filter::parse(&self.filter)?.exact();
        if filter.all().all(|f| f.status.is_empty()) {
            filter.status = vec![Status::Accepted];
        }
        Ok(filter)
    }

    /// The arguments of the command line that does the same, after the name of the program.
    pub fn arguments(&self) -> Vec<String> {
        let mut all = vec!["release".to_string(), self.name.clone()];
        let mut option = |name: &str, value: Option<String>| {
            all.extend(
                value
                    .into_iter()
                    .flat_map(|value| [name.to_string(), value]),
            );
        };
        let filter = Some(self.filter.clone());
        option("--filter", filter.filter(|text| !text.trim().is_empty()));
        let out = self
            .out
            .as_ref()
            .map(|out| out.to_string_lossy().into_owned());
        option("--out", out);
        option("--version", self.version.clone());
        option("--date", self.date.clone());
        if !self.splits.is_empty() {
            let shares = self
                .splits
                .iter()
                .map(|s| format!("{}={}", s.name, s.share));
            option("--split", Some(shares.collect::<Vec<_>>().join(",")));
            if self.seed != 0 {
                option("--seed", Some(self.seed.to_string()));
            }
        }
        if self.drafts {
            all.push("--drafts".into());
        }
        all
    }
}

/// An item of a release, by digests of what people judge: 16 hex digits each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    from = "(String, String, String, String, String, String)",
    into = "(String, String, String, String, String, String)"
)]
pub struct ReleasedItem {
    pub id: String,
    /// Of the question and the whole text that models get.
    pub question: String,
    pub options: String,
    pub answer: String,
    pub pictures: String,
    /// The status, by name.
    pub verdict: String,
}

type Parts = (String, String, String, String, String, String);

impl From<Parts> for ReleasedItem {
    fn from((id, question, options, answer, pictures, verdict): Parts) -> ReleasedItem {
        ReleasedItem {
            id,
            question,
            options,
            answer,
            pictures,
            verdict,
        }
    }
}

impl From<ReleasedItem> for Parts {
    fn from(item: ReleasedItem) -> Parts {
        (
            item.id,
            item.question,
            item.options,
            item.answer,
            item.pictures,
            item.verdict,
        )
    }
}

impl ReleasedItem {
    /// The record of an item with this status.
    pub fn of(item: &Item, status: Status) -> ReleasedItem {
        let digest = |texts: &mut dyn Iterator<Item = &str>| of_texts(texts).to_hex()[..16].into();
        let role = |role: Role| match role {
            Role::Correct => "correct",
            Role::Distractor => "distractor",
            Role::Refusal => "refusal",
        };
        let instruction = item.instruction.as_deref().unwrap_or_default();
        let options = item.options.iter();
        let mut options = options.flat_map(|option| [option.text.as_str(), role(option.role)]);
        let images = item.images.iter();
        let mut images = images.map(|image| image.hash.as_deref().unwrap_or(&image.name));
        ReleasedItem {
            id: item.id.clone(),
            question: digest(&mut [item.question.as_str(), instruction].into_iter()),
            options: digest(&mut options),
            answer: digest(&mut std::iter::once(item.answer.as_str())),
            pictures: digest(&mut images),
            verdict: status.name().into(),
        }
    }
}

/// What the project keeps of a release, and what `release.json` in its folder says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReleaseRecord {
    pub v: u8,
    pub name: String,
    /// Position among the releases of the project, from 1.
    pub number: u32,
    /// The release before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The filter that chose the items.
    #[serde(default)]
    pub filter: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<Split>,
    #[serde(default)]
    pub seed: u64,
    /// Hash of everything in the folder, from its manifest. Only in the project: the folder cannot
    /// hold its own hash here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    #[serde(default)]
    pub statistics: Value,
    /// Items of the sample that `benchtop sample` adds: they are made up.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub sample: u64,
    /// The items, ordered by number.
    pub items: Vec<ReleasedItem>,
}

impl ReleaseRecord {
    /// Parses a record.
    ///
    /// # Errors
    /// [`Error::input`] for another version or an invalid name.
    pub fn parse(bytes: &[u8]) -> Result<ReleaseRecord> {
        let record: ReleaseRecord = serde_json::from_slice(bytes)
            .map_err(|e| Error::input(e.to_string()).line(e.line() as u64))?;
        if record.v != VERSION {
            let what = format!("version {} of a release is not known", record.v);
            return Err(Error::input(what).field("v").help("use a newer benchtop"));
        }
        name::check(&record.name, "a release")
            .map_err(|problem| Error::input(problem.what).field("name"))?;
        Ok(record)
    }

    /// The record as JSON with one item per line.
    ///
    /// # Errors
    /// [`Error::failed`] if it cannot be written as JSON.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let failed = |e: serde_json::Error| Error::failed(format!("cannot write as JSON: {e}"));
        let head = ReleaseRecord {
            items: Vec::new(),
            ..self.clone()
        };
        let mut out = serde_json::to_vec(&head).map_err(failed)?;
        // The list of items is the last field and empty here.
        out.truncate(out.len().saturating_sub(2));
        for (at, item) in self.items.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"\n" } else { b",\n" });
            serde_json::to_writer(&mut out, item).map_err(failed)?;
        }
        out.extend_from_slice(b"\n]}\n");
        Ok(out)
    }
}

/// What a release wrote, or would write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseReport {
    pub name: String,
    pub version: Option<String>,
    pub date: Option<String>,
    pub out: PathBuf,
    /// Whether the folder exists already.
    pub exists: bool,
    /// Whether the project knew the release, and only its folder was written again.
    pub again: bool,
    pub items: u64,
    pub datasets: Vec<String>,
    /// Items by split.
    pub splits: Vec<(String, u64)>,
    /// Pictures, each once.
    pub pictures: u64,
    /// Items without a recorded picture file.
    pub without_picture: u64,
    /// Items that show a draft.
    pub drafts: u64,
    /// Items of the sample, which are made up.
    pub sample: u64,
    /// Pictures that must not be redistributed, and are left out.
    pub withheld: u64,
    /// Pictures without a license.
    pub unlicensed: u64,
    /// Items that Dysca's format cannot hold.
    pub not_in_dysca: u64,
    /// The release before.
    pub before: Option<String>,
    /// Items added, removed, and changed since the release before.
    pub added: u64,
    pub removed: u64,
    pub changed: u64,
    /// Questions of the datasheet without an answer.
    pub unanswered: Vec<String>,
    /// Number and bytes of the files; 0 if nothing was written.
    pub files: u64,
    pub bytes: u64,
    /// Hash of everything; empty if nothing was written.
    pub hash: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, Key};

    #[test]
    fn kept_items_are_chosen_unless_the_filter_names_a_status() {
        let words = |filter: &str| {
            let request = ReleaseRequest {
                name: "v1".into(),
                filter: filter.into(),
                ..ReleaseRequest::default()
            };
            request.chosen().unwrap().to_text()
        };
        assert_eq!(words(""), "status:accepted");
        assert_eq!(words("subtask:animal"), "status:accepted subtask:animal");
        assert_eq!(words("status:pending"), "status:pending");
        assert_eq!(words("NOT status:rejected"), "NOT status:rejected");
    }

    #[test]
    fn splits_have_names_and_shares() {
        let shares = |text: &str| {
            let splits = parse_splits(text).unwrap();
            splits
                .into_iter()
                .map(|s| (s.name, s.share))
                .collect::<Vec<_>>()
        };
        assert_eq!(shares(""), []);
        let two = [("train".to_string(), 80), ("test".to_string(), 20)];
        assert_eq!(shares(" train=80, test=20 "), two);
        for bad in [
            "train",
            "a=0",
            "a=1,A=2",
            "a/b=1",
            "=1",
            "a=x",
            "a=-1",
            &"s=1,".repeat(2),
        ] {
            let problem = parse_splits(bad).unwrap_err();
            assert_eq!(problem.kind, ErrorKind::Usage, "{bad}");
            assert_eq!(problem.place.field.as_deref(), Some("split"));
        }
    }

    #[test]
    fn names_dates_and_versions_are_checked() {
        let request = |change: &dyn Fn(&mut ReleaseRequest)| {
            let mut request = ReleaseRequest {
                name: "v1".into(),
                ..ReleaseRequest::default()
            };
            change(&mut request);
            request.check().map_err(|problem| problem.place.field)
        };
        assert!(request(&|_| ()).is_ok());
        assert!(request(&|r| r.date = Some("2026-11-24".into())).is_ok());
        for bad in ["newest", "diff", "../x", "", "a b"] {
            assert_eq!(
                request(&|r| r.name = bad.into()),
                Err(Some("name".into())),
                "{bad}"
            );
        }
        for bad in [
            "2026-13-01",
            "26-1-1",
            "today",
            "2026-11-24T00:00:00Z",
            "2026-11-00",
        ] {
            let found = request(&|r| r.date = Some(bad.into()));
            assert_eq!(found, Err(Some("date".into())), "{bad}");
        }
        let found = request(&|r| r.version = Some("1\n2".into()));
        assert_eq!(found, Err(Some("version".into())));
        assert_eq!(
            request(&|r| r.filter = "status:x".into()),
            Err(Some("status".into()))
        );
    }

    #[test]
    fn a_record_comes_back_from_its_json() {
        let item = Item::blank("d", Key::Int(1));
        let record = ReleaseRecord {
            v: VERSION,
            name: "v1".into(),
            number: 2,
            before: Some("v0".into()),
            statistics: serde_json::json!({"items": 2}),
            items: vec![
                ReleasedItem::of(&item, Status::Accepted),
                ReleasedItem::of(&Item::blank("d", Key::Int(2)), Status::Pending),
            ],
            ..ReleaseRecord::default()
        };
        let json = record.to_json().unwrap();
        assert_eq!(json.iter().filter(|b| **b == b'\n').count(), 4);
        assert_eq!(ReleaseRecord::parse(&json).unwrap(), record);
        let empty = ReleaseRecord {
            items: Vec::new(),
            ..record.clone()
        };
        assert_eq!(
            ReleaseRecord::parse(&empty.to_json().unwrap()).unwrap(),
            empty
        );
        let hostile = ReleaseRecord {
            name: "../x".into(),
            ..record
        };
        let refused = ReleaseRecord::parse(&hostile.to_json().unwrap()).unwrap_err();
        assert_eq!(refused.place.field.as_deref(), Some("name"));
    }

    #[test]
    fn each_part_of_an_item_has_its_own_digest() {
        let item = Item {
            question: "What?".into(),
            answer: "a".into(),
            ..Item::blank("d", Key::Int(1))
        };
        let before = ReleasedItem::of(&item, Status::Accepted);
        let with = |change: &dyn Fn(&mut Item)| {
            let mut item = item.clone();
            change(&mut item);
            ReleasedItem::of(&item, Status::Accepted)
        };
        let other = with(&|i| i.question = "Who?".into());
        assert_ne!(other.question, before.question);
        assert_eq!(
            (&other.answer, &other.options),
            (&before.answer, &before.options)
        );
        assert_ne!(with(&|i| i.answer = "b".into()).answer, before.answer);
        let image = crate::ImageRef::named("a.png");
        assert_ne!(
            with(&|i| i.images = vec![image.clone()]).pictures,
            before.pictures
        );
    }
}
