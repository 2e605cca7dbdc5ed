//! Model files against a server with the hub's addresses and headers.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use benchtop::inference::hub::{Hub, KnownFile, KnownModel};
use benchtop::model::weights::{FileOperation, FileState, ModelReport};
use benchtop::model::{Error, ErrorKind};
use sha2::{Digest as _, Sha256};

use super::server::{Act, Seen, Server};
use crate::support::Mount;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const SMALL: &str = "{\"layers\": 2}\n";

fn weights() -> Vec<u8> {
    let mut bytes = vec![0; 300_000];
    blake3::Hasher::new()
        .update(b"weights")
        .finalize_xof()
        .fill(&mut bytes);
    bytes
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

fn known(hash: Option<&str>) -> Vec<KnownModel> {
    let file = |path: &str, sha256: Option<&str>| KnownFile {
        path: path.into(),
        size: None,
        sha256: sha256.map(str::to_string),
    };
    vec![KnownModel {
        name: "tiny".into(),
        what: "a tiny model".into(),
        repo: "org/tiny".into(),
        revision: COMMIT.into(),
        licence: "MIT".into(),
        files: vec![
            file("unet/config.json", None),
            file("unet/model.safetensors", hash),
        ],
    }]
}

/// What the hub does out of the ordinary.
#[derive(Default)]
struct Twist {
    /// The first transfer from the start breaks off in the middle.
    cut: bool,
    /// Ranges are not heeded.
    no_ranges: bool,
    /// Another commit is given.
    commit: Option<&'static str>,
    /// Other bytes come than were stated.
    other_bytes: bool,
    /// Large files are on this host.
    elsewhere: Option<String>,
    /// From then on the file and its stated hash are others.
    changed: Arc<AtomicBool>,
}

fn hub_server(twist: Twist) -> Server {
    Server::new(move |seen| serve(&twist, seen))
}

fn serve(twist: &Twist, seen: &Seen) -> Act {
    let (method, path) = seen.line.split_once(' ').unwrap();
    let commit = ("x-repo-commit", twist.commit.unwrap_or(COMMIT).to_string());
    let mut bytes = weights();
    if twist.changed.load(Ordering::SeqCst) {
        bytes[0] ^= 1;
    }
    if path == format!("/org/tiny/resolve/{COMMIT}/unet/config.json") {
        return Act::Raw(
            200,
            vec![commit, ("etag", "\"0a1b\"".into())],
            SMALL.into(),
            false,
        );
    }
    if path == format!("/org/tiny/resolve/{COMMIT}/unet/model.safetensors") {
        let to = format!("{}/cdn/model", twist.elsewhere.clone().unwrap_or_default());
        let hash = format!("\"{}\"", sha256(&bytes));
        let size = ("x-linked-size", bytes.len().to_string());
        return Act::Raw(
            302,
            vec![commit, ("x-linked-etag", hash), size, ("location", to)],
            vec![],
            false,
        );
    }
    if method == "GET" && path == "/cdn/model" {
        if twist.other_bytes {
            bytes[1] ^= 1;
        }
        let from = seen.range.as_ref().and_then(|r| {
            r.strip_prefix("bytes=")?
                .strip_suffix('-')?
                .parse::<usize>()
                .ok()
        });
        return match from.filter(|_| !twist.no_ranges) {
            Some(from) if from >= bytes.len() => Act::Raw(416, vec![], vec![], false),
            Some(from) => {
                let range = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
                Act::Raw(
                    206,
                    vec![("content-range", range)],
                    bytes.split_off(from),
                    false,
                )
            }
            None => Act::Raw(200, vec![], bytes, twist.cut && seen.before == 0),
        };
    }
    Act::Status(404, vec![], "Entry not found".into())
}

fn hub(server: &Server, cache: &Path, hash: Option<&str>) -> Hub {
    let endpoint = format!("http://{}", server.at);
    Hub::new(cache, &endpoint)
        .with_models(known(hash))
        .with_pause(Duration::from_millis(5))
}

fn states(report: &ModelReport) -> Vec<FileState> {
    report.files.iter().map(|f| f.state).collect()
}

fn ranges(server: &Server) -> Vec<Option<String>> {
    server
        .seen()
        .into_iter()
        .filter(|s| s.line == "GET /cdn/model")
        .map(|s| s.range)
        .collect()
}

fn pull(hub: &Hub) -> Result<ModelReport, Error> {
    hub.pull("tiny", &mut |_| true)
}

#[test]
fn a_pull_makes_the_cache_that_other_tools_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = Server::new(|seen| serve(&Twist::default(), seen));
    let server = hub_server(Twist {
        elsewhere: Some(format!("http://{}", store.at)),
        ..Twist::default()
    });
    let hub = hub(&server, dir.path(), None)
        .with_token("hf_secret")
        .unwrap();
    let before = hub.list().unwrap();
    assert_eq!((before.len(), before[0].state), (1, FileState::Absent));
    let missing = hub.path("tiny").unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NotFound);
    assert!(
        missing
            .help
            .unwrap()
            .contains("snapshots/0123456789abcdef0123456789abcdef01234567/unet/config.json")
    );

    let mut last = None;
    let report = hub.pull("tiny", &mut |progress| {
        last = Some(progress.clone());
        true
    });
    let report = report.unwrap();
    assert_eq!(states(&report), [FileState::Complete; 2]);
    let last = last.unwrap();
    assert_eq!(
        (last.doing, last.done, last.of),
        (FileOperation::Verify, 300_000, Some(300_000))
    );
    let folder = hub.path("tiny").unwrap();
    assert_eq!(
        folder,
        dir.path().join("models--org--tiny/snapshots").join(COMMIT)
    );
    assert_eq!(
        std::fs::read(folder.join("unet/config.json")).unwrap(),
        SMALL.as_bytes()
    );
    assert_eq!(
        std::fs::read(folder.join("unet/model.safetensors")).unwrap(),
        weights()
    );
    let target = std::fs::read_link(folder.join("unet/model.safetensors")).unwrap();
    assert_eq!(target, Path::new("../../../blobs").join(sha256(&weights())));
    // The token is for the hub and for nobody else.
    assert!(
        server
            .seen()
            .iter()
            .all(|s| s.key.as_deref() == Some("Bearer hf_secret"))
    );
    assert!(!store.seen().is_empty() && store.seen().iter().all(|s| s.key.is_none()));
    assert!(!format!("{hub:?}").contains("hf_secret"));
    // What is there is not asked for again.
    let asked = server.seen().len();
    pull(&hub).unwrap();
    assert_eq!(server.seen().len(), asked);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        (json["state"].as_str(), json["files"][1]["bytes"].as_u64()),
        (Some("complete"), Some(300_000))
    );
}

#[test]
fn a_transfer_that_breaks_goes_on_where_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let server = hub_server(Twist {
        cut: true,
        ..Twist::default()
    });
    pull(&hub(&server, dir.path(), None)).unwrap();
    let ranges = ranges(&server);
    assert_eq!((ranges.len(), &ranges[0]), (2, &None), "{ranges:?}");
    let from: u64 = ranges[1].as_ref().unwrap()[6..]
        .trim_end_matches('-')
        .parse()
        .unwrap();
    assert!(from > 0 && from <= 150_000, "from {from}");
}

#[test]
fn a_cancelled_pull_keeps_what_came_and_a_hub_without_ranges_starts_again() {
    for no_ranges in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let server = hub_server(Twist {
            cut: true,
            no_ranges,
            ..Twist::default()
        });
        let hub = hub(&server, dir.path(), None).with_pause(Duration::from_secs(60));
        // The first transfer breaks off; before the second one there is time to cancel.
        let problem = hub
            .pull("tiny", &mut |p| {
                p.path.ends_with("json") || p.doing == FileOperation::Verify
            })
            .unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Cancelled, "{problem}");
        let report = hub.report("tiny").unwrap();
        assert_eq!(states(&report), [FileState::Complete, FileState::Partial]);
        assert_eq!(report.state, FileState::Partial);
        assert!(report.files[1].bytes > 0 && report.files[1].size == Some(300_000));
        assert!(
            report.missing().contains(&sha256(&weights())),
            "{}",
            report.missing()
        );
        assert_eq!(states(&pull(&hub).unwrap()), [FileState::Complete; 2]);
        assert!(ranges(&server)[1].is_some());
        assert_eq!(
            states(&hub.verify("tiny", &mut |_| true).unwrap()),
            [FileState::Complete; 2]
        );
    }
}

#[test]
fn what_is_not_what_it_should_be_is_removed_and_refused() {
    let dir = tempfile::tempdir().unwrap();
    // Other bytes than the hub stated.
    let server = hub_server(Twist {
        other_bytes: true,
        ..Twist::default()
    });
    let problem = pull(&hub(&server, dir.path(), None)).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Corrupt, "{problem}");
    assert!(problem.what.contains("SHA-256"), "{problem}");
    let left: Vec<_> = std::fs::read_dir(dir.path().join("models--org--tiny/blobs"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "the small file alone: {left:?}");
    // Another hash than is known: nothing is fetched.
    let (dir, server) = (tempfile::tempdir().unwrap(), hub_server(Twist::default()));
    let wrong = "ab".repeat(32);
    let problem = pull(&hub(&server, dir.path(), Some(&wrong))).unwrap_err();
    assert_eq!(
        (problem.kind, ranges(&server).len()),
        (ErrorKind::Corrupt, 0),
        "{problem}"
    );
    // Another commit than the pinned one.
    let server = hub_server(Twist {
        commit: Some("ffff456789abcdef0123456789abcdef01234567"),
        ..Twist::default()
    });
    let problem = pull(&hub(&server, tempfile::tempdir().unwrap().path(), None)).unwrap_err();
    assert!(
        problem.kind == ErrorKind::Corrupt && problem.what.contains("commit"),
        "{problem}"
    );
}

#[test]
fn what_was_trusted_first_is_held_to() {
    let dir = tempfile::tempdir().unwrap();
    let changed = Arc::new(AtomicBool::new(false));
    let server = hub_server(Twist {
        changed: Arc::clone(&changed),
        ..Twist::default()
    });
    let hub = hub(&server, dir.path(), None);
    pull(&hub).unwrap();
    let file = hub.path("tiny").unwrap().join("unet/model.safetensors");
    std::fs::remove_file(&file).unwrap();
    changed.store(true, Ordering::SeqCst);
    let problem = pull(&hub).unwrap_err();
    assert!(
        problem.kind == ErrorKind::Corrupt && problem.what.contains(&sha256(&weights())),
        "{problem}"
    );
    assert!(!file.exists());
    // A lock that cannot be read is no lock that may be ignored.
    std::fs::write(dir.path().join("models.lock"), "{").unwrap();
    assert_eq!(hub.list().unwrap_err().kind, ErrorKind::Corrupt);
}

#[test]
fn a_verification_finds_one_flipped_bit_and_a_look_a_wrong_size() {
    let (dir, server) = (tempfile::tempdir().unwrap(), hub_server(Twist::default()));
    let hub = hub(&server, dir.path(), None);
    pull(&hub).unwrap();
    let file = hub.path("tiny").unwrap().join("unet/model.safetensors");
    let mut bytes = weights();
    bytes[77_777] ^= 4;
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(
        hub.report("tiny").unwrap().state,
        FileState::Complete,
        "sizes tell nothing"
    );
    let report = hub.verify("tiny", &mut |_| true).unwrap();
    assert_eq!(states(&report), [FileState::Complete, FileState::Corrupt]);
    assert!(
        report.files[1]
            .trouble
            .as_ref()
            .unwrap()
            .contains(&sha256(&bytes))
    );
    assert_eq!(
        hub.verify("tiny", &mut |_| false).unwrap_err().kind,
        ErrorKind::Cancelled
    );
    std::fs::write(&file, &bytes[..1000]).unwrap();
    let report = hub.report("tiny").unwrap();
    assert_eq!(
        (report.state, report.files[1].state),
        (FileState::Corrupt, FileState::Corrupt)
    );
    assert_eq!(hub.path("tiny").unwrap_err().kind, ErrorKind::Corrupt);
    // A pull mends it.
    assert_eq!(pull(&hub).unwrap().state, FileState::Complete);
    assert_eq!(
        hub.verify("tiny", &mut |_| true).unwrap().state,
        FileState::Complete
    );
}

#[test]
fn no_line_no_leave_and_no_file_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let gone = hub_server(Twist::default()).at;
    let hub = Hub::new(dir.path(), &format!("http://{gone}"))
        .with_models(known(None))
        .with_pause(Duration::ZERO);
    let problem = pull(&hub).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Unreachable, "{problem}");
    let help = problem.help.unwrap();
    let folder = dir.path().join("models--org--tiny/snapshots").join(COMMIT);
    for file in ["unet/config.json", "unet/model.safetensors"] {
        assert!(
            help.contains(&folder.join(file).display().to_string()),
            "{help}"
        );
    }
    // By hand is as good.
    std::fs::create_dir_all(folder.join("unet")).unwrap();
    std::fs::write(folder.join("unet/config.json"), SMALL).unwrap();
    std::fs::write(folder.join("unet/model.safetensors"), weights()).unwrap();
    assert_eq!(hub.path("tiny").unwrap(), folder);
    let report = hub.verify("tiny", &mut |_| true).unwrap();
    assert_eq!(
        report.files[1].sha256.as_deref(),
        Some(sha256(&weights()).as_str())
    );
    // So is a folder of one's own.
    let name = folder.to_str().unwrap();
    assert_eq!(hub.path(name).unwrap(), folder);
    assert_eq!(
        hub.report(name).unwrap().files[1].path,
        "unet/model.safetensors"
    );

    for (status, kind, word) in [
        (401, ErrorKind::Denied, "HF_TOKEN"),
        (404, ErrorKind::NotFound, "removed"),
    ] {
        let server = Server::new(move |_| Act::Status(status, vec![], String::new()));
        let problem = pull(&self::hub(
            &server,
            tempfile::tempdir().unwrap().path(),
            None,
        ))
        .unwrap_err();
        assert_eq!(problem.kind, kind, "{problem}");
        assert!(problem.help.as_ref().unwrap().contains(word), "{problem}");
        assert!(problem.help.unwrap().contains("/org/tiny"));
    }
    let problem = hub.report("tiny-2").unwrap_err();
    assert!(problem.kind == ErrorKind::NotFound && problem.help.unwrap().contains("tiny"));
}

#[test]
fn a_pull_and_a_generator_may_run_and_fail_on_a_runtimes_thread() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::new(|_| Act::Status(404, vec![], String::new()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        assert_eq!(
            pull(&hub(&server, dir.path(), None)).unwrap_err().kind,
            ErrorKind::NotFound
        );
        let config =
            "backend = \"http\"\nmodel = \"m\"\nendpoints = [{ url = \"http://127.0.0.1:9\" }]";
        drop(
            benchtop::inference::http::HttpGenerator::new(&toml::from_str(config).unwrap())
                .unwrap(),
        );
    });
}

#[test]
fn a_full_disk_is_told_before_the_first_byte() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mount) = Mount::new(
        &["-t", "tmpfs", "-o", "size=256k", "tmpfs"],
        &dir.path().join("mnt"),
    ) else {
        return;
    };
    let server = hub_server(Twist::default());
    let hub = hub(&server, &mount.at, None);
    let problem = pull(&hub).unwrap_err();
    assert_eq!(
        (problem.kind, ranges(&server).len()),
        (ErrorKind::DiskFull, 0),
        "{problem}"
    );
    assert_eq!(
        states(&hub.report("tiny").unwrap()),
        [FileState::Complete, FileState::Absent]
    );
}
