use super::*;
use crate::open::open;
use crate::open::tests::fill_named;
use benchtop_files::project::Project;
use benchtop_model::ErrorKind;
use benchtop_model::Form;

/// A project with three imports.
fn project() -> (tempfile::TempDir, Project) {
    let dir = tempfile::tempdir().unwrap();
    for (n, from) in [(1, 0), (2, 10), (3, 20)] {
        drop(fill_named(
            dir.path(),
            from,
            from + 10,
            &format!("{n:04}-01-items.jsonl.zst"),
        ));
    }
    let project = Project::open(dir.path()).unwrap();
    (dir, project)
}

fn ids(project: &Project) -> Vec<String> {
    let opened = open(project).unwrap();
    (0..opened.catalog.len())
        .map(|row| opened.catalog.item(row).unwrap().id)
        .collect()
}

fn lines(project: &Project) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(project.imports().join(FILE)).unwrap();
    bytes
        .split_inclusive(|b| *b == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

fn write(project: &Project, lines: &[Vec<u8>]) {
    std::fs::write(project.imports().join(FILE), lines.concat()).unwrap();
}

#[test]
fn a_damaged_line_is_recovered_in_its_position() {
    type Damage = fn(&mut Vec<u8>);
    let ways: [(&str, Damage, Option<Source>); 4] = [
        (
            "a flipped bit",
            |line| line[60] ^= 4,
            Some(Source::MendedLine),
        ),
        (
            "two changed bytes",
            |line| (line[19], line[21]) = (b'9', b'9'),
            Some(Source::DamagedLine),
        ),
        (
            "not JSON any more",
            |line| line[..40].fill(b'x'),
            Some(Source::Segment),
        ),
        ("gone", Vec::clear, Some(Source::Segment)),
    ];
    for (what, damage, from) in ways {
        for at in 0..3 {
            let (_dir, project) = project();
            let before = ids(&project);
            let mut text = lines(&project);
            damage(&mut text[at]);
            write(&project, &text);
            let opened = open(&project).unwrap();
            assert_eq!(opened.catalog.len(), 20, "{what} {at}");
            assert!(!opened.notices.is_empty(), "{what} {at}");
            drop(opened);
            let found = search(&project.imports(), &Hints::default(), "now").unwrap();
            assert_eq!(
                (found.segments.len(), found.segments[0].from),
                (1, from),
                "{what} {at}: {found:?}"
            );
            assert_eq!(found.lines.len(), usize::from(what != "gone"));
            assert_eq!(
                (found.entries.len(), found.entries[0].n),
                (1, at as u64 + 1)
            );
            let aside = apply(&project.imports(), &found).unwrap().unwrap();
            assert_eq!(std::fs::read(aside).unwrap(), text.concat());
            assert_eq!(ids(&project), before, "{what} {at}");
            assert!(
                search(&project.imports(), &Hints::default(), "now")
                    .unwrap()
                    .is_empty()
            );
            Manifest::for_import(&project.imports()).unwrap();
        }
    }
}

#[test]
fn a_missing_manifest_is_recovered() {
    let (_dir, project) = project();
    let before = ids(&project);
    std::fs::remove_file(project.imports().join(FILE)).unwrap();
    let found = search(&project.imports(), &Hints::default(), "now").unwrap();
    assert_eq!(
        found.entries.iter().map(|e| e.n).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(apply(&project.imports(), &found).unwrap(), None);
    assert_eq!(ids(&project), before);
}

#[test]
fn unrecoverable_segments_are_left_in_place() {
    let (_dir, project) = project();
    let imports = project.imports();
    let mut text = lines(&project);
    text.pop();
    write(&project, &text);
    // The third segment is damaged, one is a copy of the first, and one has predictions.
    let third = imports.join("0003-01-items.jsonl.zst");
    let mut bytes = std::fs::read(&third).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&third, bytes).unwrap();
    std::fs::copy(
        imports.join("0001-01-items.jsonl.zst"),
        imports.join("0007-01-items.jsonl.zst"),
    )
    .unwrap();
    let mut answers = crate::segment::Writer::create(&imports).unwrap();
    for n in 0..3 {
        answers
            .push(&serde_json::json!({"key": n, "output": "A"}))
            .unwrap();
    }
    answers.finish("0008-01-answers.jsonl.zst").unwrap();
    std::fs::remove_file(imports.join(".unfinished-0008")).unwrap();
    let found = search(&imports, &Hints::default(), "now").unwrap();
    let files: Vec<_> = found
        .segments
        .iter()
        .filter(|o| o.problem.is_some())
        .map(|o| o.file.as_str())
        .collect();
    assert_eq!(
        files,
        [
            "0003-01-items.jsonl.zst",
            "0007-01-items.jsonl.zst",
            "0008-01-answers.jsonl.zst",
        ]
    );
    assert!(found.entries.is_empty());
    let said = Hints {
        model: Some("GPT4o".into()),
        ..Hints::default()
    };
    let found = search(&imports, &said, "now").unwrap();
    let Content::Predictions { model, form, .. } = &found.entries[0].parts[0].holds else {
        panic!("{found:?}")
    };
    assert_eq!(
        (model.as_str(), form, found.entries[0].n),
        ("GPT4o", &Form::Plain, 8)
    );
    let none = Hints {
        only: vec!["0001-01-items.jsonl.zst".into()],
        ..Hints::default()
    };
    assert_eq!(
        search(&imports, &none, "now").unwrap_err().kind,
        ErrorKind::NotFound
    );
}
