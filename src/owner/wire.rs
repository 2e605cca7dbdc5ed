//! What is said between an owner and its clients.
//!
//! Frames are a 4-byte big-endian length and a postcard body, at most [`FRAME_LIMIT`]. The client begins with
//! [`ToOwner::Hello`]; the owner answers [`FromOwner::Welcome`] or [`FromOwner::Refused`] and, in the latter case,
//! hangs up. Every [`ToOwner::Ask`] carries a number that its answer echoes. postcard is not self-describing: any
//! change of these types raises [`PROTOCOL`].

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::board::{Behind, Board};
use crate::model::config::Reason;
use crate::model::device::Devices;
use crate::model::job::{Begun, JobAct, JobFailure, JobState, NewJob};
use crate::model::made::Made;
use crate::model::table::{Frequency, Summary};
use crate::model::usage::{Discarded, Failing, Grid, Impact, MetadataState, Save, TermUse};
use crate::model::{Field, Filter, Form, Item, Judgement, MetaFile, Problem, QuestionKind, Sort, Status};
pub use crate::pipeline::import::{Ask as ImportAsk, FileReport, Progress, Report};
pub use crate::pipeline::recompose::{Recomposed, Rename};
use crate::store::ledger::Standing;
use crate::store::query::Match;

/// First word of a conversation.
pub const MAGIC: [u8; 8] = *b"benchtop";
/// Version of this language; owner and client must agree.
pub const PROTOCOL: u16 = 3;
/// Largest frame in bytes.
pub const FRAME_LIMIT: usize = 16 << 20;

/// From a client.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToOwner {
    /// Who is there.
    Hello(Hello),
    /// A question or a command, numbered by the client.
    Ask(u64, Ask),
    /// The answer to this number is no longer wanted.
    Cancel(u64),
}

/// Who is there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`PROTOCOL`].
    pub protocol: u16,
    /// Version of the client's program.
    pub version: String,
    /// The annotator in whose name it decides.
    pub who: String,
}

/// A question or a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Owner, store and counts.
    Status,
    /// A page of the list. A newer `generation` cancels the older ones of this client.
    Page(PageAsk),
    /// Where item `number` stands in the list of this filter and order.
    Locate {
        /// Item number, from 1.
        number: u32,
        /// Which items.
        filter: Filter,
        /// In which order.
        sort: Vec<Sort>,
    },
    /// An item with everything that is known of it.
    Item(u32),
    /// The number of the item with this id.
    NumberOf(String),
    /// Numbers of all items of this filter in this order: a review queue that stays while statuses change.
    Numbers(Filter, Vec<Sort>),
    /// The first of these items that nobody has judged.
    FirstPending(Vec<u32>),
    /// The first item after this number that nobody has judged, from the beginning again at the end.
    NextPending(u32),
    /// Item lines and statuses from this number on, as many as fit a frame.
    Lines(u32),
    /// The lines and statuses of these items, in this order; as many as fit a frame.
    Items(Vec<u32>),
    /// The prediction files brought in.
    AnswerSets,
    /// A part of the lines of prediction file `set`, from 0.
    AnswerLines {
        /// Position in the list of [`Ask::AnswerSets`].
        set: u32,
        /// Which part, from 0.
        part: u32,
    },
    /// A verdict.
    Decide(Decide),
    /// Take back my last verdict that counts; the uuid is the receipt.
    Undo(Uuid),
    /// Bring back my last verdict that was undone; the uuid is the receipt.
    Redo(Uuid),
    /// Send events from revision `since` on.
    Subscribe {
        /// The last revision the client knows.
        since: u64,
    },
    /// How often each value of a field occurs.
    Frequency(Filter, Field),
    /// What each field holds.
    Describe(Filter),
    /// Numbers of the items whose cell matches.
    Select(Filter, Field, Match),
    /// All verdicts that count.
    Verdicts,
    /// The leaderboard.
    Board,
    /// The answers behind a cell of the leaderboard.
    Behind {
        /// Model.
        model: String,
        /// Column name.
        column: String,
    },
    /// Bring files in.
    Import(ImportAsk),
    /// Fill the project with the sample.
    Sample,
    /// The metadata files; from the first such question on, changes are told as [`Event::Metadata`].
    Metadata,
    /// Replace, add or remove metadata files, all or none, where they still have the revisions named.
    SaveMetadata(Vec<Save>),
    /// What these texts, put over the metadata files, would do to the items.
    Impact(Vec<MetaFile>),
    /// How the terms of a vocabulary, or of `style`, are used.
    Terms(String),
    /// How two properties of items meet: `subject`, `subtask`, `type`, `style` or a vocabulary.
    Grid {
        /// The property down.
        rows: String,
        /// The property across.
        columns: String,
        /// Which items.
        filter: Filter,
    },
    /// The terms whose items fail most, among those with at least so many accepted or rejected ones.
    Failing(u64),
    /// Reject the items that have one of these terms and are not rejected yet, in my name.
    Discard {
        /// Vocabulary (or `style`) and term.
        terms: Vec<(String, String)>,
        /// Only count.
        dry: bool,
    },
    /// Compose again the items that the metadata has changed under.
    Recompose {
        /// Terms that go by another name now.
        renames: Vec<Rename>,
        /// Only count.
        dry: bool,
    },
    /// Compose questions from the metadata.
    Compose {
        /// The text of a plan; without one all subtasks and types alike.
        plan: Option<String>,
        /// Seed of every draw.
        seed: u64,
        /// With a plan only its first so many questions, without one so many in all.
        count: Option<u64>,
    },
    /// Begin a job that makes pictures, or say what it would make.
    Generate(Box<NewJob>),
    /// All jobs, those that are not over first and in their order; how far they are is told as [`Event::Job`].
    Jobs,
    /// Do something to a job.
    JobAct {
        /// Its number.
        id: u32,
        /// What.
        act: JobAct,
    },
    /// What a job set aside, from the `from`th on (counted from 0); at most [`FAILURES`] at once.
    JobFailures {
        /// Its number.
        id: u32,
        /// The first one wanted.
        from: u64,
    },
    /// Somebody waits for the picture of item `number`: make it next, where a job is to make it.
    Want {
        /// The item.
        number: u32,
    },
    /// Every picture that was made for item `number`, newest first.
    Made {
        /// The item.
        number: u32,
    },
    /// What the machine is doing: GPUs and processors.
    Devices,
    /// Remember where I am.
    SetPlace(Place),
    /// End the owner.
    Stop,
}

/// A page of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageAsk {
    /// Rises with every new question of this client.
    pub generation: u64,
    /// Which items.
    pub filter: Filter,
    /// In which order; empty means by number, or by score when there is text.
    pub sort: Vec<Sort>,
    /// First position, from 0.
    pub offset: u64,
    /// Rows wanted.
    pub count: u32,
}

/// A verdict on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decide {
    /// Receipt: sent again after a lost connection, it counts once.
    pub uuid: Uuid,
    /// Item number, from 1.
    pub number: u32,
    /// The item's revision the client had on screen; `None` decides whatever happened since.
    pub expected: Option<u64>,
    /// What is said.
    pub judgement: Judgement,
}

/// Where an annotator left off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Item number, from 1; 0 for none.
    pub number: u32,
    /// The queue's filter as words.
    pub filter: String,
}

/// From the owner.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromOwner {
    /// The conversation may begin.
    Welcome(Box<Welcome>),
    /// It may not.
    Refused(Problem),
    /// The answer to a question.
    Answer(u64, Box<Result<Answer, Problem>>),
    /// How far a long command is.
    Progress(u64, Progress),
    /// Something happened.
    Event(Event),
}

/// What a client must know first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// Owner's process id.
    pub pid: u32,
    /// Version of the owner's program.
    pub version: String,
    /// Name of the project.
    pub project: String,
    /// The project's folder.
    pub root: PathBuf,
    /// Revision of the last decision.
    pub rev: u64,
    /// Number of items.
    pub items: u64,
    /// Reasons a reject can give.
    pub reasons: Vec<Reason>,
    /// Name of the colour theme.
    pub theme: String,
    /// Where this annotator left off.
    pub place: Option<Place>,
    /// What a person should know: rebuilt, damaged lines.
    pub notices: Vec<String>,
}

/// An answer; each belongs to the question of its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
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
    /// See [`Ask::Select`] and [`Ask::Numbers`].
    Numbers(Vec<u32>),
    /// See [`Ask::Verdicts`]: item number, item id, verdict.
    Verdicts(Vec<(u32, String, Standing)>),
    /// See [`Ask::Board`].
    Board(Box<Board>),
    /// See [`Ask::Behind`].
    Behind(Vec<Behind>),
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
    /// See [`Ask::JobAct`]; [`Answer::Done`] for one that was removed.
    Job(Box<JobState>),
    /// See [`Ask::JobFailures`].
    JobFailures(Vec<JobFailure>),
    /// See [`Ask::Want`]: the job that makes it; none when no job is to, or it is there.
    Wanted(Option<u32>),
    /// See [`Ask::Made`].
    Made(Vec<Made>),
    /// See [`Ask::Devices`].
    Devices(Box<Devices>),
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
}

/// A page of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Page {
    /// The question's.
    pub generation: u64,
    /// First position, from 0.
    pub offset: u64,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Items that pass the filter: exact unless `partial`.
    pub total: u64,
    /// Items in the project.
    pub of: u64,
    /// More is being found: another page follows.
    pub partial: bool,
}

/// One line of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Item number, from 1.
    pub number: u32,
    /// Its id.
    pub id: String,
    /// Data set.
    pub dataset: String,
    /// Subtask.
    pub subtask: String,
    /// Question type.
    pub kind: QuestionKind,
    /// Level.
    pub level: String,
    /// Style.
    pub style: String,
    /// Side of its pair.
    pub side: String,
    /// Where it stands.
    pub status: Status,
    /// When it was last judged; empty for never.
    pub judged: String,
    /// The question, cut to [`QUESTION_CHARS`] in a page of the list.
    pub question: String,
    /// Characters of the question that the fuzzy text matched.
    pub marks: Vec<u32>,
}

/// Failures of a job in one answer.
pub const FAILURES: usize = 1000;

/// Characters after which the question of a list row is cut.
pub const QUESTION_CHARS: usize = 400;

impl Row {
    /// An item as a row, its question whole. When it was judged is not in an item, so that the caller gives it.
    pub fn of(number: u32, item: Item, status: Status, judged: String) -> Row {
        Row {
            number,
            id: item.id,
            dataset: item.dataset,
            subtask: item.subtask.unwrap_or_default(),
            kind: item.kind,
            level: item.level.unwrap_or_default(),
            style: item.style.unwrap_or_default(),
            side: item.pair.map_or("", |p| p.side.name()).into(),
            status,
            judged,
            question: item.question,
            marks: Vec::new(),
        }
    }
}

/// An item with everything that is known of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemView {
    /// Item number, from 1.
    pub number: u32,
    /// The item as JSON (postcard cannot carry its free fields).
    pub json: String,
    /// Where it stands.
    pub status: Status,
    /// Revision of the project when it last changed.
    pub rev: u64,
    /// The verdicts that count.
    pub standing: Vec<Standing>,
    /// What of its metadata changed since it was composed (`stale: ...`) or is not there any more (`gone: ...`).
    pub stale: Option<String>,
}

/// Many items at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lines {
    /// Item JSON, one a line, newline after each.
    pub json: String,
    /// Statuses, one an item.
    pub statuses: Vec<Status>,
    /// The number to go on from; `None` at the end.
    pub next: Option<u32>,
}

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
    /// Too much happened at once: ask again for what is on screen.
    Resync,
    /// The owner is about to end.
    Ending,
}
