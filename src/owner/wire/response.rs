//! What the owner answers, and what it tells unasked.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Analysis, ItemView, JudgeReport, Lines, Page, Recomposed, Report, SimilarityReport};
use crate::metrics::statistics::Rank;
use crate::model::agreement::analysis::{Agreed, OwnPace};
use crate::model::board::analysis::{Compared, Disagreement, Sure};
use crate::model::board::{Answered, BehindPage, Board};
use crate::model::device::Devices;
use crate::model::evaluation::BegunRun;
use crate::model::generated_image::GeneratedImage;
use crate::model::history::{Entry, Merged, Moved, State};
use crate::model::job::{Begun, JobFailure, JobState};
use crate::model::round::protocol::WhatIf;
use crate::model::round::report::RoundReport;
use crate::model::round::state::{Adjudicating, Dispute, Feedback, GuidelinesText, NextAssignment, RoundState};
use crate::model::scoring::bench::{Bench, Explanation, RulesDiff, RulesState, ScorerState};
use crate::model::scoring::job::ScoringState;
use crate::model::table::{Frequency, Summary};
use crate::model::usage::{Discarded, Failing, Grid, Impact, MetadataHealth, MetadataState, Tally, TermUse};
use crate::model::verdict_interchange::{Exchanged, Taken};
use crate::model::{Form, Status};
use crate::owner::latency::Waits;

/// An answer; each belongs to the question of its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Response {
    /// Done, nothing to say.
    Done,
    /// See [`Ask::Status`].
    Status(Box<OwnerStatus>),
    /// See [`Ask::Page`]; partial ones may come before the last.
    Page(Page),
    /// See [`Ask::Locate`]; `None` when the item is not in that list.
    Position(Option<u64>),
    /// See [`Ask::Item`].
    Item(Box<ItemView>),
    /// See [`Ask::NumberOf`], [`Ask::FirstPending`] and [`Ask::NextPending`].
    Number(Option<u32>),
    /// See [`Ask::Lines`] and [`Ask::Items`].
    Lines(Lines),
    /// See [`Ask::AnswerSets`].
    AnswerSets(Vec<AnswerSet>),
    /// See [`Ask::AnswerLines`]: prediction JSON, one a line; `None` after the last part.
    AnswerLines(Option<String>),
    /// A decision is on disk.
    Receipt(Receipt),
    /// See [`Ask::Frequency`].
    Frequency(Frequency),
    /// See [`Ask::Describe`].
    Describe(Vec<Summary>),
    /// See [`Ask::Select`], [`Ask::Numbers`] and [`Ask::Doubtful`].
    Numbers(Vec<u32>),
    /// See [`Ask::Verdicts`].
    Verdicts(VerdictPage),
    /// See [`Ask::Board`].
    Board(Box<Board>),
    /// See [`Ask::Behind`].
    Behind(BehindPage),
    /// See [`Ask::Import`], [`Ask::Sample`] and [`Ask::Compose`].
    Imported(Report),
    /// See [`Ask::Metadata`] and [`Ask::SaveMetadata`]: the files as they are on disk now.
    Metadata(Box<MetadataState>),
    /// See [`Ask::Impact`].
    Impact(Impact),
    /// See [`Ask::Terms`].
    Terms(Vec<TermUse>),
    /// See [`Ask::Grid`].
    Grid(Box<Grid>),
    /// See [`Ask::Failing`].
    Failing(Vec<Failing>),
    /// See [`Ask::Recompose`].
    Recomposed(Recomposed),
    /// See [`Ask::Discard`].
    Discarded(Discarded),
    /// See [`Ask::Generate`].
    Begun(Box<Begun>),
    /// See [`Ask::Jobs`].
    Jobs(Vec<JobState>),
    /// See [`Ask::JobAct`]; [`Response::Done`] for one that was removed.
    Job(Box<JobState>),
    /// See [`Ask::JobFailures`].
    JobFailures(Vec<JobFailure>),
    /// See [`Ask::Want`]: the job that makes it; none when no job is to, or it is there.
    Wanted(Option<u32>),
    /// See [`Ask::Made`].
    Made(Vec<GeneratedImage>),
    /// See [`Ask::Devices`].
    Devices(Box<Devices>),
    /// See [`Ask::Scorers`].
    Scorers(Vec<ScorerState>),
    /// See [`Ask::Score`] and [`Ask::ScoringAct`].
    Scoring(Box<ScoringState>),
    /// See [`Ask::Bench`].
    Bench(Box<Bench>),
    /// See [`Ask::Rules`], [`Ask::ApplyRules`] and [`Ask::RevertRules`].
    Rules(Box<RulesState>),
    /// See [`Ask::TryRules`].
    RulesDiff(Box<RulesDiff>),
    /// See [`Ask::Explain`].
    Explanation(Box<Explanation>),
    /// See [`Ask::Merge`].
    Merged(Box<Merged>),
    /// See [`Ask::Log`]; whether there are more.
    Log(Vec<Entry>, bool),
    /// See [`Ask::Replay`].
    Replayed(State),
    /// See [`Ask::Moved`].
    Moved(Vec<Moved>),
    /// See [`Ask::Rounds`].
    Rounds(Vec<RoundState>),
    /// See [`Ask::NewRound`].
    Round(Box<RoundState>),
    /// See [`Ask::Next`].
    Turn(NextAssignment),
    /// See [`Ask::Feedback`].
    Feedback(Feedback),
    /// See [`Ask::Disputes`].
    Disputes(Vec<Dispute>),
    /// See [`Ask::WhatIf`].
    WhatIf(WhatIf),
    /// See [`Ask::Guidelines`]; none where the round has none.
    Guidelines(Option<GuidelinesText>),
    /// See [`Ask::TakeVerdicts`].
    Taken(Box<Taken>),
    /// See [`Ask::Adjudication`].
    Adjudication(Box<Adjudicating>),
    /// See [`Ask::Agreement`].
    Agreement(Box<Agreed>),
    /// See [`Ask::RoundReport`].
    RoundReport(Box<RoundReport>),
    /// See [`Ask::Pace`].
    Pace(Box<OwnPace>),
    /// See [`Ask::Edit`].
    Edited(Box<EditedItem>),
    /// See [`Ask::Bulk`] and [`Ask::UndoBulk`].
    Bulked(Bulked),
    /// See [`Ask::Evaluate`].
    Evaluation(Box<BegunRun>),
    /// See [`Ask::Similarity`].
    Similarity(Box<SimilarityReport>),
    /// See [`Ask::Ranks`]: models with a number, best first.
    Ranks(Vec<(String, Rank)>),
    /// See [`Ask::Sure`].
    Sure(Box<Sure>),
    /// See [`Ask::Compare`].
    Compared(Box<Compared>),
    /// See [`Ask::Disagreements`]: a line a model.
    Disagreements(Vec<Disagreement>),
    /// See [`Ask::Analyse`].
    Analysis(Box<Analysis>),
    /// See [`Ask::Judge`].
    Judged(Box<JudgeReport>),
    /// See [`Ask::Answered`].
    Answered(Box<Answered>),
    /// See [`Ask::Retire`] and [`Ask::Unretire`].
    Retired(Box<Retired>),
}

/// What became of the items of terms, and the lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retired {
    /// Items that were rejected, or verdicts that were taken back.
    pub verdicts: u64,
    /// Items on which somebody decided meanwhile: theirs stands.
    pub meanwhile: u64,
    /// First and last revision of the verdicts.
    pub revs: Option<(u64, u64)>,
    /// The metadata files as they are on disk now.
    pub state: MetadataState,
}

/// An item before and after an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedItem {
    /// Its JSON as it was.
    pub before: String,
    /// Its JSON as it is, or would be.
    pub after: String,
    /// Verdicts that no longer count, as far as they may be known.
    pub voided: u64,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// What became of one verdict on many items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bulked {
    /// The items it is about, by the status they had.
    pub items: Tally,
    /// Items that were judged, or would be.
    pub judged: u64,
    /// Items of which the same person says so already.
    pub same: u64,
    /// Items that a blind round asks for: they are judged in it, one by one.
    pub in_rounds: u64,
    /// Items on which somebody decided meanwhile: theirs stands.
    pub meanwhile: u64,
    /// First and last revision of the verdicts.
    pub revs: Option<(u64, u64)>,
}

/// Items whose verdicts are in one answer, at most.
pub const VERDICTS: usize = 1000;

/// Verdicts that count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerdictPage {
    /// Item numbers, rising, with a verdict each.
    pub list: Vec<(u32, Exchanged)>,
    /// The number to go on from; `None` at the end.
    pub next: Option<u32>,
}

/// Owner, store and counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnerStatus {
    /// Owner's process id.
    pub pid: u32,
    /// Version of its program.
    pub version: String,
    /// Its socket.
    pub socket: PathBuf,
    /// When it started, RFC 3339.
    pub started: String,
    /// Clients attached, the asking one included.
    pub clients: u32,
    /// Long commands running.
    pub jobs: u32,
    /// The project's folder.
    pub root: PathBuf,
    /// Its name.
    pub project: String,
    /// Items.
    pub items: u64,
    /// Items by status, in the order of [`Status::ALL`].
    pub by_status: Vec<(Status, u64)>,
    /// Prediction files brought in.
    pub prediction_sets: u64,
    /// Revision of the last decision.
    pub rev: u64,
    /// Decisions in all journals.
    pub decisions: u64,
    /// Bytes of the sled store.
    pub store_bytes: u64,
    /// Whether decisions can be saved, and why not.
    pub read_only: Option<String>,
    /// What a person should know.
    pub notices: Vec<String>,
    /// Where decisions waited since the owner started.
    pub latency: Vec<Waits>,
    /// Whether the metadata on disk can be used; `None` where its folder cannot be read.
    pub metadata: Option<MetadataHealth>,
}

/// Decisions in one answer.
pub const LOGGED: u32 = 5000;

/// Failures of a job in one answer.
pub const FAILURES: usize = 1000;

/// A prediction file that was brought in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSet {
    /// Model name.
    pub model: String,
    /// The form of the questions it answers.
    pub form: Form,
    /// Whether its rows carry stored extractions.
    pub evaluated: bool,
    /// Rows.
    pub rows: u64,
    /// The data set that they are answers to, where the file says so.
    pub dataset: Option<String>,
}

/// A decision is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The decision's.
    pub uuid: Uuid,
    /// Revision of the project it made.
    pub rev: u64,
    /// Item number, from 1.
    pub number: u32,
    /// Where the item stands now.
    pub status: Status,
    /// What was taken back or brought back is an edit by hand.
    pub edit: bool,
}

/// Something happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// An item's status changed.
    Verdict {
        /// Who decided.
        who: String,
        /// The receipt with the new status.
        receipt: Receipt,
    },
    /// Items or predictions were added.
    Imported {
        /// Number of items now.
        items: u64,
    },
    /// A metadata file was changed, here or outside.
    Metadata,
    /// Pictures were made: verdicts that these items had no longer count, and what they show is another picture.
    Made {
        /// Revision of the project.
        rev: u64,
        /// Numbers of the items, sorted.
        numbers: Vec<u32>,
    },
    /// How far a job is: at most four times a second while it makes progress, and at once when its standing changes.
    Job(Box<JobState>),
    /// A job was removed.
    JobGone(u32),
    /// How far scoring is: at most four times a second, and at once when its phase changes.
    Scoring(Box<ScoringState>),
    /// The rules are others now.
    Rules,
    /// A round was made, closed or opened again.
    Rounds,
    /// Too much happened at once: ask again for what is on screen.
    Resync,
    /// The owner is about to end.
    Ending,
    /// What answers come to is another thing: they were compared, or read by a judge.
    Reread,
    /// The metadata on disk cannot be used, and why, or can be used again.
    MetadataErrors(Option<String>),
}
