use super::*;

const AT: &str = "2026-01-01T00:00:00Z";

fn lines(n: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    (0..n).for_each(|n| {
        checksummed_line::encode(&serde_json::json!({ "n": n }), &mut bytes).unwrap()
    });
    bytes
}

#[test]
fn only_growing_files_may_change_and_only_by_growing() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(dir.path()).unwrap();
    std::fs::create_dir_all(project.store()).unwrap();
    project.ensure_private_runtime().unwrap();
    let journal = project.sessions().join("ann.jsonl");
    std::fs::write(&journal, lines(3)).unwrap();
    let (first, wrong) = Inventory::default().update(&project, AT, false).unwrap();
    assert!(wrong.is_empty() && first.files["sessions/ann.jsonl"].lines == 3);
    first.write(&project).unwrap();
    assert_eq!(Inventory::load(&project).unwrap(), first);
    // The journal grows. A partly written line does not count.
    std::fs::write(&journal, [lines(4), b"{\"n\":".to_vec()].concat()).unwrap();
    let (second, wrong) = first.update(&project, AT, false).unwrap();
    assert!(wrong.is_empty());
    assert_eq!(
        second.files["sessions/ann.jsonl"].length,
        lines(4).len() as u64
    );
    // Truncated at a line, changed, and removed.
    std::fs::write(&journal, lines(3)).unwrap();
    let found = second.update(&project, AT, false).unwrap();
    assert_eq!(
        found.1,
        [(
            "sessions/ann.jsonl".to_string(),
            Difference::Short(lines(3).len() as u64)
        )]
    );
    assert_eq!(
        found.0.files["sessions/ann.jsonl"].lines, 4,
        "the record is kept"
    );
    assert_eq!(second.missing(project.root()), found.1);
    let mut other = lines(5);
    other[3] ^= 1;
    std::fs::write(&journal, other).unwrap();
    assert_eq!(
        second.update(&project, AT, false).unwrap().1,
        [("sessions/ann.jsonl".to_string(), Difference::Rewritten)]
    );
    std::fs::remove_file(&journal).unwrap();
    assert_eq!(
        second.update(&project, AT, false).unwrap().1,
        [("sessions/ann.jsonl".to_string(), Difference::Gone)]
    );
    remove_records(&project, &|path| path.starts_with("sessions/ann")).unwrap();
    assert!(
        !Inventory::load(&project)
            .unwrap()
            .files
            .contains_key("sessions/ann.jsonl")
    );
}

#[test]
fn one_copy_is_enough_and_damage_is_detected() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(dir.path()).unwrap();
    std::fs::create_dir_all(project.store()).unwrap();
    project.ensure_private_runtime().unwrap();
    let (inventory, _) = Inventory::default().update(&project, AT, true).unwrap();
    inventory.write(&project).unwrap();
    let [store, beside] = copies(&project);
    let whole = std::fs::read(&store).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut bad = whole.clone();
        bad[at] ^= 4;
        std::fs::write(&store, &bad).unwrap();
        assert!(
            matches!(read(&store), InventoryCopy::Damaged(_)),
            "byte {at}"
        );
        std::fs::write(&store, &whole[..at]).unwrap();
        assert!(
            matches!(read(&store), InventoryCopy::Damaged(_)),
            "cut at {at}"
        );
    }
    std::fs::remove_file(&store).unwrap();
    assert!(matches!(read(&store), InventoryCopy::Missing));
    assert_eq!(Inventory::load(&project).unwrap(), inventory);
    std::fs::remove_file(beside).unwrap();
    assert!(Inventory::load(&project).is_none());
}

#[test]
fn only_complete_rows_count() {
    let rows = Kind::Rows(16);
    assert_eq!(
        (
            rows.whole(0, &[0; 33]),
            rows.whole(16, &[0; 15]),
            rows.whole(0, &[])
        ),
        (32, 0, 0)
    );
    assert_eq!(
        (rows.whole(0, &[0; 48]), rows.whole(32, &[0; 16])),
        (48, 16)
    );
}

#[test]
fn mark_open_does_not_follow_a_symlink() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("project")).unwrap();
    let runtime = project.ensure_private_runtime().unwrap();
    let victim = dir.path().join("victim");
    std::fs::write(&victim, "theirs").unwrap();
    std::os::unix::fs::symlink(&victim, runtime.join(OPEN)).unwrap();
    assert_eq!(
        mark_open(&project).unwrap_err().kind,
        benchtop_model::ErrorKind::Denied
    );
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "theirs");
}
