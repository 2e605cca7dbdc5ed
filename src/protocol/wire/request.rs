//! The requests: one row each, from which everything else is generated.
//!
//! A row names the request and its fields, its reply, how it runs ([`Kind`]), who may send it
//! ([`Access`]), whether it writes ([`Writes`]), and how it treats blind rounds ([`Blind`]). The
//! structs of this module, [`AnyRequest`], [`AnyReply`], the access check, the dispatch
//! (`owner::dispatch`), and `docs/wire.md` are generated from the rows. To add a request, append a
//! row, write its handler, and add a sample to `tests/owner/requests.rs`. The code does not compile
//! without the handler and the sample.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::contract::{Access, Blind, Kind, Request, RequestRow, Writes, unexpected};
use super::declare::{declare, fields, structure};
use super::{
    AnswerSet, Bulked, ConsentedRequest, EditedItem, ItemView, JudgeReport, JudgeRequest, LogPage,
    OwnerStatus, PageRequest, Receipt, ResumePoint, Retired, SimilarityReport, SimilarityRequest,
    VerdictPage,
};
use benchtop_model::agreement::Bootstrap as Resampling;
use benchtop_model::agreement::analysis::{AgreementAnalysis, AgreementQuery, OwnPace};
use benchtop_model::analysis::{Analysis, AnalysisQuery};
use benchtop_model::board::analysis::{Disagreement, ModelComparison, Rank};
use benchtop_model::board::{self, BoardQuery, DrilldownPage};
use benchtop_model::bootstrap::{NewBootstrap, StartedBootstrap, TranscriptStep};
use benchtop_model::edit::Edit as ItemEdit;
use benchtop_model::evaluation::{NewRun, StartedRun};
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::history::{HistoryPoint, HistoryState, LogQuery, Merged};
use benchtop_model::home;
use benchtop_model::import::{ImportRequest as ImportAsk, Report};
use benchtop_model::job::{Budget, JobFailure, JobState, NewJob, StartedJob};
use benchtop_model::lineage::Lineage as ItemLineage;
use benchtop_model::prompt_preview::PromptPreview;
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::release::{ReleaseReport, ReleaseRequest};
use benchtop_model::round::protocol::WhatIf as WhatIfOutcome;
use benchtop_model::round::state::{
    AdjudicationContext, Dispute, GuidelinesText, NextAssignment, RoundState,
};
use benchtop_model::round::{NewRound as RoundWanted, Protocol};
use benchtop_model::sample::{RemovedSample, SampleContents};
use benchtop_model::scenario::{NewScenario, StartedScenario};
use benchtop_model::scoring::job::{NewScoring, ScoringState};
use benchtop_model::scoring::queries::{
    Explanation, FlagOrder, RulesDiff, RulesState, ScorerState, TuningQuery,
};
use benchtop_model::scoring::rules::RuleSet;
use benchtop_model::table::{Frequency as ValueCounts, Match, Summary};
use benchtop_model::trust::Destination;
use benchtop_model::usage::{DiscardResult, MetadataState, Save, TermUse};
use benchtop_model::verdict_interchange::{ImportedVerdicts, NameMapping, VerdictForm};
use benchtop_model::{
    Field, Filter, MetaFile, Result, Sort, device, history, job, round, scoring, usage,
};

/// Calls a macro with all rows. Their order is part of the wire format: append only. The owner
/// generates its dispatch from them.
#[macro_export]
macro_rules! requests {
    ($each:ident) => {
        $each! {
            /// State of the owner, the store, and the items.
            Status => OwnerStatus, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// A page of the item list. A slow search sends several parts. A newer `generation`
            /// cancels the older list requests of this client.
            Page(PageRequest) => super::Page, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Position of an item in the list with this filter and order; `None` if the item is
            /// not in it.
            Locate {
                /// Item number, from 1.
                number: u32,
                /// Which items.
                filter: Filter,
                /// In which order.
                sort: Vec<Sort>,
            } => Option<u64>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// An item with everything known about it.
            Item(u32) => ItemView, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Number of the item with this id.
            NumberOf(String) => Option<u32>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Numbers of all items that match the filter, in this order. A review queue keeps them
            /// while statuses change.
            Numbers(Filter, Vec<Sort>) => Vec<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The first of these items that is pending.
            FirstPending(Vec<u32>) => Option<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The first pending item after this number; starts again from the first item at the
            /// end.
            NextPending(u32) => Option<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// JSON lines and statuses of the items from this number on, as many as fit in a frame.
            Lines(u32) => super::Lines, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// JSON lines and statuses of these items, in this order, as many as fit in a frame.
            Items(Vec<u32>) => super::Lines, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The imported prediction files.
            AnswerSets => Vec<AnswerSet>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// A part of the JSON lines of a prediction file; `None` after the last part. Model
            /// answers reveal the answer key.
            AnswerLines {
                /// Position in the list of [`AnswerSets`].
                set: u32,
                /// Number of the part, from 0.
                part: u32,
            } => Option<String>, kind: Query, access: Member, writes: Never, blind: Refused;
            /// Give a verdict.
            Decide(super::Decide) => Receipt, kind: Decision, access: Member, writes: Always, blind: Filtered;
            /// Undo your last verdict, edit, or comment. The uuid identifies the decision.
            Undo(Uuid) => Receipt, kind: Decision, access: Member, writes: Always, blind: Filtered;
            /// Redo your last undo. The uuid identifies the decision.
            Redo(Uuid) => Receipt, kind: Decision, access: Member, writes: Always, blind: Filtered;
            /// Receive events from now on. If the project has changed since revision `since`, the
            /// first event is `Resync`.
            Subscribe {
                /// Last revision that the client knows.
                since: u64,
            } => (), kind: Control, access: Member, writes: Never, blind: Filtered;
            /// Number of items with each value of a field.
            Frequency(Filter, Field) => ValueCounts, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Summary of each field.
            Describe(Filter) => Vec<Summary>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Numbers of the items whose field value matches.
            Select(Filter, Field, Match) => Vec<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Effective verdicts on items from number `from` on, on at most [`super::VERDICT_PAGE_ITEMS`]
            /// items.
            Verdicts {
                /// Only verdicts of this round.
                round: Option<String>,
                /// Number of the first item, from 1.
                from: u32,
            } => VerdictPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The board.
            Board(Box<BoardQuery>) => board::Board, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// A page of the answers behind a cell of the board.
            Drilldown {
                /// Selects the board.
                ask: Box<BoardQuery>,
                /// Model.
                model: String,
                /// Name of the column.
                column: String,
                /// Start of the page: 0, or the `next` value of the previous page.
                from: u64,
            } => DrilldownPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Import files.
            Import(ImportAsk) => Report, kind: Task, access: Owner("import files"), writes: Always, blind: Nothing;
            /// Add the sample: to an empty project with the work of made-up models and annotators,
            /// else its items only.
            Sample {
                /// Add its items only.
                items_only: bool,
            } => Report, kind: Task, access: Member, writes: Always, blind: Nothing;
            /// The metadata files as they are on disk. After the first such request, changes are
            /// announced as [`super::Event::Metadata`].
            Metadata => MetadataState, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Replace, add, or remove metadata files: all, or none if the revision of any file
            /// differs from the named one.
            SaveMetadata(Vec<Save>) => MetadataState, kind: Query, access: Member, writes: Always, blind: Nothing;
            /// Effect on the items if these texts replaced the metadata files.
            Impact(Vec<MetaFile>) => usage::Impact, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Use of the terms of a vocabulary, or of `style`.
            Terms(String) => Vec<TermUse>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Cross-tabulation of two properties of the items: `subject`, `subtask`, `type`,
            /// `style`, or a vocabulary.
            Grid {
                /// Property of the rows.
                rows: String,
                /// Property of the columns.
                columns: String,
                /// Which items.
                filter: Filter,
            } => usage::Grid, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Terms with the highest share of rejected items, among terms with at least this many
            /// accepted or rejected items.
            Failing(u64) => Vec<usage::FailingTerm>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Reject the items that use one of these terms, in your name. Items that are already
            /// rejected are skipped.
            Discard {
                /// Pairs of a vocabulary (or `style`) and a term.
                terms: Vec<(String, String)>,
                /// Dry run: only count.
                dry: bool,
            } => DiscardResult, kind: Task, access: Member, writes: Unless(|ask| ask.dry), blind: Guarded;
            /// Recompose the stale items.
            Recompose {
                /// Renamed terms.
                renames: Vec<Rename>,
                /// Sample terms for slots that were added to the templates.
                draw_missing: bool,
                /// Dry run: only count.
                dry: bool,
            } => Recomposed, kind: Task, access: Member, writes: Unless(|ask| ask.dry), blind: Filtered;
            /// Compose questions from the metadata.
            Compose {
                /// Text of the plan. Without one, all subtasks and question types get equal shares.
                plan: Option<String>,
                /// Random seed.
                seed: u64,
                /// With a plan, compose only its first `count` questions. Without one, compose this
                /// many in all.
                count: Option<u64>,
                /// Ignore the compatibility rules.
                allow_impossible: bool,
            } => Report, kind: Task, access: Member, writes: Always, blind: Nothing;
            /// Start a job that generates pictures, or show what it would generate.
            /// The job sends at most as much as the budget allows.
            Generate(Box<NewJob>, Budget) => StartedJob, kind: Task, access: Member, writes: Always, blind: Filtered;
            /// All jobs, unfinished ones first, in their order. Their progress is announced as
            /// [`super::Event::Job`].
            Jobs => Vec<JobState>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Pause, resume, or otherwise control a job. The reply is `None` if the job was
            /// removed.
            JobAct {
                /// Number of the job.
                id: u32,
                /// Action.
                act: job::JobAct,
            } => Option<JobState>, kind: Query, access: OwnerToConsent, writes: Always, blind: Nothing;
            /// Failures of a job from number `from` on (from 0), at most [`super::FAILURE_PAGE`].
            JobFailures {
                /// Number of the job.
                id: u32,
                /// First failure.
                from: u64,
            } => Vec<JobFailure>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Generate the picture of this item next. The reply is the number of the job that
            /// generates it; `None` if no job does.
            PrioritizePicture {
                /// Item number.
                number: u32,
            } => Option<u32>, kind: Query, access: Member, writes: Always, blind: Nothing;
            /// All pictures generated for an item, newest first.
            GeneratedImages {
                /// Item number.
                number: u32,
            } => Vec<GeneratedImage>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Load of GPUs and processors.
            Devices => device::Devices, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// The scorers, with the number of items that each has scored. The progress of a job is
            /// announced as [`super::Event::Job`].
            Scorers => Vec<ScorerState>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Start to score items, or count the items to score.
            /// The job sends at most as much as the budget allows.
            Score(NewScoring, Budget) => ScoringState, kind: Query, access: Member, writes: Always, blind: Guarded;
            /// Histogram of one score, with sample items on both sides of a threshold.
            ThresholdTuning(Box<TuningQuery>) => scoring::queries::ThresholdTuning, kind: Query, access: Member, writes: Never, blind: Refused;
            /// The rules in `benchtop.toml` and their outcomes.
            Rules => RulesState, kind: Query, access: Member, writes: Never, blind: Refused;
            /// The changes that other rules would make.
            TryRules(RuleSet) => RulesDiff, kind: Query, access: Member, writes: Never, blind: Refused;
            /// Write these rules to `benchtop.toml` if it still has this revision.
            ApplyRules {
                /// New rules.
                rules: RuleSet,
                /// Revision of the rules that these replace.
                revision: String,
            } => RulesState, kind: Query, access: Member, writes: Always, blind: Refused;
            /// Restore the previous rules in `benchtop.toml`. Repeat to go further back.
            RevertRules {
                /// Revision of the rules to revert.
                revision: String,
            } => RulesState, kind: Query, access: Member, writes: Always, blind: Refused;
            /// Numbers of the items that match the filter, in this order. Without an outcome in the
            /// filter, only flagged and parked items.
            FlaggedItems {
                /// Which items.
                filter: Filter,
                /// In which order.
                order: FlagOrder,
                /// Seed of the random order.
                seed: u64,
            } => Vec<u32>, kind: Query, access: Member, writes: Never, blind: Refused;
            /// All scores and rule outcomes of an item.
            Explain {
                /// Item number.
                number: u32,
            } => Explanation, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Merge journals from other machines into those of the project.
            Merge {
                /// Absolute paths of the journals.
                files: Vec<PathBuf>,
                /// Dry run: only report the result.
                dry: bool,
            } => Merged, kind: Task, access: Owner("merge journals"), writes: Unless(|ask| ask.dry), blind: Filtered;
            /// Decisions, newest first, at most [`super::LOG_PAGE_ENTRIES`].
            Log(LogQuery) => LogPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The project as of an earlier point in time, rebuilt from the journals.
            Replay(HistoryPoint) => HistoryState, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Items whose status differs between two points in time.
            StatusChanges(HistoryPoint, HistoryPoint) => Vec<history::StatusChange>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The rounds, oldest first. [`super::Event::Rounds`] announces new and closed ones.
            Rounds => Vec<RoundState>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Create a round.
            NewRound {
                /// Settings of the round.
                new: Box<RoundWanted>,
                /// Dry run: only show the round.
                dry: bool,
            } => RoundState, kind: Query, access: Member, writes: Unless(|ask| ask.dry), blind: Filtered;
            /// Close a round, or reopen it.
            CloseRound {
                /// Name of the round.
                round: String,
                /// Whether to close it.
                closed: bool,
            } => (), kind: Query, access: Member, writes: Always, blind: Guarded;
            /// Your next assignment in this round. Asking again renews the lease.
            Next(String) => NextAssignment, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Give up your assignment in this round.
            Release(String) => (), kind: Query, access: Member, writes: Never, blind: Nothing;
            /// The right answer of a practice item, after your verdict on it.
            Feedback {
                /// Name of the round.
                round: String,
                /// Item number, from 1.
                number: u32,
            } => round::state::Feedback, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Items of a round on which annotators disagree.
            Disputes(String) => Vec<Dispute>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Statuses that another protocol would give the items of a round.
            WhatIf {
                /// Name of the round.
                round: String,
                /// The other protocol.
                protocol: Protocol,
            } => WhatIfOutcome, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Save your resume point.
            SetPlace(ResumePoint) => (), kind: Control, access: Member, writes: Never, blind: Nothing;
            /// Stop the owner.
            Stop => (), kind: Control, access: Owner("end its owner process"), writes: Never, blind: Nothing;
            /// Edit the text of an item.
            Edit(Box<ItemEdit>) => EditedItem, kind: Task, access: Member, writes: Always, blind: Filtered;
            /// Give one verdict on many items.
            Bulk(Box<super::Bulk>) => Bulked, kind: Task, access: Member, writes: Unless(|ask| ask.0.dry), blind: Filtered;
            /// Undo your verdicts from the first to the second revision, if you gave none since.
            UndoBulk(u64, u64) => Bulked, kind: Task, access: Member, writes: Always, blind: Nothing;
            /// Agreement of annotators, in a round or outside rounds. Refused while a blind round
            /// hides it from you.
            Agreement(AgreementQuery) => AgreementAnalysis, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// The full report of a round. Refused while a blind round hides it from you.
            RoundReport {
                /// Name of the round.
                round: String,
                /// Bootstrap settings for intervals.
                bootstrap: Option<Resampling>,
            } => round::report::RoundReport, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Your own pace, in one round or overall. Private to you.
            Pace(Option<String>) => OwnPace, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Import verdicts and comments from a file that is not a journal.
            TakeVerdicts {
                /// Absolute path of the file.
                file: PathBuf,
                /// Format; detected from the first byte if omitted.
                form: Option<VerdictForm>,
                /// Meaning of the words in the file.
                words: Box<NameMapping>,
                /// Dry run: only report the result.
                dry: bool,
            } => ImportedVerdicts, kind: Task, access: Owner("import verdicts"), writes: Unless(|ask| ask.dry), blind: Filtered;
            /// Disputes of a round, for its adjudicators, and its verdicts that were given under
            /// earlier guidelines.
            Adjudication(String) => AdjudicationContext, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The present guidelines of a round; `None` if it has none.
            Guidelines(String) => Option<GuidelinesText>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Start an evaluation, or show what it would request. Its progress is announced as
            /// [`super::Event::Job`], and [`Jobs`] lists it.
            /// The job sends at most as much as the budget allows.
            Evaluate(Box<NewRun>, Budget) => StartedRun, kind: Task, access: Owner("have models asked"), writes: Always, blind: Guarded;
            /// Compare free-form answers with the texts of their items. Skips answers that were
            /// compared before.
            Similarity(Box<SimilarityRequest>) => SimilarityReport, kind: Task, access: Owner("have answers compared"), writes: Always, blind: Refused;
            /// Models ordered by a column, best first. Models that the data cannot tell apart share
            /// a rank.
            Ranks {
                /// Selects the board.
                ask: Box<BoardQuery>,
                /// Name of the column.
                column: String,
            } => Vec<(String, Rank)>, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Confidence interval of a cell of the board.
            CellInterval {
                /// Selects the board.
                ask: Box<BoardQuery>,
                /// Model.
                model: String,
                /// Name of the column.
                column: String,
                /// Number of bootstrap draws, and seed.
                plan: Resampling,
            } => board::analysis::CellInterval, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Comparison of two models on the same questions.
            Compare {
                /// Selects the board.
                ask: Box<BoardQuery>,
                /// The two models.
                models: [String; 2],
                /// Name of the column.
                column: String,
                /// Number of bootstrap draws, and seed.
                plan: Resampling,
            } => ModelComparison, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Answers that another extraction rule reads differently, counted per model.
            Disagreements {
                /// Selects the board.
                ask: Box<BoardQuery>,
                /// Name of the other rule. Without one, the rule of each question's paper.
                other: Option<String>,
            } => Vec<Disagreement>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// An analysis of a whole board.
            Analyze(Box<AnalysisQuery>) => Analysis, kind: Task, access: Member, writes: Never, blind: Guarded;
            /// Have a judge read the answers that the `strict` rule cannot read.
            /// The job sends at most as much as the budget allows.
            Judge(Box<JudgeRequest>, Budget) => JudgeReport, kind: Task, access: Owner("have models asked"), writes: Always, blind: Refused;
            /// Consent to sending data to these destinations, for all projects on this machine. The
            /// consent is stored in the configuration folder of the owner's user. If another
            /// request follows, its reply is the reply.
            Agree {
                /// Destinations and their key variables.
                to: Vec<Destination>,
                /// Request that follows.
                then: Option<ConsentedRequest>,
            } => (), kind: Control, access: Owner("agree to what is sent"), writes: Never, blind: Nothing;
            /// Answers of all models to one question.
            ModelAnswers {
                /// Name of the extraction rule. Without one, the rule of each question's paper.
                rule: Option<String>,
                /// Column that decides which answers are right, if any.
                column: Option<String>,
                /// Id or number of the item.
                item: String,
            } => board::ItemAnswers, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Delete a round without verdicts.
            DeleteRound(String) => (), kind: Query, access: Member, writes: Always, blind: Nothing;
            /// Add annotators to an open round, or remove some.
            RoundPeople {
                /// Name of the round.
                round: String,
                /// Annotators to add.
                add: Vec<String>,
                /// Annotators to remove. Their open items go to the others.
                remove: Vec<String>,
            } => RoundState, kind: Query, access: Member, writes: Always, blind: Filtered;
            /// Remove terms from the metadata and optionally reject their items, in your name, all
            /// or nothing.
            Retire {
                /// Pairs of a vocabulary (or `style`) and a term.
                terms: Vec<(String, String)>,
                /// The metadata files without the terms.
                saves: Vec<Save>,
                /// Whether to reject the items.
                discard: bool,
            } => Retired, kind: Task, access: Member, writes: Always, blind: Guarded;
            /// Undo [`Retire`]: restore the files, and undo your verdicts from the first to the
            /// second revision if you gave none since.
            Unretire {
                /// The metadata files with the terms.
                saves: Vec<Save>,
                /// First and last revision of the verdicts.
                revs: Option<(u64, u64)>,
            } => Retired, kind: Task, access: Member, writes: Always, blind: Nothing;
            /// What the first screen shows: counts of items, open work, and activity.
            Home {
                /// Start of the session, in milliseconds since 1970. What others did counts from
                /// your last verdict before it.
                before: i64,
                /// Whether to wait for counts that need all items or pictures to be read. Without
                /// them, those lists are `pending`.
                wait: bool,
            } => home::Home, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Take a project that holds only the sample back to empty. Its files are moved aside.
            /// The owner ends; the next one opens the empty project.
            RemoveSample {
                /// The contents that were counted and confirmed. Without them, only count.
                confirmed: Option<Box<SampleContents>>,
            } => RemovedSample, kind: Task, access: Owner("remove the sample"), writes: Unless(|ask| ask.confirmed.is_none()), blind: Nothing;
            /// Where an item comes from: every step from its terms to its question.
            Lineage {
                /// Item number, from 1.
                number: u32,
            } => ItemLineage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Write a comment on an item, or change one. Only the author changes its text.
            Comment(Box<super::CommentOn>) => Receipt, kind: Decision, access: Member, writes: Always, blind: Filtered;
            /// The comments on the item with this number. In a blind round, only your own.
            Thread(u32) => super::Thread, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The comments on items from number `from` on, as many as fit in a frame. In a blind
            /// round, only your own.
            Comments {
                /// Which items.
                filter: Filter,
                /// Number of the first item, from 1.
                from: u32,
            } => super::CommentPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The error labels on the answers of models to items from number `from` on. None of items
            /// that are blind or that a round asks to answer.
            ErrorLabels {
                /// Which items.
                filter: Filter,
                /// Number of the first item, from 1.
                from: u32,
            } => super::ErrorLabelPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Start a job that makes the pictures and items of a scenario, or show what it would
            /// make.
            Scenario(Box<NewScenario>) => StartedScenario, kind: Task, access: Member, writes: Unless(|ask| ask.0.dry), blind: Guarded;
            /// Release items: write a folder that the project remembers, or show what would be in
            /// it. The owner's user can write to the folder.
            ReleaseItems(Box<ReleaseRequest>) => ReleaseReport, kind: Task, access: Owner("release items"), writes: Unless(|ask| ask.0.dry), blind: Refused;
            /// Start a job that has models make and judge variants of questions and pictures, or
            /// show what it would make.
            Bootstrap(Box<NewBootstrap>, Budget) => StartedBootstrap, kind: Task, access: Owner("have models asked"), writes: Unless(|ask| ask.0.dry), blind: Guarded;
            /// The requests and answers behind the item with this number.
            Transcript(u32) => Vec<TranscriptStep>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The request that an edited prompt file makes for an item. Nothing is sent.
            PreviewPrompt {
                /// `write/NAME.toml` or `judge/NAME.toml`, with its text.
                file: MetaFile,
                /// Item number, from 1.
                number: u32,
                /// Seed of the job.
                seed: u64,
            } => PromptPreview, kind: Query, access: Member, writes: Never, blind: Filtered;
        }
    };
}

requests!(declare);

/// Raise this with every change of the types other than a new row of the table.
const LAYOUT: u16 = 10;
/// Protocol version. Owner and client must have the same. A new row of the table changes it.
pub const PROTOCOL: u16 = (LAYOUT << 8) | Name::ALL.len() as u16;

impl AnyReply {
    /// Whether more parts follow.
    pub fn is_partial(&self) -> bool {
        matches!(self, AnyReply::Page(page) if page.partial)
    }
}
