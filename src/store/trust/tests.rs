use super::*;
use benchtop_model::ErrorKind;
use benchtop_model::trust::DataKind;

fn to(url: &str, key: Option<&str>) -> Destination {
    Destination::new(url, key, DataKind::Pictures).unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn agreements_are_stored_privately_and_revocable() {
    let dir = tempfile::tempdir().unwrap();
    let trust = Trust::in_folder(dir.path().join("deep/benchtop"));
    assert_eq!(trust.read().unwrap(), TrustFile::default());
    let (mine, other) = (
        to("https://a.example", Some("A_KEY")),
        to("https://b.example", None),
    );
    trust
        .agree(&[mine.clone(), other.clone()], "2026-01-01T00:00:00Z")
        .unwrap();
    let file = trust.file().unwrap();
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let held = trust.read().unwrap();
    assert!(
        held.agrees(&mine)
            && held.agrees(&other)
            && !held.agrees(&to("https://b.example", Some("A_KEY")))
    );
    assert!(
        held.agrees(&to("http://127.0.0.1:9", None))
            && !held.agrees(&to("http://127.0.0.1:9", Some("A_KEY")))
    );
    assert_eq!(
        trust
            .revoke("https://a.example", Some("B_KEY"))
            .unwrap()
            .len(),
        0
    );
    assert_eq!(trust.revoke("https://a.example", None).unwrap().len(), 1);
    assert!(!trust.read().unwrap().agrees(&mine));
}

#[test]
fn unreadable_lines_grant_nothing_and_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let trust = Trust::in_folder(dir.path());
    trust.agree(&[to("https://a.example", None)], "t").unwrap();
    let file = trust.file().unwrap();
    let later = "{\"v\":2,\"is\":\"agreement\",\"to\":\"https://b.example\"}";
    let text = format!(
        "{}{later}\nnonsense\n",
        std::fs::read_to_string(&file).unwrap()
    );
    std::fs::write(&file, text).unwrap();
    let held = trust.read().unwrap();
    assert_eq!((held.agreements.len(), held.unread.len()), (1, 2));
    assert!(!held.agrees(&to("https://b.example", None)));
    trust.agree(&[to("https://c.example", None)], "t").unwrap();
    assert!(std::fs::read_to_string(&file).unwrap().contains(later));
    std::fs::set_permissions(&file, Permissions::from_mode(0o620)).unwrap();
    assert_eq!(trust.read().unwrap_err().kind, ErrorKind::Denied);
    assert_eq!(
        trust
            .agree(&[to("https://d.example", None)], "t")
            .unwrap_err()
            .kind,
        ErrorKind::Denied
    );
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    assert_eq!(trust.read().unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn a_job_is_identified_by_folder_kind_and_number() {
    let dir = tempfile::tempdir().unwrap();
    let (trust, root) = (Trust::in_folder(dir.path().join("config")), dir.path());
    let job = |id: u32, token: &str| TrustedJob {
        folder: Folder::of(root).unwrap(),
        kind: "run".into(),
        id,
        token: token.into(),
        digest: "d".into(),
    };
    trust.begin(&job(1, "a")).unwrap();
    trust.begin(&job(2, "b")).unwrap();
    trust.begin(&job(1, "c")).unwrap();
    assert_eq!(trust.read().unwrap().jobs, [job(2, "b"), job(1, "c")]);
    trust.end(root, "scoring", 1).unwrap();
    trust.end(root, "run", 1).unwrap();
    assert_eq!(trust.read().unwrap().jobs, [job(2, "b")]);
    assert_ne!(token().unwrap(), token().unwrap());
}

#[test]
fn concurrent_agreements_are_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let trust = Trust::in_folder(dir.path());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let trust = trust.clone();
            scope.spawn(move || {
                for n in 0..5 {
                    trust
                        .agree(&[to(&format!("https://h{thread}-{n}.example"), None)], "t")
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(trust.read().unwrap().agreements.len(), 20);
}
