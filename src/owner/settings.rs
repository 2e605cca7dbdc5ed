//! `benchtop.toml` while the owner runs: read again when it is another file.

use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;

use super::context::Broadcast;
use super::log;
use benchtop_files::project::{FILE, Project};
use benchtop_model::config::Config;

/// Which file it was: when it was changed, and its length.
type Stamp = Option<(SystemTime, u64)>;

/// The settings that count now.
pub struct Settings(Mutex<Held>);

struct Held {
    stamp: Stamp,
    config: Arc<Config>,
    /// What was told of the file that is there now.
    told: Option<String>,
}

fn stamp(project: &Project) -> Stamp {
    let meta = std::fs::metadata(project.root().join(FILE)).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

impl Settings {
    /// Those that the project was opened with. Its file is looked at again at the first question.
    pub fn new(project: &Project) -> Settings {
        Settings(Mutex::new(Held {
            stamp: None,
            config: Arc::new(project.config().clone()),
            told: None,
        }))
    }

    /// Those that are on disk now.
    pub fn now(&self, project: &Project, broadcast: &Broadcast) -> Arc<Config> {
        let now = stamp(project);
        let mut held = self.0.lock();
        if held.stamp == now && now.is_some() {
            return held.config.clone();
        }
        let told = match Project::open(project.root()) {
            Ok(read) => {
                let fixed = fixed(project.config(), read.config());
                held.config = Arc::new(read.config().clone());
                fixed
            }
            Err(problem) => Some(format!(
                "benchtop.toml cannot be read, so its last settings go on: {problem}"
            )),
        };
        held.stamp = now;
        if told != held.told {
            let before = std::mem::replace(&mut held.told, told.clone());
            let config = held.config.clone();
            drop(held);
            let mut notices = broadcast.notices();
            notices.retain(|notice| Some(notice) != before.as_ref());
            if let Some(told) = told {
                log::write(format_args!("{told}"));
                notices.push(told);
            }
            return config;
        }
        held.config.clone()
    }
}

/// What was changed that counts only from the next start of the owner on.
fn fixed(at_start: &Config, now: &Config) -> Option<String> {
    let same = [
        ("name", at_start.name == now.name),
        (
            "[review] protocol",
            at_start.review.protocol == now.review.protocol,
        ),
        (
            "[review] lease_minutes",
            at_start.review.lease_minutes == now.review.lease_minutes,
        ),
        ("[owner]", at_start.owner == now.owner),
        ("[shared]", at_start.shared == now.shared),
    ];
    let other: Vec<&str> = same
        .into_iter()
        .filter(|(_, same)| !same)
        .map(|(name, _)| name)
        .collect();
    let names = other.join(", ");
    (!other.is_empty()).then(|| {
        format!("benchtop.toml: {names} changed; that counts once the owner starts again: `benchtop stop`, then go on")
    })
}
