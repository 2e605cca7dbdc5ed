//! Releases: all or nothing, whichever process dies and whatever space is left.
//!
//! 10 rounds by default; `BENCHTOP_TORTURE=200 cargo test --test suite durability::release` runs 200.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::flows::release::{files, release};
use crate::support::{Bench, ErrorKind, Mount, dice, json_lines, rounds, run};

/// Pictures of noise, which cannot be packed.
const PICTURES: u64 = 300;

/// Questions about as many pictures. A release of them has about 12 MB.
fn noisy() -> Bench {
    let bench = Bench::new();
    let mut rows = String::new();
    for n in 0..PICTURES {
        let picture = image::RgbImage::from_fn(64, 64, |x, y| {
            let at = u64::from(x + 64 * y);
            image::Rgb([0, 1, 2].map(|c| dice(n * 100_000 + at * 3 + c, 256) as u8))
        });
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bench.write(&format!("p/{n}.png"), bytes.into_inner());
        let row = serde_json::json!({
            "id": format!("d/{n}"), "dataset": "d", "key": n, "form": "plain", "images": [{"name": format!("p/{n}.png")}],
            "question": format!("Is it {n}?"), "kind": "yes-no", "answer": "yes",
        });
        rows += &format!("{row}\n");
    }
    let file = bench.write("items.jsonl", rows);
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench
}

const ALL: [&str; 2] = ["--filter", "status:pending"];

/// Names in a folder.
fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().to_str().unwrap().to_string())
        .collect();
    names.sort();
    names
}

fn is_sound(bench: &Bench, dir: &Path) -> bool {
    let output = bench.run(["release", "verify", dir.to_str().unwrap(), "--json"]);
    output.code == 0 && json_lines(&output.out)[0]["sound"] == true
}

/// Every release is whole, and recorded; nothing else is there.
fn check(bench: &Bench) -> usize {
    let dir = bench.root().join("releases");
    let all = names(&dir);
    let folders: Vec<&String> = all.iter().filter(|name| dir.join(name).is_dir()).collect();
    for name in &folders {
        assert!(is_sound(bench, &dir.join(name)), "{name} is not whole");
        assert!(
            all.contains(&format!("{name}.json")),
            "{name} is not recorded"
        );
    }
    assert_eq!(all.len(), 2 * folders.len(), "{all:?}");
    folders.len()
}

#[test]
fn a_killed_release_is_whole_or_not_there() {
    let bench = noisy();
    let (mut whole, mut unfinished) = (0, 0);
    for n in 0..rounds(10) {
        let name = format!("v{n}");
        bench.start_owner();
        let args = ["release", &name].into_iter().chain(ALL);
        let mut child = bench
            .command(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(5 + dice(n, 900)));
        bench.kill_owner();
        child.wait().unwrap();
        // The next owner finishes or removes what is left. The dying one may hold the lock for a
        // moment.
        drop(bench.client("ann", |_| ()));
        let before = whole;
        whole = check(&bench);
        unfinished += u64::from(whole == before);
        bench.run(["stop"]).ok();
    }
    crate::support::tell(&format!(
        "{whole} releases were whole, {unfinished} were not there"
    ));
    assert!(unfinished > 0, "no release was killed");
    let verified = bench.run(["verify", "--json"]).lines().remove(0);
    assert_eq!(verified["damaged"], 0, "{verified}");
    let last = release(&bench, &[&["last"], &ALL[..]].concat());
    assert_eq!(last["items"], PICTURES);
}

#[test]
fn a_release_elsewhere_is_finished_by_the_same_command() {
    let bench = noisy();
    let out = bench.beside("out");
    let to = out.join("v1");
    let args = ["v1", "--out", to.to_str().unwrap()];
    let mut hash = None;
    for n in 0..5 {
        bench.start_owner();
        let all = ["release"].into_iter().chain(args).chain(ALL);
        let mut child = bench
            .command(all)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(100 + dice(n, 700)));
        bench.kill_owner();
        child.wait().unwrap();
        if to.exists() {
            assert!(is_sound(&bench, &to));
            // Whole, but perhaps not recorded.
            let record = bench.root().join("releases/v1.json");
            let _ = std::fs::remove_file(record);
        }
        let done = release(&bench, &[&args[..], &ALL[..]].concat());
        assert_eq!(names(&out), ["v1"], "nothing else is left");
        assert!(is_sound(&bench, &to));
        assert_eq!(
            *hash.get_or_insert_with(|| done["hash"].clone()),
            done["hash"]
        );
        std::fs::remove_dir_all(&to).unwrap();
        std::fs::remove_file(bench.root().join("releases/v1.json")).unwrap();
        bench.run(["stop"]).ok();
    }
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let bench = noisy();
    let small = bench.beside("small");
    let Some(mount) = Mount::new(&["-t", "tmpfs", "-o", "size=6m", "tmpfs"], &small) else {
        return;
    };
    let to = mount.at.join("deep/v1");
    let args = ["v1", "--out", to.to_str().unwrap()];
    let all = ["release", "--json"].into_iter().chain(args).chain(ALL);
    bench.run(all).refused_as(ErrorKind::DiskFull);
    assert_eq!(names(&mount.at), [""; 0], "nothing is left");
    assert_eq!(names(&bench.root().join("releases")), [""; 0]);
    // The project itself on a disk that gets full.
    bench.run(["stop"]).ok();
    let other = bench.beside("other");
    let Some(mount) = Mount::new(&["-t", "tmpfs", "-o", "size=16m", "tmpfs"], &other) else {
        return;
    };
    let at = mount.at.join("project");
    let mut copy = std::process::Command::new("cp");
    assert!(
        copy.arg("-a")
            .arg(bench.root())
            .arg(&at)
            .status()
            .unwrap()
            .success()
    );
    let there = Bench::at(at);
    let before = files(&there.root().join("images"));
    let all = ["release", "v1", "--json"].into_iter().chain(ALL);
    run(&mut there.command(all), "").refused_as(ErrorKind::DiskFull);
    assert_eq!(names(&there.root().join("releases")), [""; 0]);
    assert_eq!(files(&there.root().join("images")), before);
    there.run(["stop"]).ok();
    // With space it works.
    let done = release(&bench, &[&["v1"], &ALL[..]].concat());
    assert_eq!(done["items"], PICTURES);
}
