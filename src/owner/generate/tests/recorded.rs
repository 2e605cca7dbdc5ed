//! Tests of the picture journal of a job, and of its stored snapshot.

use super::*;
use benchtop_model::cancel::Cancel;
use benchtop_model::job::Plan;
use benchtop_store::fixtures::sample_made;
use benchtop_store::pictures::{Journal, picture_snapshot};

#[test]
fn pictures_of_another_encoder_are_kept() {
    let (_dir, project) = composed(40);
    let rig = Rig::over(&project, &Small::default());
    let id = rig.begin(missing());
    let count = rig.until(id, JobStatus::Done).done;
    let made: Vec<GeneratedImage> = {
        let keys: BTreeSet<u64> = rig.made().iter().map(|m| pictures_key(&rig, m)).collect();
        let pictures = rig.shared.items.pictures();
        keys.iter()
            .flat_map(|key| pictures.samples(*key))
            .map(|entry| pictures.line(entry).unwrap())
            .collect()
    };
    assert_eq!(made.len() as u64, count);
    drop(rig);
    let path = project.images().join(pictures::FILE);
    let parts = std::fs::read_to_string(&path)
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .to_string();
    assert!(
        parts.contains("\"parts\":{") && parts.contains("\"file\":\"png, a known picture is "),
        "{parts}"
    );
    // Pretend that another encoder made them.
    std::fs::remove_file(&path).unwrap();
    let print = Fingerprint::default()
        .with("model", "small")
        .with("file", "png of yesterday");
    let of_another = |made: GeneratedImage| {
        let file = project.root().join(made.image().stored().unwrap());
        let bytes = [std::fs::read(&file).unwrap(), b"another".to_vec()].concat();
        std::fs::remove_file(file).unwrap();
        let (image, _) =
            benchtop_pipeline::generate::png::keep(&project, &made.picture, false, &bytes).unwrap();
        GeneratedImage {
            fingerprint: print.short(),
            hash: image.hash.unwrap(),
            ..made
        }
    };
    let before: Vec<GeneratedImage> = made.into_iter().map(of_another).collect();
    Journal::open(&project.images())
        .unwrap()
        .append(&before, std::slice::from_ref(&print))
        .unwrap();
    let rig = Rig::over(&project, &Small::default());
    assert_eq!(
        begin(&rig.shared, "ann", &missing(), Cancel::NEVER)
            .unwrap_err()
            .kind,
        ErrorKind::Conflict,
        "no picture is missing"
    );
    let again = rig.begin(NewJob {
        plan: Plan::Filter(String::new()),
        ..missing()
    });
    assert_eq!(rig.until(again, JobStatus::Done).done, count);
    // Same pixels from the same seeds, but each line has its own file.
    assert_eq!(rig.made().len() as u64, 2 * count);
    let again = rig.begin(NewJob {
        plan: Plan::Filter(String::new()),
        ..missing()
    });
    assert_eq!(
        rig.until(again, JobStatus::Done).done,
        0,
        "identical pictures exist"
    );
}

fn pictures_key(rig: &Rig, made: &GeneratedImage) -> u64 {
    let dataset = rig.item(1).dataset;
    benchtop_model::generated_image::picture_key(&dataset, &made.picture)
}

#[test]
fn picture_snapshot_is_saved_and_used() {
    let (_dir, project) = composed(40);
    let many: Vec<GeneratedImage> = (0..5000)
        .map(|n| GeneratedImage {
            job: 900,
            ..sample_made(n)
        })
        .collect();
    Journal::open(&project.images())
        .unwrap()
        .append(&many, &[])
        .unwrap();
    let rig = Rig::over(&project, &Small::default());
    drop(rig);
    let (store, images) = (project.store(), project.images());
    assert!(
        picture_snapshot::path(&store).exists(),
        "saved at a regular exit"
    );
    let rig = Rig::over(&project, &Small::default());
    let id = rig.begin(missing());
    let count = rig.until(id, JobStatus::Done).done;
    assert_eq!(rig.shared.items.pictures().len() as u64, 5000 + count);
    drop(rig);
    let helped = pictures::read_on(&images, &store).unwrap();
    let alone = pictures::read(&images).unwrap();
    assert_eq!(
        (helped.pictures.of_job(id), helped.pictures.of_job(900)),
        (count, 5000)
    );
    assert_eq!(
        (helped.pictures.len(), helped.whole),
        (alone.pictures.len(), alone.whole)
    );
    // Same result without the snapshot, and with a damaged one.
    let snap = picture_snapshot::path(&store);
    for damage in [None, Some(b"damaged".to_vec())] {
        damage.map_or_else(
            || std::fs::remove_file(&snap).unwrap(),
            |bytes| std::fs::write(&snap, bytes).unwrap(),
        );
        let rig = Rig::over(&project, &Small::default());
        assert_eq!(rig.shared.items.pictures().len() as u64, 5000 + count);
        assert!((1..=40).all(|n| rig.item(n).images[0].stored().is_some()));
    }
}
