//! Counts what a job sends to servers, and sends no more when its budget is spent.
//!
//! A request of a job with a budget is counted on disk before it is sent, and the tokens of an
//! answer before the job gets it. So the count is never too low after a kill, and at most as many
//! requests as were about to be sent are counted although they were not. Threads that count at the
//! same time share one write. Without a budget the count is written once a second.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use benchtop_inference::request_meter::RequestMeter;
use benchtop_model::job::{Budget, Prices, Usage};
use benchtop_model::{Error, Result, vlm};
use benchtop_store::jobs::UsageFile;

/// Time between two writes of a count that has no budget.
const EVERY: Duration = Duration::from_secs(1);

/// The meter of one job.
pub struct JobMeter {
    id: u32,
    /// `None` for commands, which send nothing.
    file: Option<UsageFile>,
    counts: Mutex<Counts>,
    written: Condvar,
}

#[derive(Default)]
struct Counts {
    budget: Budget,
    /// `None` if the job sends no requests.
    prices: Option<Prices>,
    usage: Usage,
    /// Number of changes of the usage, and how many of them are on disk.
    changes: u64,
    stored: u64,
    is_writing: bool,
    last_write: Option<Instant>,
    /// Why a request was refused since the last step began.
    refusal: Option<Error>,
}

impl JobMeter {
    /// The meter of job `id` that has sent `usage`.
    pub(super) fn new(id: u32, file: Option<UsageFile>, usage: Usage, budget: Budget) -> JobMeter {
        let counts = Counts {
            budget,
            usage,
            ..Counts::default()
        };
        JobMeter {
            id,
            file,
            counts: Mutex::new(counts),
            written: Condvar::new(),
        }
    }

    /// What the job has sent, with its cost. `None` if it sends nothing.
    pub(super) fn usage(&self) -> Option<Usage> {
        let counts = self.counts.lock();
        counts.prices.map(|prices| counts.usage.priced(prices))
    }

    pub(super) fn set_prices(&self, prices: Option<Prices>) {
        self.counts.lock().prices = prices;
    }

    /// Replaces the budget, and counts on disk from now on.
    ///
    /// # Errors
    /// Errors of writing the count. The budget is replaced in any case.
    pub(super) fn set_budget(&self, budget: Budget) -> Result<()> {
        let mut counts = self.counts.lock();
        counts.budget = budget;
        match budget.is_unlimited() {
            true => Ok(()),
            false => self.write(counts),
        }
    }

    /// Why the job may send no further request.
    pub(super) fn spent(&self) -> Option<Error> {
        self.counts.lock().spent(self.id)
    }

    /// A step begins. Refusals of the last one no longer count.
    pub(super) fn begin_step(&self) {
        self.counts.lock().refusal = None;
    }

    /// Whether a request was refused since the step began.
    pub fn has_refused(&self) -> bool {
        self.counts.lock().refusal.is_some()
    }

    /// Why a request was refused since the step began.
    pub(super) fn refusal(&self) -> Option<Error> {
        self.counts.lock().refusal.clone()
    }

    /// Checks that no request was refused since the step began.
    ///
    /// # Errors
    /// Why one was refused.
    pub fn check(&self) -> Result<()> {
        self.refusal().map_or(Ok(()), Err)
    }

    /// Results on disk show that at least this much was sent.
    pub fn at_least(&self, usage: Usage) {
        let mut counts = self.counts.lock();
        counts.usage = counts.usage.max(usage);
        counts.changes += 1;
    }

    /// Writes the count if it has changed.
    ///
    /// # Errors
    /// Errors of writing.
    pub(super) fn keep(&self) -> Result<()> {
        self.write(self.counts.lock())
    }

    /// Waits until all changes so far are on disk.
    fn write(&self, mut counts: MutexGuard<'_, Counts>) -> Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mine = counts.changes;
        while counts.stored < mine {
            if counts.is_writing {
                self.written.wait(&mut counts);
                continue;
            }
            let (usage, changes) = (counts.usage, counts.changes);
            (counts.is_writing, counts.last_write) = (true, Some(Instant::now()));
            let done = MutexGuard::unlocked(&mut counts, || file.write(&usage));
            counts.is_writing = false;
            if done.is_ok() {
                counts.stored = changes;
            }
            self.written.notify_all();
            done?;
        }
        Ok(())
    }

    /// Writes a changed count: now if there is a budget, and otherwise if it is due.
    fn changed(&self, mut counts: MutexGuard<'_, Counts>) -> Result<()> {
        counts.changes += 1;
        match counts.is_write_due() {
            true => self.write(counts),
            false => Ok(()),
        }
    }

    /// A request was counted and not sent.
    fn take_back(&self) {
        let mut counts = self.counts.lock();
        counts.usage.requests = counts.usage.requests.saturating_sub(1);
        counts.changes += 1;
    }

    fn refuse(&self, problem: Error) -> String {
        let what = problem.what.clone();
        self.counts.lock().refusal.get_or_insert(problem);
        what
    }
}

impl Counts {
    /// Whether a change is written now. With a budget, each is.
    fn is_write_due(&self) -> bool {
        let is_old = || self.last_write.is_none_or(|at| at.elapsed() >= EVERY);
        !self.budget.is_unlimited() || (!self.is_writing && is_old())
    }

    fn spent(&self, id: u32) -> Option<Error> {
        let prices = self.prices.unwrap_or_default();
        let spent = self.budget.spent(&self.usage, prices)?;
        Some(Error::conflict(spent.reason()).help(spent.remedy(id)))
    }
}

impl RequestMeter for JobMeter {
    fn before_request(&self) -> std::result::Result<(), String> {
        let mut counts = self.counts.lock();
        if let Some(problem) = counts.spent(self.id) {
            drop(counts);
            return Err(self.refuse(problem));
        }
        counts.usage.requests = counts.usage.requests.saturating_add(1);
        let is_limited = !counts.budget.is_unlimited();
        match self.changed(counts) {
            // Without the count on disk, the next owner would send too much.
            Err(problem) if is_limited => {
                self.take_back();
                Err(self.refuse(problem))
            }
            _ => Ok(()),
        }
    }

    fn after_answer(&self, usage: Option<vlm::Usage>) {
        let mut counts = self.counts.lock();
        let tokens = usage.map(|usage| (usage.prompt, usage.completion));
        counts.usage.add_answer(tokens);
        // The next request is refused if its count cannot be written either.
        let _ = self.changed(counts);
    }

    fn is_quick(&self) -> bool {
        // Nobody holds the lock for long: it is free while a count is written.
        !self.counts.lock().is_write_due()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use benchtop_model::ErrorKind;

    fn meter(root: &Path, budget: Budget) -> JobMeter {
        let file = UsageFile::of(root, "judging", 7);
        let usage = file.read().unwrap();
        let meter = JobMeter::new(7, Some(file), usage, budget);
        meter.set_prices(Some((2_000_000, 8_000_000)));
        meter
    }

    fn requests(n: u64) -> Budget {
        Budget {
            requests: Some(n),
            ..Budget::default()
        }
    }

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("jobs")).unwrap();
        dir
    }

    fn on_disk(root: &Path) -> Usage {
        UsageFile::of(root, "judging", 7).read().unwrap()
    }

    #[test]
    fn threads_that_send_at_once_stay_within_the_budget() {
        let dir = folder();
        let meter = meter(dir.path(), requests(37));
        let sent: usize = std::thread::scope(|scope| {
            let one = || (0..10).filter(|_| meter.before_request().is_ok()).count();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        assert_eq!(sent, 37);
        assert_eq!(on_disk(dir.path()).requests, 37);
        let problem = meter.refusal().unwrap();
        assert_eq!(problem.kind, ErrorKind::Conflict);
        assert!(
            problem
                .to_string()
                .contains("benchtop jobs budget 7 --max-requests 74")
        );
        // Refused by the next owner too, and by the next step.
        meter.begin_step();
        assert!(!meter.has_refused() && meter.before_request().is_err() && meter.has_refused());
        let next = super::tests::meter(dir.path(), requests(37));
        assert!(next.before_request().is_err());
        next.set_budget(requests(38)).unwrap();
        assert!(next.before_request().is_ok() && next.before_request().is_err());
    }

    #[test]
    fn requests_and_tokens_are_on_disk_before_anybody_acts_on_them() {
        let dir = folder();
        let budget = Budget {
            tokens: Some(100),
            ..Budget::default()
        };
        let meter = meter(dir.path(), budget);
        let tokens = |prompt, completion| Some(vlm::Usage { prompt, completion });
        for sent in 1..=3 {
            meter.before_request().unwrap();
            assert_eq!(on_disk(dir.path()).requests, sent);
        }
        meter.after_answer(tokens(30, 20));
        meter.after_answer(tokens(40, 9));
        assert_eq!(on_disk(dir.path()).tokens(), 99);
        meter.before_request().unwrap();
        meter.after_answer(tokens(1, 0));
        assert!(meter.before_request().is_err());
        let usage = meter.usage().unwrap();
        // 71 tokens at 2 and 29 at 8 per million.
        assert_eq!((usage.requests, usage.cost_micros), (4, Some(374)));
    }

    #[test]
    fn nothing_is_sent_that_cannot_be_counted() {
        let dir = folder();
        let meter = meter(dir.path(), requests(5));
        meter.before_request().unwrap();
        std::fs::remove_dir_all(dir.path()).unwrap();
        assert!(meter.before_request().is_err());
        assert_eq!(meter.usage().unwrap().requests, 1);
        assert!(meter.check().is_err());
        // Without a budget, the count does not matter that much.
        meter.set_budget(Budget::default()).unwrap();
        assert!(meter.before_request().is_ok());
    }

    #[test]
    fn answers_on_disk_raise_the_count() {
        let dir = folder();
        let meter = meter(dir.path(), requests(5));
        meter.before_request().unwrap();
        meter.at_least(Usage {
            requests: 5,
            tokens_in: 10,
            ..Usage::default()
        });
        assert!(meter.before_request().is_err());
        meter.keep().unwrap();
        assert_eq!(on_disk(dir.path()).requests, 5);
    }
}
