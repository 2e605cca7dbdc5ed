//! A thread that makes previews. A newer request replaces a waiting one, so typing never waits.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::preview::{Maker, Preview, PreviewRequest};
use crate::terminal::guard;
use benchtop_model::{Finding, Rule};

/// A finished preview.
#[derive(Clone, Debug)]
pub struct Done {
    pub ticket: u64,
    pub preview: Preview,
}

#[derive(Default)]
struct State {
    wanted: Option<Box<PreviewRequest>>,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The preview thread. Dropping it ends the thread.
pub struct Previewer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Previewer {
    /// Starts the thread and calls `done` on it for every preview.
    pub fn new(done: impl Fn(Done) + Send + 'static) -> io::Result<Previewer> {
        let shared = Arc::new(Shared::default());
        let for_thread = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("metadata-preview".into())
            .spawn(move || work(&for_thread, &done))?;
        Ok(Previewer {
            shared,
            thread: Some(thread),
        })
    }

    /// Requests a preview. It replaces a request that has not started. Does not block.
    pub fn want(&self, request: Box<PreviewRequest>) {
        self.shared.lock().wanted = Some(request);
        self.shared.wake.notify_one();
    }
}

impl Drop for Previewer {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(shared: &Shared, done: &dyn Fn(Done)) {
    let mut maker = Maker::default();
    let mut state = shared.lock();
    loop {
        if state.closed {
            return;
        }
        let Some(request) = state.wanted.take() else {
            state = shared
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        drop(state);
        let ticket = request.ticket;
        let made = guard::contain(|| {
            // Take the maker out, so that a panic drops its half-built caches.
            let mut taken = std::mem::take(&mut maker);
            let preview = taken.make(
                &request.base,
                &request.edited,
                &request.selection,
                request.seed,
            );
            maker = taken;
            preview
        });
        let preview = made.unwrap_or_else(|panic| Preview {
            shown: Vec::new(),
            found: vec![Finding::new(
                Rule::BadTemplate,
                "",
                format!("preview failed: {panic}"),
            )],
        });
        done(Done { ticket, preview });
        state = shared.lock();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::preview::{Selection, compute};
    use super::*;
    use benchtop_compose::fixtures::small;

    #[test]
    fn the_newest_request_wins_and_drop_ends_the_thread() {
        let (sender, receiver) = channel();
        let previewer = Previewer::new(move |done| drop(sender.send(done))).unwrap();
        let request = |ticket| PreviewRequest {
            ticket,
            base: small(),
            edited: small(),
            selection: Selection::All,
            seed: ticket,
        };
        for ticket in 1..=50 {
            previewer.want(Box::new(request(ticket)));
        }
        let mut last = 0;
        while last != 50 {
            let done = receiver.recv().unwrap();
            assert!(done.ticket > last, "replies are in order");
            last = done.ticket;
            assert_eq!(
                done.preview,
                compute(&small(), &small(), &Selection::All, last)
            );
        }
        drop(previewer);
        assert!(receiver.recv().is_err());
    }
}
