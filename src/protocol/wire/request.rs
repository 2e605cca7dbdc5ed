//! The requests: one row each, and everything else follows from it.
//!
//! A row names the request with its fields, its reply, what runs it ([`Kind`]), who may ask ([`Access`]), whether it writes
//! ([`Writes`]) and what it does about a blind round ([`Blind`]). From the rows are made the structs of this module,
//! [`AnyRequest`] and [`AnyReply`], the check of who may ask, the dispatch (`owner::dispatch`) and
//! `docs/wire.md`. To add a request: append a row, write its handler, and give a sample of it in
//! `tests/owner/requests.rs`; nothing compiles without the latter two.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::contract::{Access, Blind, Kind, Request, RequestRow, Writes, unexpected};
use super::declare::{declare, fields, structure};
use super::{
    AnswerSet, AskNext, Bulked, EditedItem, ItemView, JudgeAsk, JudgeReport, LogPage, OwnerStatus,
    PageAsk, Receipt, ResumePoint, Retired, SimilarityAsk, SimilarityReport, VerdictPage,
};
use benchtop_model::agreement::Bootstrap;
use benchtop_model::agreement::analysis::{AgreementAnalysis, AgreementQuery, OwnPace};
use benchtop_model::analysis::{AnalyseAsk, Analysis};
use benchtop_model::board::analysis::{Disagreement, ModelComparison, Rank};
use benchtop_model::board::{self, BoardQuery, DrilldownPage};
use benchtop_model::edit::Edit as ItemEdit;
use benchtop_model::evaluation::{NewRun, StartedRun};
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::history::{HistoryPoint, HistoryState, LogQuery, Merged};
use benchtop_model::import::{ImportRequest as ImportAsk, Report};
use benchtop_model::job::{JobFailure, JobState, NewJob, StartedJob};
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::round::protocol::WhatIf as WhatIfOutcome;
use benchtop_model::round::state::{
    AdjudicationContext, Dispute, GuidelinesText, NextAssignment, RoundState,
};
use benchtop_model::round::{NewRound as RoundWanted, Protocol};
use benchtop_model::scoring::bench::{
    BenchQuery, Explanation, FlagOrder, RulesDiff, RulesState, ScorerState,
};
use benchtop_model::scoring::job::{NewScoring, ScoringState};
use benchtop_model::scoring::rules::RuleSet;
use benchtop_model::table::{Frequency as ValueCounts, Match, Summary};
use benchtop_model::trust::Destination;
use benchtop_model::usage::{DiscardResult, MetadataState, Save, TermUse};
use benchtop_model::verdict_interchange::{ImportedVerdicts, NameMapping, VerdictForm};
use benchtop_model::{
    Field, Filter, MetaFile, Result, Sort, device, history, job, round, scoring, usage,
};

/// Calls a macro with all rows. Their order is that of the wire: append only. The owner makes its dispatch from them.
#[macro_export]
macro_rules! requests {
    ($each:ident) => {
        $each! {
            /// Owner, store and counts.
            Status => OwnerStatus, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// A page of the list, in parts where it takes long. A newer `generation` cancels the older ones of this client.
            Page(PageAsk) => super::Page, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Where item `number` stands in the list of this filter and order; none when it is not in that list.
            Locate {
                /// Item number, from 1.
                number: u32,
                /// Which items.
                filter: Filter,
                /// In which order.
                sort: Vec<Sort>,
            } => Option<u64>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// An item with everything that is known of it.
            Item(u32) => ItemView, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The number of the item with this id.
            NumberOf(String) => Option<u32>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Numbers of all items of this filter in this order: a review queue that stays while statuses change.
            Numbers(Filter, Vec<Sort>) => Vec<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The first of these items that nobody has judged.
            FirstPending(Vec<u32>) => Option<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The first item after this number that nobody has judged, from the beginning again at the end.
            NextPending(u32) => Option<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Item lines and statuses from this number on, as many as fit a frame.
            Lines(u32) => super::Lines, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The lines and statuses of these items, in this order; as many as fit a frame.
            Items(Vec<u32>) => super::Lines, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The prediction files brought in.
            AnswerSets => Vec<AnswerSet>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// A part of the lines of a prediction file, JSON each; none after the last part. What models answered tells the key.
            AnswerLines {
                /// Position in the list of [`AnswerSets`].
                set: u32,
                /// Which part, from 0.
                part: u32,
            } => Option<String>, kind: Query, access: Member, writes: Never, blind: Refused;
            /// A verdict.
            Decide(super::Decide) => Receipt, kind: Decision, access: Member, writes: Always, blind: Filtered;
            /// Take back the last that I did, a verdict or an edit; the uuid is the receipt.
            Undo(Uuid) => Receipt, kind: Decision, access: Member, writes: Always, blind: Filtered;
            /// Bring back what I took back last; the uuid is the receipt.
            Redo(Uuid) => Receipt, kind: Decision, access: Member, writes: Always, blind: Filtered;
            /// Send events from revision `since` on.
            Subscribe {
                /// The last revision the client knows.
                since: u64,
            } => (), kind: Control, access: Member, writes: Never, blind: Filtered;
            /// How often each value of a field occurs.
            Frequency(Filter, Field) => ValueCounts, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// What each field holds.
            Describe(Filter) => Vec<Summary>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Numbers of the items whose cell matches.
            Select(Filter, Field, Match) => Vec<u32>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Verdicts that count, on items from number `from` on; at most those on [`super::VERDICTS`] items at once.
            Verdicts {
                /// Only of this round.
                round: Option<String>,
                /// The first item's number, from 1.
                from: u32,
            } => VerdictPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The leaderboard.
            Board(Box<BoardQuery>) => board::Board, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Answers behind a cell of the leaderboard, a page of them.
            Behind {
                /// Which leaderboard.
                ask: Box<BoardQuery>,
                /// Model.
                model: String,
                /// Column name.
                column: String,
                /// Where the page begins: 0, or what the page before called the next.
                from: u64,
            } => DrilldownPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Bring files in.
            Import(ImportAsk) => Report, kind: Task, access: Owner("import files"), writes: Always, blind: Nothing;
            /// Fill the project with the sample.
            Sample => Report, kind: Task, access: Member, writes: Always, blind: Nothing;
            /// The metadata files as they are on disk; from the first such request on, changes are told as [`super::Event::Metadata`].
            Metadata => MetadataState, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Replace, add or remove metadata files, all or none, where they still have the revisions named.
            SaveMetadata(Vec<Save>) => MetadataState, kind: Query, access: Member, writes: Always, blind: Nothing;
            /// What these texts, put over the metadata files, would do to the items.
            Impact(Vec<MetaFile>) => usage::Impact, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// How the terms of a vocabulary, or of `style`, are used.
            Terms(String) => Vec<TermUse>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// How two properties of items meet: `subject`, `subtask`, `type`, `style` or a vocabulary.
            Grid {
                /// The property down.
                rows: String,
                /// The property across.
                columns: String,
                /// Which items.
                filter: Filter,
            } => usage::Grid, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The terms whose items fail most, among those with at least so many accepted or rejected ones.
            Failing(u64) => Vec<usage::FailingTerm>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Reject the items that have one of these terms and are not rejected yet, in my name.
            Discard {
                /// Vocabulary (or `style`) and term.
                terms: Vec<(String, String)>,
                /// Only count.
                dry: bool,
            } => DiscardResult, kind: Task, access: Member, writes: Unless(|ask| ask.dry), blind: Guarded;
            /// Compose again the items that the metadata has changed under.
            Recompose {
                /// Terms that go by another name now.
                renames: Vec<Rename>,
                /// Draw terms for slots that prompts got since.
                draw_missing: bool,
                /// Only count.
                dry: bool,
            } => Recomposed, kind: Task, access: Member, writes: Unless(|ask| ask.dry), blind: Filtered;
            /// Compose questions from the metadata.
            Compose {
                /// The text of a plan; without one all subtasks and types alike.
                plan: Option<String>,
                /// Seed of every draw.
                seed: u64,
                /// With a plan only its first so many questions, without one so many in all.
                count: Option<u64>,
                /// Compose as if there were no rules of compatibility.
                allow_impossible: bool,
            } => Report, kind: Task, access: Member, writes: Always, blind: Nothing;
            /// Begin a job that makes pictures, or say what it would make.
            Generate(Box<NewJob>) => StartedJob, kind: Task, access: Member, writes: Always, blind: Filtered;
            /// All jobs, those that are not over first and in their order; their progress is told as [`super::Event::Job`].
            Jobs => Vec<JobState>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Do something to a job; none for one that was removed.
            JobAct {
                /// Its number.
                id: u32,
                /// What.
                act: job::JobAct,
            } => Option<JobState>, kind: Query, access: OwnerToConsent, writes: Always, blind: Nothing;
            /// What a job quarantined, from the `from`th on (counted from 0); at most [`super::FAILURES`] at once.
            JobFailures {
                /// Its number.
                id: u32,
                /// The first one wanted.
                from: u64,
            } => Vec<JobFailure>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Somebody waits for the picture of item `number`: make it next. The job that makes it; none where no job is to.
            Want {
                /// The item.
                number: u32,
            } => Option<u32>, kind: Query, access: Member, writes: Always, blind: Nothing;
            /// Every picture that was made for item `number`, newest first.
            Made {
                /// The item.
                number: u32,
            } => Vec<GeneratedImage>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// What the machine is doing: GPUs and processors.
            Devices => device::Devices, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// The scorers and how many items each has scored; the progress of a job is told as [`super::Event::Scoring`].
            Scorers => Vec<ScorerState>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Begin to score items, or count what there is to score.
            Score(NewScoring) => ScoringState, kind: Query, access: Member, writes: Always, blind: Guarded;
            /// Do something to a scoring job.
            ScoringAct {
                /// Its number.
                id: u32,
                /// What.
                act: scoring::job::ScoringAct,
            } => ScoringState, kind: Query, access: OwnerToConsent, writes: Always, blind: Nothing;
            /// The histogram of one score, with samples on both sides of a threshold.
            Bench(Box<BenchQuery>) => scoring::bench::Bench, kind: Query, access: Member, writes: Never, blind: Refused;
            /// The rules in `benchtop.toml` and what they make of the items.
            Rules => RulesState, kind: Query, access: Member, writes: Never, blind: Refused;
            /// What other rules would change.
            TryRules(RuleSet) => RulesDiff, kind: Query, access: Member, writes: Never, blind: Refused;
            /// Write these rules into `benchtop.toml`, where it still has the revision named.
            ApplyRules {
                /// The rules.
                rules: RuleSet,
                /// The revision they were made on.
                revision: String,
            } => RulesState, kind: Query, access: Member, writes: Always, blind: Refused;
            /// Write the rules before these into `benchtop.toml`; asked again, those before them.
            RevertRules {
                /// The revision that is taken back.
                revision: String,
            } => RulesState, kind: Query, access: Member, writes: Always, blind: Refused;
            /// Numbers of the doubtful items among those of this filter, in this order.
            Doubtful {
                /// Which items, and which outcomes: flagged and parked ones where it names none.
                filter: Filter,
                /// In which order.
                order: FlagOrder,
                /// Of the random order.
                seed: u64,
            } => Vec<u32>, kind: Query, access: Member, writes: Never, blind: Refused;
            /// Everything that machines said of item `number`.
            Explain {
                /// The item.
                number: u32,
            } => Explanation, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Fold journals from other machines into those of the project.
            Merge {
                /// The journals, by absolute path.
                files: Vec<PathBuf>,
                /// Only say what it would come to.
                dry: bool,
            } => Merged, kind: Task, access: Owner("merge journals"), writes: Unless(|ask| ask.dry), blind: Filtered;
            /// What was decided, the newest first; at most [`super::LOGGED`] at once.
            Log(LogQuery) => LogPage, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The project as it was at a moment, made again from the journals.
            Replay(HistoryPoint) => HistoryState, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Items that stand elsewhere at the second moment than at the first.
            Moved(HistoryPoint, HistoryPoint) => Vec<history::StatusChange>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The rounds, oldest first; [`super::Event::Rounds`] tells of new and closed ones.
            Rounds => Vec<RoundState>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Draw a round.
            NewRound {
                /// What is wanted.
                new: Box<RoundWanted>,
                /// Only say what it would be.
                dry: bool,
            } => RoundState, kind: Query, access: Member, writes: Unless(|ask| ask.dry), blind: Filtered;
            /// Close a round, or open it again.
            CloseRound {
                /// Its name.
                round: String,
                /// Whether it is to be closed.
                closed: bool,
            } => (), kind: Query, access: Member, writes: Always, blind: Guarded;
            /// What I am to judge next in this round: a lease, which asking again renews.
            Next(String) => NextAssignment, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Give back what I have in hand in this round.
            Release(String) => (), kind: Query, access: Member, writes: Never, blind: Nothing;
            /// What an item of practice is, once my verdict on it is in.
            Feedback {
                /// The round.
                round: String,
                /// Item number, from 1.
                number: u32,
            } => round::state::Feedback, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// The items of a round on which people differ.
            Disputes(String) => Vec<Dispute>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// What another rule would make of a round's verdicts.
            WhatIf {
                /// The round.
                round: String,
                /// The other rule.
                protocol: Protocol,
            } => WhatIfOutcome, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Remember where I am.
            SetPlace(ResumePoint) => (), kind: Control, access: Member, writes: Never, blind: Nothing;
            /// End the owner.
            Stop => (), kind: Control, access: Owner("end its owner process"), writes: Never, blind: Nothing;
            /// Give an item another text.
            Edit(Box<ItemEdit>) => EditedItem, kind: Task, access: Member, writes: Always, blind: Filtered;
            /// Give one verdict on many items.
            Bulk(Box<super::Bulk>) => Bulked, kind: Task, access: Member, writes: Unless(|ask| ask.0.dry), blind: Filtered;
            /// Take back what I said between two revisions, both included, as long as it is the last that I said.
            UndoBulk(u64, u64) => Bulked, kind: Task, access: Member, writes: Always, blind: Nothing;
            /// How far people agree, in a round or outside of rounds; refused while a blind round keeps it from me.
            Agreement(AgreementQuery) => AgreementAnalysis, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Everything that is reported of a round; refused as agreement is.
            RoundReport {
                /// Its name.
                round: String,
                /// Draws for intervals.
                bootstrap: Option<Bootstrap>,
            } => round::report::RoundReport, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// How my own work goes, in a round or everywhere: told to nobody else.
            Pace(Option<String>) => OwnPace, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Take verdicts in from a file of another kind than a journal.
            TakeVerdicts {
                /// The file, by absolute path.
                file: PathBuf,
                /// Its form; told by its first byte where none is named.
                form: Option<VerdictForm>,
                /// What its words mean.
                words: Box<NameMapping>,
                /// Only say what it would come to.
                dry: bool,
            } => ImportedVerdicts, kind: Task, access: Owner("import verdicts"), writes: Unless(|ask| ask.dry), blind: Filtered;
            /// What adjudicators of a round see, and its verdicts that were given under earlier guidelines.
            Adjudication(String) => AdjudicationContext, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// The guidelines of a round as they are now; none where it has none.
            Guidelines(String) => Option<GuidelinesText>, kind: Query, access: Member, writes: Never, blind: Nothing;
            /// Begin an evaluation, or say what it would ask; its progress is told as [`super::Event::Job`], and it is one of [`Jobs`].
            Evaluate(Box<NewRun>) => StartedRun, kind: Task, access: Owner("have models asked"), writes: Always, blind: Guarded;
            /// Compare free-form answers with what the items say, those that were not compared yet.
            Similarity(Box<SimilarityAsk>) => SimilarityReport, kind: Task, access: Owner("have answers compared"), writes: Always, blind: Refused;
            /// The models in the order of a column, best first, with ranks that tie where the data cannot tell neighbors apart.
            Ranks {
                /// Which leaderboard.
                ask: Box<BoardQuery>,
                /// Column name.
                column: String,
            } => Vec<(String, Rank)>, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// The confidence interval of a cell of the leaderboard.
            Sure {
                /// Which leaderboard.
                ask: Box<BoardQuery>,
                /// Model.
                model: String,
                /// Column name.
                column: String,
                /// Draws and seed.
                plan: Bootstrap,
            } => board::analysis::CellInterval, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Two models of the leaderboard on the same questions.
            Compare {
                /// Which leaderboard.
                ask: Box<BoardQuery>,
                /// The models.
                models: [String; 2],
                /// Column name.
                column: String,
                /// Draws and seed.
                plan: Bootstrap,
            } => ModelComparison, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// Where another rule reads other answers than the one of this leaderboard; a line a model.
            Disagreements {
                /// Which leaderboard.
                ask: Box<BoardQuery>,
                /// The other rule by name; without one, that of each question's paper.
                other: Option<String>,
            } => Vec<Disagreement>, kind: Query, access: Member, writes: Never, blind: Filtered;
            /// An analysis of a whole leaderboard.
            Analyse(Box<AnalyseAsk>) => Analysis, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Show a judge the answers that `strict` cannot read.
            Judge(Box<JudgeAsk>) => JudgeReport, kind: Task, access: Owner("have models asked"), writes: Always, blind: Refused;
            /// The person agrees that this goes there, for all projects on this machine; kept in the owner's user's own
            /// configuration folder. Where another request follows, its reply is the reply.
            Agree {
                /// Where, with which key.
                to: Vec<Destination>,
                /// What is asked next.
                then: Option<AskNext>,
            } => (), kind: Control, access: Owner("agree to what is sent"), writes: Never, blind: Nothing;
            /// What every model answered to one question.
            Answered {
                /// The rule that reads answers, by name; without one, that of each question's paper.
                rule: Option<String>,
                /// The column that says what is right, where one does.
                column: Option<String>,
                /// The item: its id, or its number.
                item: String,
            } => board::ItemAnswers, kind: Query, access: Member, writes: Never, blind: Guarded;
            /// Delete a round that has no verdicts.
            DeleteRound(String) => (), kind: Query, access: Member, writes: Always, blind: Nothing;
            /// Have people join a round that goes on, and others leave it.
            RoundPeople {
                /// Its name.
                round: String,
                /// Who joins.
                add: Vec<String>,
                /// Who leaves: what they had left is given to the others.
                remove: Vec<String>,
            } => RoundState, kind: Query, access: Member, writes: Always, blind: Filtered;
            /// Take terms out of the sampling and reject their items in my name, all or nothing.
            Retire {
                /// Vocabulary (or `style`) and term.
                terms: Vec<(String, String)>,
                /// The metadata files without them.
                saves: Vec<Save>,
                /// Whether their items are rejected too.
                discard: bool,
            } => Retired, kind: Task, access: Member, writes: Always, blind: Guarded;
            /// Take that back: the files, and what I said between two revisions, as long as it is the last that I said.
            Unretire {
                /// The metadata files with the terms.
                saves: Vec<Save>,
                /// First and last revision of the verdicts.
                revs: Option<(u64, u64)>,
            } => Retired, kind: Task, access: Member, writes: Always, blind: Nothing;
        }
    };
}

requests!(declare);

impl AnyReply {
    /// Whether more parts of it follow.
    pub fn is_partial(&self) -> bool {
        matches!(self, AnyReply::Page(page) if page.partial)
    }
}
