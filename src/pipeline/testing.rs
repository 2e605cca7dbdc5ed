//! Opening projects in tests.

use std::time::{Duration, Instant};

use benchtop_files::project::Project;
use benchtop_model::ErrorKind;
use benchtop_store::open::{OpenData, open};

/// Opens a project that this test has just closed. A child that another test starts meanwhile, such as
/// Tesseract, holds a copy of the lock until it executes.
pub(crate) fn reopen(project: &Project) -> OpenData {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match open(project) {
            Err(problem) if problem.kind == ErrorKind::Conflict && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened.unwrap(),
        }
    }
}
