//! The next requests of a bootstrapping job.

use super::roles;
use super::sending::PendingRequest;
use super::session::Session;
use benchtop_files::picture_file::PictureFile;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::judge::ShownPictures;
use benchtop_model::vlm::{Encoded, VlmRequest};
use benchtop_model::{Item, Result};
use benchtop_pipeline::bootstrap::painting;
use benchtop_pipeline::bootstrap::requests;
use benchtop_pipeline::bootstrap::state::{Made, Next};
use benchtop_pipeline::evaluate::ask;
use benchtop_store::jobs::{Done, ModelRole};

/// No source is added to those whose requests are sent together once their pictures have so many bytes.
const PICTURE_BYTES: usize = 16 << 20;

impl Session<'_> {
    /// The requests that are next. What cannot be asked is recorded as a failure.
    pub(super) fn pending(&mut self, active: &[usize]) -> Result<Vec<PendingRequest>> {
        let (mut pending, mut lines, mut bytes) = (Vec::new(), Vec::new(), 0);
        for n in active {
            if bytes >= PICTURE_BYTES {
                break;
            }
            let ready: Vec<usize> = self.progress.ready(*n).collect();
            let mut largest = 0;
            for k in ready {
                let made = match self.item(*n)? {
                    Ok(item) => self.request_for((*n, k), &item)?,
                    Err(failure) => Some(Err(failure.reason)),
                };
                match made {
                    Some(Ok(one)) => {
                        let pictures = one.request.images.iter();
                        largest = largest.max(pictures.map(|p| p.bytes().len()).sum());
                        pending.push(one);
                    }
                    Some(Err(why)) => {
                        let failure = Failure::new(FailureKind::Input, why);
                        lines.push(self.line((*n, k), Done::Failed(failure)));
                    }
                    None => {}
                }
            }
            // Its requests share them.
            bytes += largest;
        }
        self.record(lines)?;
        Ok(pending)
    }

    fn request_for(
        &self,
        (n, k): (usize, usize),
        item: &Item,
    ) -> Result<Option<std::result::Result<PendingRequest, String>>> {
        let Some(product) = self.progress.products.all.get(k) else {
            return Ok(None);
        };
        let prompts = self.prompts(k)?;
        let wording = self.progress.wording(n, product.parent, &item.question);
        let next = self.next(n, k);
        let (role, number, repair) = match &next {
            Next::Ask { ask } => (roles::maker(product.applied.strategy), *ask, None),
            Next::Repair {
                ask,
                reply,
                problem,
            } => {
                let role = roles::maker(product.applied.strategy);
                (role, *ask, Some((reply, problem)))
            }
            Next::Judge(_) => {
                let judged = self.progress.state(n, k).map_or(0, |state| state.judged);
                (Some(ModelRole::Judge), judged + 1, None)
            }
            _ => return Ok(None),
        };
        let Some(role) = role else { return Ok(None) };
        let tokens = self.models.table(role).max_tokens;
        let seed =
            |repair| requests::seed(self.spec.plan.seed, &item.id, &product.key, number, repair);
        let (request, shows, made) = match &next {
            Next::Judge(made) => {
                let request = prompts.judge(item, &wording, made, tokens);
                (request, prompts.judging.shows, Some(made))
            }
            _ => {
                let shows = prompts
                    .writing
                    .as_ref()
                    .map_or(ShownPictures::None, |w| w.shows);
                let request = self.size((n, k), item).and_then(|size| {
                    prompts.write(item, &wording, size, (number, seed(false)), tokens)
                });
                (request, shows, None)
            }
        };
        let one = request.and_then(|request| {
            let images = self.pictures((n, k), item, (shows, made))?;
            let request = match repair {
                Some((reply, problem)) => requests::repair(request, reply, problem, seed(true)),
                None => request,
            };
            Ok(PendingRequest {
                n,
                k,
                role,
                ask: number,
                repair: repair.is_some(),
                request: VlmRequest { images, ..request },
            })
        });
        Ok(Some(one))
    }

    /// The pictures of a request. Those about an edit show the picture before it, and judges also see
    /// the one after it.
    fn pictures(
        &self,
        (n, k): (usize, usize),
        item: &Item,
        (shows, made): (ShownPictures, Option<&Made>),
    ) -> std::result::Result<Vec<Encoded>, String> {
        let root = self.shared.project.root();
        let edits = self.progress.products.all.get(k);
        let (files, shown) = match (
            shows,
            edits.is_some_and(|p| p.applied.strategy.is_of_picture()),
        ) {
            (ShownPictures::None, _) => return Ok(Vec::new()),
            (_, false) => (ask::files(root, item), item.images.len()),
            (shows, true) => {
                let before = self.picture_before(n, k, item);
                let source = item.images.first();
                let after = made
                    .zip(source)
                    .map(|(made, source)| painting::painted(source, "edited", made));
                let shown = match (shows, made) {
                    (ShownPictures::Pair, _) => vec![before, after],
                    (_, None) => vec![before],
                    (_, Some(_)) => vec![after],
                };
                (PictureFile::all(root, shown.iter().flatten()), shown.len())
            }
        };
        // Nobody judges an edit from one picture, or answers about a part of them.
        if files.len() < shown {
            return Err(format!(
                "it has {shown} pictures, of which {} are available",
                files.len()
            ));
        }
        let sent = files.iter().map(|file| self.pictures.encoded(file));
        sent.collect()
    }
}
