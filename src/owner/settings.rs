//! Rereads `benchtop.toml` when it changes while the owner runs.

use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;

use super::context::Broadcast;
use super::log;
use benchtop_files::project::{FILE, Project};
use benchtop_model::config::Config;

/// Modification time and length of the file.
type Stamp = Option<(SystemTime, u64)>;

/// The current settings.
pub struct Settings(Mutex<Held>);

struct Held {
    stamp: Stamp,
    config: Arc<Config>,
    /// The notice about the present file.
    notice: Option<String>,
}

fn stamp(project: &Project) -> Stamp {
    let meta = std::fs::metadata(project.root().join(FILE)).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

impl Settings {
    /// Settings that the project was opened with. The first request checks the file again.
    pub fn new(project: &Project) -> Settings {
        Settings(Mutex::new(Held {
            stamp: None,
            config: Arc::new(project.config().clone()),
            notice: None,
        }))
    }

    /// Settings on disk now.
    pub fn now(&self, project: &Project, broadcast: &Broadcast) -> Arc<Config> {
        let now = stamp(project);
        let mut held = self.0.lock();
        if held.stamp == now && now.is_some() {
            return held.config.clone();
        }
        let notice = match Project::open(project.root()) {
            Ok(read) => {
                let notice = restart_notice(project.config(), read.config());
                held.config = Arc::new(read.config().clone());
                notice
            }
            Err(problem) => Some(format!(
                "cannot read benchtop.toml, so the previous settings still apply: {problem}"
            )),
        };
        held.stamp = now;
        if notice != held.notice {
            let before = std::mem::replace(&mut held.notice, notice.clone());
            let config = held.config.clone();
            drop(held);
            let mut notices = broadcast.notices();
            notices.retain(|notice| Some(notice) != before.as_ref());
            if let Some(notice) = notice {
                log::write(format_args!("{notice}"));
                notices.push(notice);
            }
            return config;
        }
        held.config.clone()
    }
}

/// Names the changed settings that need a restart of the owner.
fn restart_notice(at_start: &Config, now: &Config) -> Option<String> {
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
        format!("benchtop.toml: {names} changed; run `benchtop stop` to restart the owner and apply this")
    })
}
