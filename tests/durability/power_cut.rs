//! A power cut: a file system of its own on a loop device, shut down without writing its journal, then mounted again.
//!
//! What ext4 had not been told to sync is gone, as when the plug is pulled (a disk that lies about its cache is not
//! modelled). The owner is stopped first: a sync that is under way while ext4 shuts down may report a success that no
//! disk ever saw, and after a real cut nobody is there to hear it. Needs root, loop devices, mkfs.ext4 and python3; says so where it cannot run. Three cuts by default,
//! `BENCHTOP_TORTURE=100 cargo test --test suite power_cut -- --nocapture` makes 100.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use uuid::Uuid;

use crate::support::{Bench, Mount, dice, owners, root, rounds, verdict, wait_until};

/// `EXT4_IOC_SHUTDOWN` (`_IOR('X', 125, __u32)`) with `EXT4_GOING_FLAGS_NOLOGFLUSH`.
const CUT: &str = "import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

const ITEMS: usize = 2000;

fn ran(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .output()
        .is_ok_and(|o| o.status.success())
}

/// Stops the owners, all threads of them, and shuts the file system down.
fn cut(project: &Path, mount: &Path) -> bool {
    let pids = owners(project);
    pids.iter().for_each(|pid| send(*pid, Signal::STOP));
    wait_until("the owner stands still", || {
        pids.iter().all(|pid| stands_still(*pid))
    });
    let done = ran("python3", &["-c", CUT, mount.to_str().unwrap()]);
    pids.iter().for_each(|pid| send(*pid, Signal::KILL));
    done
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid as i32) {
        let _ = kill_process(pid, signal);
    }
}

fn stands_still(pid: u32) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let state = |task: std::fs::DirEntry| {
        std::fs::read_to_string(task.path().join("stat")).unwrap_or_default()
    };
    tasks.map(state).all(|stat| {
        stat.rsplit(") ")
            .next()
            .is_some_and(|rest| rest.starts_with(['T', 'Z']))
    })
}

/// A new ext4 image, mounted; `None` where that is not possible.
fn disk(dir: &Path) -> Option<(PathBuf, Mount)> {
    if !root() {
        crate::support::skip(crate::support::Need::Root, "a power cut needs root");
        return None;
    }
    let image = dir.join("disk");
    std::fs::File::create(&image)
        .unwrap()
        .set_len(96 << 20)
        .unwrap();
    if !ran("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]) {
        crate::support::skip(
            crate::support::Need::Program("mkfs.ext4"),
            "a power cut needs mkfs.ext4",
        );
        return None;
    }
    let mount = Mount::new(&["-o", "loop", image.to_str().unwrap()], &dir.join("mnt"))?;
    Some((image, mount))
}

#[test]
fn acknowledged_decisions_survive_a_power_cut() {
    let dir = tempfile::tempdir().unwrap();
    let Some((image, mut mount)) = disk(dir.path()) else {
        return;
    };
    let at = mount.at.join("project");
    let items = dir.path().join("set.jsonl");
    let text = |range: std::ops::Range<usize>| -> String {
        range
            .map(|n| format!("{}\n", crate::support::question(n)))
            .collect()
    };
    std::fs::write(&items, text(0..ITEMS)).unwrap();
    let mut acknowledged = BTreeSet::new();
    let (mut taken, mut rebuilt) = (ITEMS, 0);
    let mut bench = Bench::init(at.clone());
    bench.run(["import", items.to_str().unwrap()]).ok();
    let cuts = rounds(3).min(100);
    for n in 0..cuts {
        let who = format!("p{n}");
        let extra = dir.path().join(format!("more{n}.jsonl"));
        std::fs::write(&extra, text(0..1500)).unwrap();
        let mut decider = bench.decider(&who);
        let wait = Duration::from_millis(60 + dice(n, 300));
        let (receipts, imported) = std::thread::scope(|scope| {
            let importing = (n % 2 == 1)
                .then(|| scope.spawn(|| bench.run(["import", extra.to_str().unwrap()]).code == 0));
            let (at, mount) = (&at, &mount.at);
            let cutting = scope.spawn(move || {
                std::thread::sleep(wait);
                cut(at, mount)
            });
            for number in 1..=ITEMS {
                if cutting.is_finished()
                    || !decider.send(&verdict(Uuid::now_v7(), number, "accept"))
                {
                    break;
                }
                if number % 4 == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            let was_cut = cutting.join().unwrap();
            assert!(was_cut, "the file system could not be shut down");
            (
                decider.finish(),
                importing.is_some_and(|i| i.join().unwrap()),
            )
        });
        acknowledged.extend(
            receipts
                .iter()
                .filter(|r| r["saved"] == true)
                .map(|r| r["uuid"].as_str().unwrap_or_default().to_string()),
        );
        drop(bench);
        assert!(owners(&at).is_empty());
        mount.unmount();
        let Some(again) = Mount::new(
            &["-o", "loop", image.to_str().unwrap()],
            &dir.path().join("mnt"),
        ) else {
            panic!("cut {n}: the disk cannot be mounted again");
        };
        mount = again;
        bench = Bench::at(at.clone());
        let there: BTreeSet<String> = bench
            .verdicts()
            .iter()
            .map(|v| v["uuid"].as_str().unwrap_or_default().to_string())
            .collect();
        let lost = acknowledged.difference(&there).count();
        assert_eq!(
            lost,
            0,
            "cut {n}: {lost} of {} acknowledged verdicts are lost",
            acknowledged.len()
        );
        let status = bench.status();
        let rows = status["counts"]["items"].as_u64().unwrap() as usize;
        let came = rows - taken;
        assert!(
            came == 0 && !imported || came == 1500,
            "cut {n}: {came} items of an import, acknowledged: {imported}"
        );
        taken = rows;
        let notices = status["notices"].to_string();
        assert!(!notices.contains(".jsonl:"), "cut {n}: {notices}");
        // The index may be behind an import that was cut off at its end; it is never anything else.
        assert!(
            !notices.contains("imports/") || came > 0,
            "cut {n}: {notices}"
        );
        rebuilt += u32::from(notices.contains("imports/"));
    }
    drop(bench);
    println!(
        "power cuts: {cuts}, {} verdicts acknowledged, 0 lost, the index rebuilt {rebuilt} times",
        acknowledged.len()
    );
}
