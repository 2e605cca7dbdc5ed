//! Questions and commands of a client.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AnalyseAsk, ImportAsk, JudgeAsk, PageAsk, Rename, ResumePoint, SimilarityAsk};
use crate::model::agreement::Bootstrap;
use crate::model::agreement::analysis::AgreementAsk;
use crate::model::board::BoardAsk;
use crate::model::edit::Edit;
use crate::model::evaluation::NewRun;
use crate::model::history::{LogAsk, Moment};
use crate::model::job::{JobAct, NewJob};
use crate::model::round::{NewRound, Protocol};
use crate::model::scoring::bench::{BenchAsk, FlagOrder};
use crate::model::scoring::job::{NewScoring, ScoringAct};
use crate::model::scoring::rules::RuleSet;
use crate::model::trust::Destination;
use crate::model::usage::Save;
use crate::model::verdict_interchange::{VerdictForm, Words};
use crate::model::{Field, Filter, Judgement, MetaFile, Sort};
use crate::store::query::Match;

/// A question or a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
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
        /// Position in the list of [`Request::AnswerSets`].
        set: u32,
        /// Which part, from 0.
        part: u32,
    },
    /// A verdict.
    Decide(Decide),
    /// Take back the last that I did, a verdict or an edit; the uuid is the receipt.
    Undo(Uuid),
    /// Bring back what I took back last; the uuid is the receipt.
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
    /// Verdicts that count, on items from number `from` on; at most those on [`super::VERDICTS`] items at once.
    Verdicts {
        /// Only of this round.
        round: Option<String>,
        /// The first item's number, from 1.
        from: u32,
    },
    /// The leaderboard.
    Board(Box<BoardAsk>),
    /// Answers behind a cell of the leaderboard, a page of them.
    Behind {
        /// Which leaderboard.
        ask: Box<BoardAsk>,
        /// Model.
        model: String,
        /// Column name.
        column: String,
        /// Where the page begins: 0, or what the page before called the next.
        from: u64,
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
        /// Draw terms for slots that prompts got since.
        draw_missing: bool,
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
        /// Compose as if there were no rules of compatibility.
        allow_impossible: bool,
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
    /// The scorers and what there is of their scores; how far a job is is told as [`Event::Scoring`].
    Scorers,
    /// Begin to score items, or count what there is to score.
    Score(NewScoring),
    /// Do something to a scoring job.
    ScoringAct {
        /// Its number.
        id: u32,
        /// What.
        act: ScoringAct,
    },
    /// A look at one score.
    Bench(Box<BenchAsk>),
    /// The rules in `benchtop.toml` and what they make of the items.
    Rules,
    /// What other rules would change.
    TryRules(RuleSet),
    /// Write these rules into `benchtop.toml`, where it still has the revision named.
    ApplyRules {
        /// The rules.
        rules: RuleSet,
        /// The revision they were made on.
        revision: String,
    },
    /// Write the rules before these into `benchtop.toml`; asked again, those before them.
    RevertRules {
        /// The revision that is taken back.
        revision: String,
    },
    /// Numbers of the doubtful items among those of this filter, in this order.
    Doubtful {
        /// Which items, and which outcomes: flagged and parked ones where it names none.
        filter: Filter,
        /// In which order.
        order: FlagOrder,
        /// Of the random order.
        seed: u64,
    },
    /// Everything that machines said of item `number`.
    Explain {
        /// The item.
        number: u32,
    },
    /// Fold journals from other machines into those of the project.
    Merge {
        /// The journals, by absolute path.
        files: Vec<PathBuf>,
        /// Only say what it would come to.
        dry: bool,
    },
    /// What was decided, the newest first; at most [`LOGGED`] at once.
    Log(LogAsk),
    /// The project as it was at a moment, made again from the journals.
    Replay(Moment),
    /// Items that stand elsewhere at the second moment than at the first.
    Moved(Moment, Moment),
    /// The rounds, oldest first; [`Event::Rounds`](super::Event::Rounds) tells of new and closed ones.
    Rounds,
    /// Draw a round.
    NewRound {
        /// What is wanted.
        new: Box<NewRound>,
        /// Only say what it would be.
        dry: bool,
    },
    /// Close a round, or open it again.
    CloseRound {
        /// Its name.
        round: String,
        /// Whether it is to be closed.
        closed: bool,
    },
    /// What I am to judge next in this round: a lease, which asking again renews.
    Next(String),
    /// Give back what I have in hand in this round.
    Release(String),
    /// What an item of practice is, once my verdict on it is in.
    Feedback {
        /// The round.
        round: String,
        /// Item number, from 1.
        number: u32,
    },
    /// The items of a round on which people differ.
    Disputes(String),
    /// What another rule would make of a round's verdicts.
    WhatIf {
        /// The round.
        round: String,
        /// The other rule.
        protocol: Protocol,
    },
    /// Remember where I am.
    SetPlace(ResumePoint),
    /// End the owner.
    Stop,
    /// Give an item another text.
    Edit(Box<Edit>),
    /// Give one verdict on many items.
    Bulk(Box<Bulk>),
    /// Take back what I said between two revisions, both included, as long as it is the last that I said.
    UndoBulk(u64, u64),
    /// How far people agree, in a round or outside of rounds; refused while a blind round keeps it from me.
    Agreement(AgreementAsk),
    /// Everything that is reported of a round; refused as agreement is.
    RoundReport {
        /// Its name.
        round: String,
        /// Draws for intervals.
        bootstrap: Option<Bootstrap>,
    },
    /// How my own work goes, in a round or everywhere: told to nobody else.
    Pace(Option<String>),
    /// Take verdicts in from a file of another kind than a journal.
    TakeVerdicts {
        /// The file, by absolute path.
        file: PathBuf,
        /// Its form; told by its first byte where none is named.
        form: Option<VerdictForm>,
        /// What its words mean.
        words: Box<Words>,
        /// Only say what it would come to.
        dry: bool,
    },
    /// What adjudicators of a round see, and its verdicts that were given under earlier guidelines.
    Adjudication(String),
    /// The guidelines of a round as they are now.
    Guidelines(String),
    /// Begin an evaluation, or say what it would ask; how far it is is told as [`Event::Job`](super::Event::Job), and it
    /// is one of [`Request::Jobs`].
    Evaluate(Box<NewRun>),
    /// Compare free-form answers with what the items say, those that were not compared yet.
    Similarity(Box<SimilarityAsk>),
    /// The models in the order of a column, with ranks that tie where the data cannot tell neighbours apart.
    Ranks {
        /// Which leaderboard.
        ask: Box<BoardAsk>,
        /// Column name.
        column: String,
    },
    /// How sure a cell of the leaderboard is.
    Sure {
        /// Which leaderboard.
        ask: Box<BoardAsk>,
        /// Model.
        model: String,
        /// Column name.
        column: String,
        /// Draws and seed.
        plan: Bootstrap,
    },
    /// Two models of the leaderboard on the same questions.
    Compare {
        /// Which leaderboard.
        ask: Box<BoardAsk>,
        /// The models.
        models: [String; 2],
        /// Column name.
        column: String,
        /// Draws and seed.
        plan: Bootstrap,
    },
    /// Where another rule reads other answers than the one of this leaderboard.
    Disagreements {
        /// Which leaderboard.
        ask: Box<BoardAsk>,
        /// The other rule by name; without one, that of each question's paper.
        other: Option<String>,
    },
    /// A closer look at a whole leaderboard.
    Analyse(Box<AnalyseAsk>),
    /// Show a judge the answers that `strict` cannot read.
    Judge(Box<JudgeAsk>),
    /// The person agrees that this goes there, for all projects on this machine; kept in the owner's user's own
    /// configuration folder, and refused from anybody else.
    Agree {
        /// Where, with which key.
        to: Vec<Destination>,
        /// What is asked next; its answer is the answer.
        then: Option<AskNext>,
    },
    /// What every model answered to one question.
    Answered {
        /// The rule that reads answers, by name; without one, that of each question's paper.
        rule: Option<String>,
        /// The column that says what is right, where one does.
        column: Option<String>,
        /// The item: its id, or its number.
        item: String,
    },
    /// Take terms out of the sampling and reject their items in my name, all or nothing.
    Retire {
        /// Vocabulary (or `style`) and term.
        terms: Vec<(String, String)>,
        /// The metadata files without them.
        saves: Vec<Save>,
        /// Whether their items are rejected too.
        discard: bool,
    },
    /// Take that back: the files, and what I said between two revisions, as long as it is the last that I said.
    Unretire {
        /// The metadata files with the terms.
        saves: Vec<Save>,
        /// First and last revision of the verdicts.
        revs: Option<(u64, u64)>,
    },
    /// Delete a round that has no verdicts.
    DeleteRound(String),
    /// Have people join a round that goes on, and others leave it.
    RoundPeople {
        /// Its name.
        round: String,
        /// Who joins.
        add: Vec<String>,
        /// Who leaves: what they had left is given to the others.
        remove: Vec<String>,
    },
}

/// What is asked once somebody has agreed to what it sends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum AskNext {
    /// [`Request::JobAct`].
    Job(u32, JobAct),
    /// [`Request::ScoringAct`].
    Scoring(u32, ScoringAct),
    /// [`Request::Generate`].
    Generate(Box<NewJob>),
    /// [`Request::Score`].
    Score(NewScoring),
    /// [`Request::Evaluate`].
    Evaluate(Box<NewRun>),
    /// [`Request::Judge`].
    Judge(Box<JudgeAsk>),
}

impl AskNext {
    /// The question itself.
    pub fn ask(self) -> Request {
        match self {
            AskNext::Job(id, act) => Request::JobAct { id, act },
            AskNext::Scoring(id, act) => Request::ScoringAct { id, act },
            AskNext::Generate(new) => Request::Generate(new),
            AskNext::Score(new) => Request::Score(new),
            AskNext::Evaluate(new) => Request::Evaluate(new),
            AskNext::Judge(ask) => Request::Judge(ask),
        }
    }
}

/// One verdict on many items.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bulk {
    /// Which items.
    pub filter: Filter,
    /// What is said of each.
    pub judgement: Judgement,
    /// How many it must be: otherwise nothing is judged.
    pub count: Option<u64>,
    /// Only count.
    pub dry: bool,
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
