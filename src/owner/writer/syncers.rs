//! Syncs the journals of several annotators in parallel. The file system commits them together, so
//! that nobody waits for the syncs of all others in turn.

use std::fs::File;
use std::io;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Number of helper threads. The writer thread syncs too.
const HELPERS: usize = 7;

/// A finished sync: index of the file, result, and duration.
pub(super) type Synced = (usize, io::Result<()>, Duration);

type Task = (usize, Arc<File>, mpsc::Sender<Synced>);

/// Helper threads, started on demand.
#[derive(Default)]
pub(super) struct Syncers(Vec<mpsc::Sender<Task>>);

fn sync(at: usize, file: &File) -> Synced {
    let began = Instant::now();
    let synced = file.sync_data();
    (at, synced, began.elapsed())
}

impl Syncers {
    /// Syncs all files. Calls `done` for each as soon as it is synced.
    pub(super) fn sync(&mut self, files: Vec<Arc<File>>, mut done: impl FnMut(Synced)) {
        let mut files = files.into_iter().enumerate();
        let Some((_, mine)) = files.next() else {
            return;
        };
        let (sender, receiver) = mpsc::channel();
        let mut theirs = Vec::new();
        for (at, file) in files {
            match self.helper(at - 1) {
                Some(helper) => drop(helper.send((at, file, sender.clone()))),
                None => theirs.push((at, file)),
            }
        }
        drop(sender);
        done(sync(0, &mine));
        for (at, file) in theirs {
            done(sync(at, &file));
        }
        receiver.iter().for_each(done);
    }

    /// Thread for file `at` of a batch; `None` if it cannot be started.
    fn helper(&mut self, at: usize) -> Option<&mpsc::Sender<Task>> {
        let at = at % HELPERS;
        while self.0.len() <= at {
            let (sender, tasks) = mpsc::channel::<Task>();
            let work = move || {
                for (at, file, sender) in tasks {
                    let _ = sender.send(sync(at, &file));
                }
            };
            std::thread::Builder::new()
                .name("sync".into())
                .spawn(work)
                .ok()?;
            self.0.push(sender);
        }
        self.0.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_synced_exactly_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut syncers = Syncers::default();
        for n in [0, 1, 2, 30] {
            let file = |at: usize| Arc::new(File::create(dir.path().join(at.to_string())).unwrap());
            let mut found: Vec<usize> = Vec::new();
            syncers.sync((0..n).map(file).collect(), |(at, synced, _)| {
                synced.unwrap();
                found.push(at);
            });
            found.sort_unstable();
            assert_eq!(found, (0..n).collect::<Vec<_>>());
        }
    }
}
