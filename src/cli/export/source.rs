//! The items and answers of an export, from the owner.

use crate::items;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::generated_image::{PictureState, check_drafts};
use benchtop_model::{Error, ErrorKind, Filter, Item, Prediction, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{AnswerSet, PageRequest, request};

/// Number of items between two reports of progress.
const STEP: u64 = 256;

/// What is exported.
pub(super) struct Source<'a> {
    pub client: &'a Client,
    pub filter: Filter,
    pub watch: ProgressSink<'a>,
}

impl Source<'_> {
    /// Calls `take` with every item, and reports the step `what`.
    pub(super) fn each(&self, what: &str, mut take: impl FnMut(Item) -> Result<()>) -> Result<()> {
        let of = self.count(self.filter.clone())?;
        let mut done = 0;
        items::each_item(self.client, self.filter.clone(), |_, item| {
            if done % STEP == 0 {
                self.watch.report(what, done, Some(of))?;
            }
            done += 1;
            take(item)
        })
    }

    fn count(&self, filter: Filter) -> Result<u64> {
        let page = PageRequest {
            generation: 1,
            filter,
            sort: Vec::new(),
            offset: 0,
            count: 0,
        };
        Ok(self.client.ask(request::Page(page))?.total)
    }

    /// Refuses to export drafts unless `wanted`.
    pub(super) fn check_drafts(&self, wanted: bool) -> Result<()> {
        let picture = &self.filter.picture;
        let is_draft = picture.is_empty() || picture.contains(&PictureState::Draft);
        if wanted || !is_draft {
            return Ok(());
        }
        let drafts = self.count(Filter {
            picture: vec![PictureState::Draft],
            ..self.filter.clone()
        })?;
        if drafts == 0 {
            return Ok(());
        }
        check_drafts(drafts, (self.count(self.filter.clone())?, "items"), false)
    }

    pub(super) fn answer_sets(&self) -> Result<Vec<AnswerSet>> {
        self.client.ask(request::AnswerSets)
    }

    /// Calls `take` with every prediction of an answer set.
    pub(super) fn lines(&self, set: u32, take: &mut dyn FnMut(Result<Prediction>)) -> Result<()> {
        let mut part = 0;
        while let Some(text) = self.client.ask(request::AnswerLines { set, part })? {
            let row = |line| {
                serde_json::from_str(line)
                    .map_err(|e| Error::new(ErrorKind::Corrupt, e.to_string()))
            };
            text.lines().for_each(|line| take(row(line)));
            part += 1;
            self.watch.report("answers", u64::from(part), None)?;
        }
        Ok(())
    }
}
