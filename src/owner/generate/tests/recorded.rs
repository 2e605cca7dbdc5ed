//! What the journal of pictures says of a job's, and what is kept of it in the store.

use super::*;
use benchtop_model::job::Plan;
use benchtop_store::fixtures::sample_made;
use benchtop_store::pictures::{Journal, picture_snapshot};

#[test]
fn pictures_of_another_encoder_stay_and_those_chosen_are_made_again() {
    let (_dir, project) = composed(40);
    let rig = Rig::over(&project, &Small::default());
    let id = rig.begin(missing());
    let count = rig.until(id, JobStatus::Done).done;
    let made: Vec<GeneratedImage> = {
        let pictures = rig.shared.items.pictures();
        let keys: BTreeSet<u64> = rig.made().iter().map(|m| pictures_key(&rig, m)).collect();
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
    // As if another encoder had made them.
    std::fs::remove_file(&path).unwrap();
    let print = Fingerprint::default()
        .with("model", "small")
        .with("file", "png of yesterday");
    let of_another = |made: GeneratedImage| {
        let file = project.root().join(made.image().stored().unwrap());
        let bytes = [std::fs::read(&file).unwrap(), b"another".to_vec()].concat();
        std::fs::remove_file(file).unwrap();
        let (image, _) =
            benchtop_pipeline::generate::file::keep(&project, &made.picture, false, &bytes)
                .unwrap();
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
        begin(&rig.shared, "ann", &missing(), &|| true)
            .unwrap_err()
            .kind,
        ErrorKind::Conflict,
        "none is missing"
    );
    let again = rig.begin(NewJob {
        plan: Plan::Filter(String::new()),
        ..missing()
    });
    assert_eq!(rig.until(again, JobStatus::Done).done, count);
    // The same pixels from the same seeds; each line names a file of its own, the earlier ones too.
    assert_eq!(rig.made().len() as u64, 2 * count);
    let again = rig.begin(NewJob {
        plan: Plan::Filter(String::new()),
        ..missing()
    });
    assert_eq!(
        rig.until(again, JobStatus::Done).done,
        0,
        "the very same are there now"
    );
}

fn pictures_key(rig: &Rig, made: &GeneratedImage) -> u64 {
    let dataset = rig.item(1).dataset;
    benchtop_model::generated_image::picture_key(&dataset, &made.picture)
}

#[test]
fn an_index_over_many_pictures_is_kept_and_followed() {
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
        "kept at an orderly end"
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
    // Without it, and with a damaged one, all is as it was.
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
