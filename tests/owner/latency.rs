//! Latency counters of decisions.

use uuid::Uuid;

use crate::support::{Bench, verdict};

#[test]
fn every_step_of_every_decision_is_counted() {
    let bench = Bench::with_items(50);
    for (who, from) in [("ann", 1), ("bob", 21)] {
        let lines: String = (from..from + 20)
            .map(|n| verdict(Uuid::now_v7(), n, "accept") + "\n")
            .collect();
        assert_eq!(
            bench.feed(["decide", "--as", who], &lines).lines().len(),
            20
        );
    }
    // A receipt counts as sent once it is written; the last may still be on its way.
    let latency = || bench.status()["latency"].clone();
    crate::support::wait_until("all are sent", || latency()["total"]["count"] == 40);
    let latency = latency();
    for step in [
        "queue", "locks", "prepare", "batch", "append", "sync", "check", "apply", "send", "total",
    ] {
        let found = &latency[step];
        assert_eq!(found["count"], 40, "{step}: {latency}");
        let buckets = found["buckets"].as_array().unwrap();
        assert_eq!(
            buckets.iter().map(|b| b[1].as_u64().unwrap()).sum::<u64>(),
            40,
            "{step}"
        );
        let of = |name: &str| found[name].as_f64().unwrap();
        assert!(
            of("p50_us") <= of("p90_us")
                && of("p90_us") <= of("p99_us")
                && of("p99_us") <= of("max_us"),
            "{found}"
        );
    }
    assert!(
        latency["total"]["p50_us"].as_f64().unwrap() >= latency["sync"]["p50_us"].as_f64().unwrap()
    );
    let said = bench.run(["status"]).ok();
    assert!(
        ["queue", "append", "sync", "total"]
            .iter()
            .all(|step| said.contains(step)),
        "{said}"
    );
}
