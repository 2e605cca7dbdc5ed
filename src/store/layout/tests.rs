use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::inventory::{self, Inventory, Kind};
use crate::jobs::tests::{failed, job};
use crate::scores::{ScorerVersion, Scores, scorers};
use crate::similarity::Cosines;
use benchtop_model::generation::Fingerprint;
use benchtop_model::scoring::Scorer;

const AT: &str = "2026-01-01T00:00:00Z";

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    disk::ensure_dirs(disk::folder(&path), &mut Vec::new()).unwrap();
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
}

fn about() -> ScorerVersion {
    ScorerVersion::new(
        Scorer::Judge("fit".into()),
        "m".into(),
        &Fingerprint::default(),
        1.0,
    )
}

/// A project in the layout of earlier versions, with its inventory.
fn earlier(root: &Path) -> Project {
    let project = Project::init(root).unwrap();
    let store = project.store();
    let mut scores = Scores::make_current(&store.join("scores"), about()).unwrap();
    scores.append(&[(7, Default::default())]).unwrap();
    write(root, "store/scores/ab.2.embeddings", &"0".repeat(16));
    Cosines::make_current(&store.join("similarity"), "abc")
        .unwrap()
        .append(&[(5, 0.5)])
        .unwrap();
    write(root, "store/rules.json", "[]");
    write(root, "store/scoring.json", "[]");
    write(root, "store/columns.snap", "a cache");
    write(root, "store/scores/.benchtop-x.tmp", "left by a kill");
    let index = Index::open(&store).unwrap();
    for id in [1, 3] {
        crate::jobs::migrate::plant(&index, &job(id), "token", &[1, 2], &[failed(5, 1)]);
    }
    index.set_resume_point("ann", "here").unwrap();
    index.sync().unwrap();
    drop(index);
    while Index::check_unlocked(&store).is_err() {
        std::thread::sleep(Duration::from_millis(1));
    }
    project.ensure_private_runtime().unwrap();
    let (inventory, wrong) = Inventory::default().update(&project, AT, true).unwrap();
    assert!(wrong.is_empty());
    inventory.write(&project).unwrap();
    project
}

/// All files with their contents, except those of the index.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for (_, path) in disk::list(&folder) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            if !name.starts_with("store/index/")
                && !is_index(&name["store/".len().min(name.len())..])
            {
                found.insert(name.to_string(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn assert_migrated(project: &Project) {
    let root = project.root();
    assert!(!has_old_layout(project));
    for (from, to) in MOVED {
        assert!(
            !exists(&root.join(from)) && exists(&root.join(to)),
            "{from}"
        );
    }
    assert_eq!(scorers(&project.scores()), [about().scorer]);
    let scores = Scores::current(&project.scores(), &about().scorer).unwrap();
    assert_eq!(scores.unwrap().len(), 1);
    let cosines = Cosines::current(&project.similarity()).unwrap().unwrap();
    assert_eq!(cosines.get(5), Some(0.5));
    let (jobs, problems) = jobs::list(root);
    assert!(problems.is_empty(), "{problems:?}");
    let ids: Vec<u32> = jobs.iter().map(|stored| stored.header.id).collect();
    assert_eq!(ids, [1, 3]);
    for stored in &jobs {
        let (files, _) = jobs::GenerationFiles::read(root, stored).unwrap();
        assert_eq!(files.numbers, [1, 2]);
        assert_eq!(stored.header.token.as_deref(), Some("token"));
        assert_eq!(files.failures.failed.len(), 1);
    }
    let index = Index::open(&project.index()).unwrap();
    assert_eq!(index.resume_point("ann").unwrap().as_deref(), Some("here"));
}

/// A watch that ends the migration after `steps` steps.
fn after(mut steps: usize) -> impl FnMut(&str) -> Result<()> {
    move |_| {
        if steps == 0 {
            return Err(Error::input("cut off"));
        }
        steps -= 1;
        Ok(())
    }
}

#[test]
fn migration_completes_after_an_interruption_at_any_step() {
    let mut steps = 0;
    for cut in 0.. {
        let dir = tempfile::tempdir().unwrap();
        let project = earlier(dir.path());
        let before = files(dir.path());
        let done = migrate_watched(&project, &mut after(cut));
        steps += 1;
        let is_over = done.is_ok();
        // No file is missing at any time, and the inventory follows the moves.
        let between: Vec<Vec<u8>> = files(dir.path()).into_values().collect();
        for (name, bytes) in &before {
            assert!(
                between.contains(bytes) || name.ends_with(".tmp"),
                "{cut}: {name}"
            );
        }
        let lost = |inventory: &Inventory| inventory.missing(dir.path());
        assert_eq!(lost(&Inventory::load(&project).unwrap()), [], "{cut}");
        let notices = done.unwrap_or_else(|_| migrate(&project).unwrap());
        assert!(notices.len() <= 1, "{notices:?}");
        assert_migrated(&project);
        assert_eq!(migrate(&project).unwrap(), [""; 0], "notices come once");
        for (name, bytes) in &before {
            let to = present_path(name).unwrap_or_else(|| name.clone());
            let path = dir.path().join(&to);
            assert!(
                name.ends_with(".tmp") || std::fs::read(path).is_ok_and(|read| read == *bytes),
                "{cut}: {name}"
            );
        }
        if is_over {
            break;
        }
    }
    assert!(steps > 15, "{steps}");
}

#[test]
fn the_inventory_follows_moved_files_and_permissions_stay_private() {
    let dir = tempfile::tempdir().unwrap();
    let project = earlier(dir.path());
    let before = Inventory::load(&project).unwrap();
    assert!(before.files.contains_key("store/scoring.json"));
    migrate(&project).unwrap();
    let after = Inventory::load(&project).unwrap();
    assert_eq!(after.files["jobs/scoring.json"].kind, Kind::Checksummed);
    let embeddings = &after.files["scores/ab.2.embeddings"];
    assert_eq!(
        embeddings.blake3,
        before.files["store/scores/ab.2.embeddings"].blake3
    );
    assert!(
        !after
            .files
            .keys()
            .any(|path| path.starts_with("store/scores"))
    );
    let (_, wrong) = after.update(&project, AT, false).unwrap();
    assert_eq!(wrong, []);
    assert_eq!(
        inventory::list(dir.path())
            .unwrap()
            .iter()
            .filter(|p| present_path(p).is_some())
            .count(),
        0
    );
    for (name, _) in files(dir.path()) {
        let path = dir.path().join(&name);
        let mode = path.metadata().unwrap().permissions().mode();
        if name.starts_with("scores/") || name.starts_with("jobs/") {
            let folder = disk::folder(&path).metadata().unwrap().permissions().mode();
            assert_eq!((mode & 0o077, folder & 0o777), (0, 0o700), "{name}");
        }
    }
}

#[test]
fn existing_files_are_never_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let project = earlier(dir.path());
    migrate(&project).unwrap();
    // An earlier version has used the project again.
    let short = about().short();
    let scores = format!("judge.fit/{short}.scores");
    write(dir.path(), &format!("store/scores/{scores}"), "others");
    write(dir.path(), "store/rules.json", "[]");
    write(dir.path(), "store/scoring.json", "[ ]");
    let index = Index::open(&project.store()).unwrap();
    crate::jobs::migrate::plant(
        &index,
        &crate::jobs::migrate::Indexed {
            created: 9,
            ..job(1)
        },
        "other",
        &[4],
        &[],
    );
    drop(index);
    let kept = std::fs::read(dir.path().join("scores").join(&scores)).unwrap();
    let notices = migrate(&project).unwrap();
    assert!(!notices.is_empty());
    assert_eq!(
        std::fs::read(dir.path().join("scores").join(&scores)).unwrap(),
        kept
    );
    let beside = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!(beside(&format!("scores/{scores}.earlier-1")), "others");
    assert_eq!(beside("jobs/scoring.json.earlier-1"), "[ ]");
    // A file with the same bytes is removed.
    assert!(!exists(&dir.path().join("scores/rules.json.earlier-1")));
    let (jobs, _) = jobs::list(dir.path());
    let ids: Vec<_> = jobs
        .iter()
        .map(|s| (s.header.id, s.header.created))
        .collect();
    assert_eq!(ids, [(1, 7), (3, 7), (4, 9)]);
    assert!(!has_old_layout(&project));
    let index = Index::open(&project.index()).unwrap();
    assert_eq!(index.resume_point("ann").unwrap().as_deref(), Some("here"));
}

#[test]
fn symlinks_stay_and_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    let project = earlier(&root);
    let victim = dir.path().join("victim");
    std::fs::create_dir(&victim).unwrap();
    std::fs::write(victim.join("current"), "theirs").unwrap();
    let links = ["store/scores/clip", "store/scores/judge.fit/other"];
    symlink(&victim, root.join(links[0])).unwrap();
    symlink(victim.join("current"), root.join(links[1])).unwrap();
    for _ in 0..2 {
        let notices = migrate(&project).unwrap();
        let notice = notices.last().unwrap();
        for name in links {
            assert!(
                notice.contains(name) && root.join(name).is_symlink(),
                "{notice}"
            );
        }
    }
    assert_eq!(files(&victim)["current"], b"theirs");
    assert!(root.join("scores/judge.fit/current").is_file());
    // A link at the new path is not followed either.
    symlink(&victim, root.join("scores/ocr")).unwrap();
    write(&root, "store/scores/ocr/current", "mine");
    assert_eq!(migrate(&project).unwrap_err().kind, ErrorKind::Denied);
    assert_eq!(files(&victim).len(), 1);
}

#[test]
fn a_damaged_index_loses_only_its_jobs() {
    let dir = tempfile::tempdir().unwrap();
    let project = earlier(dir.path());
    let db = project.store().join("db");
    let length = std::fs::metadata(&db).unwrap().len() as usize;
    write(dir.path(), "imports/manifest.jsonl", "an import\n");
    std::fs::write(&db, vec![0xa5; length]).unwrap();
    let notices = migrate(&project).unwrap();
    assert!(!notices.is_empty());
    assert!(project.store().join("index.broken-1/db").is_file());
    assert_eq!(scorers(&project.scores()).len(), 1);
    assert!(!has_old_layout(&project));
    assert_eq!(migrate(&project).unwrap(), [""; 0]);
}

#[test]
fn a_read_only_project_is_read_from_the_old_layout() {
    let dir = tempfile::tempdir().unwrap();
    let project = earlier(dir.path());
    let why = Error::denied("read-only");
    let opened = crate::open::open_to_read(&project, &why).unwrap();
    assert!(!opened.notices.is_empty());
    assert_eq!(project.scores(), project.store().join("scores"));
    let scores = Scores::current(&project.scores(), &about().scorer).unwrap();
    assert_eq!(scores.unwrap().len(), 1);
    assert!(Cosines::current(&project.similarity()).unwrap().is_some());
    assert_eq!(project.rules_history(), project.store().join("rules.json"));
    assert_eq!(project.scoring_jobs(), project.store().join("scoring.json"));
    assert!(has_old_layout(&project));
    migrate(&project).unwrap();
    assert_eq!(project.scores(), dir.path().join("scores"));
    assert_eq!(project.scoring_jobs(), dir.path().join("jobs/scoring.json"));
}
