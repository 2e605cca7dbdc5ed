//! What the journal of pictures says of a job's, and what is kept of it in the store.

use super::*;
use crate::store::pictures::{Journal, kept, sample_made};

#[test]
fn an_index_over_many_pictures_is_kept_and_followed() {
    let (_dir, project) = composed(40);
    let many: Vec<Made> = (0..5000).map(|n| Made { job: 900, ..sample_made(n) }).collect();
    Journal::open(&project.images()).unwrap().append(&many, &[]).unwrap();
    let rig = Rig::over(&project, &Small::default());
    drop(rig);
    let (store, images) = (project.store(), project.images());
    assert!(kept::path(&store).exists(), "kept at an orderly end");
    let rig = Rig::over(&project, &Small::default());
    let id = rig.begin(missing());
    let count = rig.until(id, Standing::Done).done;
    assert_eq!(rig.shared.pictures().len() as u64, 5000 + count);
    drop(rig);
    let helped = pictures::read_on(&images, &store).unwrap();
    let alone = pictures::read(&images).unwrap();
    assert_eq!((helped.pictures.of_job(id), helped.pictures.of_job(900)), (count, 5000));
    assert_eq!((helped.pictures.len(), helped.whole), (alone.pictures.len(), alone.whole));
    // Without it, and with a damaged one, all is as it was.
    let snap = kept::path(&store);
    for damage in [None, Some(b"damaged".to_vec())] {
        damage.map_or_else(|| std::fs::remove_file(&snap).unwrap(), |bytes| std::fs::write(&snap, bytes).unwrap());
        let rig = Rig::over(&project, &Small::default());
        assert_eq!(rig.shared.pictures().len() as u64, 5000 + count);
        assert!((1..=40).all(|n| rig.item(n).images[0].stored().is_some()));
    }
}
