//! Latency of decisions: a histogram for each step between a request and its receipt.
//!
//! Recording costs a few atomic additions. Buckets are a quarter of an octave wide, so percentiles
//! are accurate within 25 %.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use benchtop_protocol::wire::StepLatency;

/// Buckets per octave.
const STEPS: u64 = 4;
/// The first bucket contains all times below 2^8 ns.
const LEAST: u32 = 8;
/// Number of octaves. The last bucket starts at 2^36 ns, more than a minute.
const OCTAVES: u32 = 28;
const BUCKETS: usize = OCTAVES as usize * STEPS as usize + 1;

benchtop_model::named! {
    /// A step between a request and its receipt.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Step {
        /// Waiting in the queue of the writer thread.
        Queue = "queue",
        /// Waiting for locks that readers hold.
        Locks = "locks",
        /// Checking the request: reading its item, consulting its round.
        Prepare = "prepare",
        /// Waiting until the other decisions of the batch are prepared and written.
        Batch = "batch",
        /// Writing to the journal.
        Append = "append",
        /// `fdatasync`.
        Sync = "sync",
        /// Comparing the open file with its path.
        Check = "check",
        /// Updating the statuses, without waiting for locks.
        Apply = "apply",
        /// Sending the receipt to the socket.
        Send = "send",
        /// From reading the request to writing the receipt.
        Total = "total",
    }
}

struct Histogram {
    counts: [AtomicU64; BUCKETS],
    longest: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram {
            counts: std::array::from_fn(|_| AtomicU64::new(0)),
            longest: AtomicU64::new(0),
        }
    }
}

fn bucket(nanos: u64) -> usize {
    let octave = nanos.checked_ilog2().unwrap_or(0);
    if octave < LEAST {
        return 0;
    }
    // The two bits below the highest one select the bucket within the octave.
    let step = nanos >> (octave - 2) & (STEPS - 1);
    (1 + u64::from(octave - LEAST) * STEPS + step).min(BUCKETS as u64 - 1) as usize
}

/// Upper bound of a bucket, in nanoseconds.
fn end(bucket: usize) -> u64 {
    let Some(at) = (bucket as u64).checked_sub(1) else {
        return 1 << LEAST;
    };
    (STEPS + at % STEPS + 1) << (u64::from(LEAST) + at / STEPS - 2)
}

/// Histograms since the owner started.
#[derive(Default)]
pub struct Latency([Histogram; Step::ALL.len()]);

impl Latency {
    /// Records the time that a decision spent in a step.
    pub fn record(&self, step: Step, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let histogram = &self.0[step as usize];
        histogram.counts[bucket(nanos)].fetch_add(1, Ordering::Relaxed);
        histogram.longest.fetch_max(nanos, Ordering::Relaxed);
    }

    /// Present state of all histograms.
    pub fn read(&self) -> Vec<StepLatency> {
        let of = |step: Step| {
            let histogram = &self.0[step as usize];
            let counts = histogram
                .counts
                .iter()
                .map(|n| n.load(Ordering::Relaxed))
                .enumerate();
            StepLatency {
                step: step.name().into(),
                longest: histogram.longest.load(Ordering::Relaxed),
                buckets: counts
                    .filter(|(_, n)| *n > 0)
                    .map(|(at, n)| (end(at), n))
                    .collect(),
            }
        };
        Step::ALL.into_iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_all_times_and_are_a_quarter_of_an_octave_wide() {
        for nanos in (0..200_000u64)
            .chain((18..40).flat_map(|n| [(1 << n) - 1, 1 << n, (1 << n) + (1 << (n - 1))]))
        {
            let at = bucket(nanos);
            assert!(at == BUCKETS - 1 || nanos < end(at), "{nanos} in {at}");
            assert!(at == 0 || nanos >= end(at - 1), "{nanos} in {at}");
        }
        assert!((1..BUCKETS).all(|at| end(at) as f64 / end(at - 1) as f64 <= 1.25 + 1e-9));
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_right_within_a_bucket() {
        let latency = Latency::default();
        (1..=1000).for_each(|n| latency.record(Step::Sync, Duration::from_micros(n)));
        latency.record(Step::Total, Duration::from_secs(1));
        let read = latency.read();
        let of = |name: &str| read.iter().find(|w| w.step == name).unwrap();
        let sync = of("sync");
        assert_eq!((sync.count(), sync.longest), (1000, 1_000_000));
        for (share, expected) in [(0.5, 500_000.0), (0.99, 990_000.0), (1.0, 1_000_000.0)] {
            let found = sync.within(share) as f64;
            assert!(
                (expected..=expected * 1.25).contains(&found),
                "{share}: {found}"
            );
        }
        assert_eq!(
            (of("queue").within(0.5), of("total").within(0.5)),
            (0, 1_000_000_000)
        );
    }
}
