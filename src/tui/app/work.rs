//! Runs the work of panes on threads, and hands them its progress and its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::message::Message;
use crate::pane::PaneId;
use crate::pane::context::Callback;
use crate::pane::work::{CommandSetting, Commands, Work, WorkMessage};
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::import::Progress;

/// Least interval between two messages of progress.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// How long the end of the program waits for canceled work to remove its temporary files.
const LAST_WORK: Duration = Duration::from_secs(2);

struct Running {
    id: u64,
    pane: PaneId,
    name: &'static str,
    canceled: Arc<AtomicBool>,
    /// `None` once it is canceled: nobody gets the rest.
    then: Option<Callback<WorkMessage>>,
    thread: JoinHandle<()>,
}

/// The work that runs.
pub(super) struct Works {
    commands: Arc<dyn Commands>,
    pub(super) setting: CommandSetting,
    messages: Sender<Message>,
    next: u64,
    running: Vec<Running>,
}

impl Works {
    pub(super) fn new(commands: Arc<dyn Commands>, messages: Sender<Message>) -> Works {
        Works {
            setting: commands.setting(),
            commands,
            messages,
            next: 0,
            running: Vec::new(),
        }
    }

    /// Starts work of a pane on a thread.
    pub(super) fn start(&mut self, pane: PaneId, work: Work) -> std::io::Result<()> {
        self.next += 1;
        let (id, name) = (self.next, work.name);
        let (canceled, run) = (Arc::new(AtomicBool::new(false)), work.run);
        let (flag, messages, commands) = (
            canceled.clone(),
            self.messages.clone(),
            self.commands.clone(),
        );
        let told = std::sync::Mutex::new(None::<Instant>);
        let thread = std::thread::Builder::new()
            .name("work".into())
            .spawn(move || {
                let tell = |progress: Progress| {
                    let Ok(mut told) = told.lock() else { return };
                    if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
                        *told = Some(Instant::now());
                        let _ = messages.send(Message::Work(id, WorkMessage::Progress(progress)));
                    }
                };
                let made = run(&*commands, ProgressSink::new(&tell, Cancel::flag(&flag)));
                let _ = messages.send(Message::Work(id, WorkMessage::Made(made)));
            })?;
        self.running.push(Running {
            id,
            pane,
            name,
            canceled,
            then: Some(work.then),
            thread,
        });
        Ok(())
    }

    /// Takes the receiver of a message about the work of this number. `None` if it was canceled.
    pub(super) fn receiver(
        &mut self,
        id: u64,
        message: &WorkMessage,
    ) -> Option<(PaneId, Callback<WorkMessage>)> {
        let at = self.running.iter().position(|work| work.id == id)?;
        let (pane, then) = (self.running[at].pane, self.running[at].then.take());
        if matches!(message, WorkMessage::Made(_)) {
            self.running.remove(at);
        }
        Some((pane, then?))
    }

    /// Puts the receiver back, for the next message, unless the work was canceled meanwhile.
    pub(super) fn keep(&mut self, id: u64, then: Callback<WorkMessage>) {
        let work = self.running.iter_mut().find(|work| work.id == id);
        if let Some(work) = work.filter(|work| !work.canceled.load(Ordering::Relaxed)) {
            work.then = Some(then);
        }
    }

    /// Cancels the work of a pane with this name.
    pub(super) fn cancel(&mut self, pane: PaneId, name: &str) {
        for work in &mut self.running {
            if (work.pane, work.name) == (pane, name) {
                work.canceled.store(true, Ordering::Relaxed);
                work.then = None;
            }
        }
    }
}

impl Drop for Works {
    fn drop(&mut self) {
        for work in &self.running {
            work.canceled.store(true, Ordering::Relaxed);
        }
        let until = Instant::now() + LAST_WORK;
        let is_over = |work: &Running| work.thread.is_finished();
        while !self.running.iter().all(is_over) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
