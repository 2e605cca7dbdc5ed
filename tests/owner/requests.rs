//! Every request of the table, asked by an annotator whom an open blind round keeps things from. The same is asked of two
//! copies of a project, of which one has another annotator's verdicts and the scores of a scorer: what ann is told must be
//! the same.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use benchtop::model::agreement::Bootstrap;
use benchtop::model::agreement::analysis::AgreementQuery;
use benchtop::model::analysis::{Alignment, AnalysisQuery, By, What};
use benchtop::model::board::{BoardQuery, Curated};
use benchtop::model::bootstrap::{BootstrapPlan, NewBootstrap};
use benchtop::model::edit::Edit;
use benchtop::model::evaluation::{NewRun, OptionOrders, Server, Wording};
use benchtop::model::free_form::FreeForm;
use benchtop::model::history::{HistoryPoint, LogQuery};
use benchtop::model::import::ImportRequest as ImportAsk;
use benchtop::model::job::{Budget, JobAct, NewJob, Plan};
use benchtop::model::release::ReleaseRequest;
use benchtop::model::round::state::NextAssignment;
use benchtop::model::round::{NewRound, Protocol};
use benchtop::model::scenario::{NewScenario, ScenarioPlan};
use benchtop::model::scoring::job::NewScoring;
use benchtop::model::scoring::queries::{FlagOrder, TuningQuery};
use benchtop::model::scoring::rules::RuleSet;
use benchtop::model::scoring::{Measure, Scale, Scorer};
use benchtop::model::table::Match;
use benchtop::model::usage::Save;
use benchtop::model::{
    CommentAct, ErrorKind, Field, Filter, Judgement, Seen, Sort, Status, Verdict,
};
use benchtop::protocol::wire::{
    AnyReply, AnyRequest, Blind, Bulk, CommentOn, Decide, JudgeRequest, PageRequest, RequestName,
    ResumePoint, SimilarityRequest, request,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::rounds::{decide, judgement};
use super::tap::Tap;
use crate::support::{Bench, composed};

/// Items that are composed, and items that models answered.
const COMPOSED: usize = 4;
const ANSWERED: usize = 4;
const ITEMS: u32 = (COMPOSED + ANSWERED) as u32;
/// The last item is one of practice: somebody judged it before.
const KNOWN: u32 = ITEMS;
/// The other annotator.
const OTHER: &str = "quentin";
/// A word of their notes.
const NOTE: &str = "quagga";
/// Their comment on the first item.
const COMMENT: Uuid = Uuid::from_u128(0xc0);
/// A word of what the model answered.
const OUTPUT: &str = "okapi";

/// What the samples name.
struct World {
    /// A vocabulary and a term that a composed item has.
    term: (String, String),
    /// Items that are new to the project.
    more: PathBuf,
    /// A journal from elsewhere, in which somebody accepts the first item.
    journal: PathBuf,
    /// The same as a file of verdicts.
    verdicts: PathBuf,
}

/// Samples of a request: together they ask for what a blind round keeps back.
fn samples(name: RequestName, world: &World) -> Vec<AnyRequest> {
    let all = Filter::default;
    let rejected = || Filter {
        status: vec![Status::Rejected],
        ..all()
    };
    let number = || {
        vec![Sort {
            field: Field::Status,
            descending: true,
        }]
    };
    let page = |filter, sort| PageRequest {
        generation: 9,
        filter,
        sort,
        offset: 0,
        count: 50,
    };
    let plan = Bootstrap { draws: 20, seed: 1 };
    let round = || "first".to_string();
    let accepted = || {
        Box::new(BoardQuery {
            curated: Curated::Accepted,
            ..BoardQuery::default()
        })
    };
    let of_round = || {
        Box::new(BoardQuery {
            curated: Curated::Round(round()),
            ..BoardQuery::default()
        })
    };
    let (model, column) = (|| "tiny".to_string(), || "Acc".to_string());
    let server = || Server {
        url: "http://127.0.0.1:9/v1".into(),
        key_env: None,
        concurrency: 1,
        timeout_s: 1,
    };
    let each = |of: fn(u32) -> AnyRequest| (1..=ITEMS).map(of).collect::<Vec<_>>();
    match name {
        RequestName::Status => vec![request::Status.into()],
        RequestName::Home => vec![
            request::Home {
                before: i64::MAX,
                wait: true,
            }
            .into(),
        ],
        RequestName::Page => vec![
            request::Page(page(all(), number())).into(),
            request::Page(page(Filter::parse("comments:yes").unwrap(), Vec::new())).into(),
            request::Page(page(all(), vec![Sort::by(Field::Comments)])).into(),
            request::Page(page(Filter::parse("release:newest").unwrap(), Vec::new())).into(),
            request::Page(page(
                all(),
                vec![Sort {
                    field: Field::Judged,
                    descending: true,
                }],
            ))
            .into(),
            request::Page(page(rejected(), vec![])).into(),
        ],
        RequestName::Locate => vec![
            request::Locate {
                number: 2,
                filter: rejected(),
                sort: vec![],
            }
            .into(),
        ],
        RequestName::Item => each(|n| request::Item(n).into()),
        RequestName::NumberOf => vec![request::NumberOf("s/1".into()).into()],
        RequestName::Numbers => {
            vec![
                request::Numbers(rejected(), vec![]).into(),
                request::Numbers(all(), number()).into(),
            ]
        }
        RequestName::FirstPending => vec![request::FirstPending((1..=ITEMS).collect()).into()],
        RequestName::NextPending => vec![request::NextPending(0).into()],
        RequestName::Lines => vec![request::Lines(1).into()],
        RequestName::Items => vec![request::Items((1..=ITEMS).collect()).into()],
        RequestName::AnswerSets => vec![request::AnswerSets.into()],
        RequestName::AnswerLines => (0..2)
            .map(|part| request::AnswerLines { set: 0, part }.into())
            .collect(),
        RequestName::Decide => {
            let beside = Judgement::new(Verdict::Accept, Seen::Painted);
            let of = |judgement| Decide {
                uuid: Uuid::now_v7(),
                number: 1,
                expected: Some(77),
                judgement,
            };
            vec![
                request::Decide(of(beside)).into(),
                request::Decide(of(judgement("first", Verdict::Accept, ""))).into(),
            ]
        }
        RequestName::Undo => vec![request::Undo(Uuid::now_v7()).into()],
        RequestName::Redo => vec![request::Redo(Uuid::now_v7()).into()],
        RequestName::Subscribe => vec![request::Subscribe { since: u64::MAX }.into()],
        RequestName::Frequency => vec![request::Frequency(all(), Field::Status).into()],
        RequestName::Describe => vec![request::Describe(all()).into()],
        RequestName::Select => {
            vec![request::Select(all(), Field::Status, Match::Equal("rejected".into())).into()]
        }
        RequestName::Verdicts => vec![
            request::Verdicts {
                round: None,
                from: 1,
            }
            .into(),
            request::Verdicts {
                round: Some(round()),
                from: 1,
            }
            .into(),
        ],
        RequestName::Board => vec![
            request::Board(accepted()).into(),
            request::Board(of_round()).into(),
        ],
        RequestName::Drilldown => {
            let ask = Box::default();
            vec![
                request::Drilldown {
                    ask,
                    model: model(),
                    column: column(),
                    from: 0,
                }
                .into(),
            ]
        }
        RequestName::Import => {
            vec![
                request::Import(ImportAsk {
                    paths: vec![world.more.clone()],
                    ..ImportAsk::default()
                })
                .into(),
            ]
        }
        RequestName::Sample => vec![request::Sample { items_only: true }.into()],
        RequestName::Comment => {
            let write = || CommentAct::Write {
                text: "mine".into(),
                reply_to: None,
                marks: Vec::new(),
            };
            let resolve = || CommentAct::Resolve {
                of: COMMENT,
                resolved: true,
            };
            let of = |number, act| {
                request::Comment(Box::new(CommentOn {
                    uuid: Uuid::from_u128(u128::from(number) + 77),
                    number,
                    act,
                }))
                .into()
            };
            vec![of(1, resolve()), of(2, write())]
        }
        RequestName::Thread => each(|n| request::Thread(n).into()),
        RequestName::ErrorLabels => ["", "status:rejected", "error:reasoning", "error:"]
            .map(|filter| {
                let filter = Filter::parse(filter).unwrap();
                request::ErrorLabels { filter, from: 1 }.into()
            })
            .into(),
        RequestName::Comments => ["", "status:rejected", "comment:quagga", "mark:quagga"]
            .map(|filter| {
                let filter = Filter::parse(filter).unwrap();
                request::Comments { filter, from: 1 }.into()
            })
            .into(),
        RequestName::Scenario => ["", "status:rejected", "filter:flagged"]
            .map(|filter| {
                let plan = ScenarioPlan {
                    scenario: "corruption".into(),
                    filter: filter.into(),
                    ..ScenarioPlan::default()
                };
                request::Scenario(Box::new(NewScenario { plan, dry: true })).into()
            })
            .into(),
        RequestName::Bootstrap => ["", "status:rejected", "filter:flagged"]
            .map(|filter| {
                let plan = BootstrapPlan {
                    strategies: vec!["L4".into()],
                    filter: filter.into(),
                    ..BootstrapPlan::default()
                };
                let new = NewBootstrap { plan, dry: true };
                request::Bootstrap(Box::new(new), Budget::default()).into()
            })
            .into(),
        RequestName::Transcript => each(|n| request::Transcript(n).into()),
        RequestName::PreviewPrompt => each(|number| {
            let name = "judge/answer-stands.toml";
            let mut shipped = benchtop::model::metafile::shipped();
            let file = shipped.find(|file| file.name == name).unwrap();
            request::PreviewPrompt {
                file,
                number,
                seed: 1,
            }
            .into()
        }),
        RequestName::RemoveSample => vec![request::RemoveSample { confirmed: None }.into()],
        RequestName::Metadata => vec![request::Metadata.into()],
        RequestName::SaveMetadata => {
            let save = Save {
                name: "vocabularies/kite.txt".into(),
                base: None,
                text: Some("box kite\n".into()),
            };
            vec![request::SaveMetadata(vec![save]).into()]
        }
        RequestName::Impact => vec![request::Impact(Vec::new()).into()],
        RequestName::Terms => vec![request::Terms(world.term.0.clone()).into()],
        RequestName::Grid => {
            let (rows, columns) = ("style".to_string(), "subtask".to_string());
            vec![
                request::Grid {
                    rows: rows.clone(),
                    columns: columns.clone(),
                    filter: all(),
                }
                .into(),
                request::Grid {
                    rows,
                    columns,
                    filter: rejected(),
                }
                .into(),
            ]
        }
        RequestName::Failing => vec![request::Failing(1).into()],
        RequestName::Discard => {
            let of = |dry| request::Discard {
                terms: vec![world.term.clone()],
                dry,
            };
            vec![of(true).into(), of(false).into()]
        }
        RequestName::Recompose => vec![
            request::Recompose {
                renames: vec![],
                draw_missing: true,
                dry: true,
            }
            .into(),
        ],
        RequestName::Compose => {
            vec![
                request::Compose {
                    plan: None,
                    seed: 3,
                    count: Some(2),
                    allow_impossible: false,
                }
                .into(),
            ]
        }
        RequestName::Generate => {
            let of = |plan| NewJob {
                plan,
                samples: 1,
                dry: true,
                ..NewJob::default()
            };
            vec![
                request::Generate(
                    Box::new(of(Plan::Filter("status:rejected".into()))),
                    Budget::default(),
                )
                .into(),
            ]
        }
        RequestName::Jobs => vec![request::Jobs.into()],
        RequestName::JobAct => vec![
            request::JobAct {
                id: 77,
                act: JobAct::Pause,
            }
            .into(),
        ],
        RequestName::JobFailures => vec![request::JobFailures { id: 77, from: 0 }.into()],
        RequestName::PrioritizePicture => vec![request::PrioritizePicture { number: 1 }.into()],
        RequestName::GeneratedImages => vec![request::GeneratedImages { number: 1 }.into()],
        RequestName::Devices => vec![request::Devices.into()],
        RequestName::Scorers => vec![request::Scorers.into()],
        RequestName::Score => {
            let filter = "status:rejected".to_string();
            vec![
                request::Score(
                    NewScoring {
                        scorer: Scorer::Safety,
                        filter,
                        dry: true,
                        drafts: false,
                    },
                    Budget::default(),
                )
                .into(),
            ]
        }
        RequestName::ThresholdTuning => vec![
            request::ThresholdTuning(Box::new(TuningQuery {
                measure: Measure {
                    scorer: Scorer::Leakage,
                    scale: Scale::Raw,
                },
                filter: all(),
                flag: Some(0.5),
                park: None,
                by: Field::Subtask,
                value: None,
                bars: 10,
                range: None,
                other: None,
                samples: 4,
                across: None,
            }))
            .into(),
        ],
        RequestName::Rules => vec![request::Rules.into()],
        RequestName::TryRules => vec![request::TryRules(RuleSet::default()).into()],
        RequestName::ApplyRules => {
            vec![
                request::ApplyRules {
                    rules: RuleSet::default(),
                    revision: String::new(),
                }
                .into(),
            ]
        }
        RequestName::RevertRules => vec![
            request::RevertRules {
                revision: String::new(),
            }
            .into(),
        ],
        RequestName::FlaggedItems => {
            vec![
                request::FlaggedItems {
                    filter: all(),
                    order: FlagOrder::AgainstPeople,
                    seed: 1,
                }
                .into(),
            ]
        }
        RequestName::Explain => each(|number| request::Explain { number }.into()),
        RequestName::Lineage => each(|number| request::Lineage { number }.into()),
        RequestName::Merge => vec![
            request::Merge {
                files: vec![world.journal.clone()],
                dry: true,
            }
            .into(),
        ],
        RequestName::Log => vec![
            request::Log(LogQuery {
                count: 100,
                ..LogQuery::default()
            })
            .into(),
        ],
        RequestName::Replay => vec![request::Replay(HistoryPoint::Now).into()],
        RequestName::StatusChanges => {
            vec![request::StatusChanges(HistoryPoint::Rev(0), HistoryPoint::Now).into()]
        }
        RequestName::Rounds => vec![request::Rounds.into()],
        RequestName::NewRound => {
            let new = |filter: &str| {
                let people = vec!["ann".to_string()];
                let new = NewRound::new("second", Protocol::Single, people, 1);
                Box::new(NewRound {
                    filter: filter.into(),
                    ..new
                })
            };
            vec![
                request::NewRound {
                    new: new("status:rejected"),
                    dry: true,
                }
                .into(),
                request::NewRound {
                    new: new("status:pending"),
                    dry: true,
                }
                .into(),
            ]
        }
        RequestName::CloseRound => vec![
            request::CloseRound {
                round: round(),
                closed: true,
            }
            .into(),
        ],
        RequestName::Next => vec![request::Next(round()).into()],
        RequestName::ReleaseItems => {
            let ask = ReleaseRequest {
                name: "v9".into(),
                filter: "NOT status:pending".into(),
                dry: true,
                ..ReleaseRequest::default()
            };
            vec![request::ReleaseItems(Box::new(ask)).into()]
        }
        RequestName::Release => vec![request::Release(round()).into()],
        RequestName::Feedback => each(|number| {
            request::Feedback {
                round: "first".into(),
                number,
            }
            .into()
        }),
        RequestName::Disputes => vec![request::Disputes(round()).into()],
        RequestName::WhatIf => vec![
            request::WhatIf {
                round: round(),
                protocol: Protocol::Single,
            }
            .into(),
        ],
        RequestName::SetPlace => vec![
            request::SetPlace(ResumePoint {
                number: 1,
                ..ResumePoint::default()
            })
            .into(),
        ],
        RequestName::Stop => vec![request::Stop.into()],
        RequestName::Edit => {
            let edit = Edit {
                number: 1,
                question: Some("Which?".into()),
                preview: true,
                ..Edit::default()
            };
            vec![request::Edit(Box::new(edit)).into()]
        }
        RequestName::Bulk => {
            let of = |filter, dry| Bulk {
                dry,
                ..Bulk::new(filter, Judgement::new(Verdict::Skip, Seen::Script))
            };
            vec![
                request::Bulk(Box::new(of(rejected(), true))).into(),
                request::Bulk(Box::new(of(
                    Filter {
                        only: Some((1..=ITEMS).collect()),
                        ..all()
                    },
                    false,
                )))
                .into(),
            ]
        }
        RequestName::UndoBulk => vec![request::UndoBulk(1, 99).into()],
        RequestName::Agreement => [None, Some(round())]
            .map(|round| {
                request::Agreement(AgreementQuery {
                    round,
                    ..AgreementQuery::default()
                })
                .into()
            })
            .into(),
        RequestName::RoundReport => vec![
            request::RoundReport {
                round: round(),
                bootstrap: None,
            }
            .into(),
        ],
        RequestName::Pace => [None, Some(round())]
            .map(|of| request::Pace(of).into())
            .into(),
        RequestName::TakeVerdicts => {
            let file = world.verdicts.clone();
            vec![
                request::TakeVerdicts {
                    file,
                    form: None,
                    words: Box::default(),
                    dry: true,
                }
                .into(),
            ]
        }
        RequestName::Adjudication => vec![request::Adjudication(round()).into()],
        RequestName::Guidelines => vec![request::Guidelines(round()).into()],
        RequestName::Evaluate => vec![
            request::Evaluate(
                Box::new(NewRun {
                    model: model(),
                    name: None,
                    servers: vec![server()],
                    filter: "status:rejected".into(),
                    sample: None,
                    seed: 1,
                    blind: false,
                    orders: OptionOrders::AsIs,
                    wording: Wording::Paper,
                    max_tokens: 16,
                    tries: 1,
                    prices: (0, 0),
                    dry: true,
                    drafts: false,
                }),
                Budget::default(),
            )
            .into(),
        ],
        RequestName::Similarity => {
            let (rule, encoder) = (FreeForm::default(), "none".to_string());
            vec![
                request::Similarity(Box::new(SimilarityRequest {
                    models: vec![],
                    rule,
                    encoder,
                    dry: true,
                }))
                .into(),
            ]
        }
        RequestName::Ranks => vec![
            request::Ranks {
                ask: accepted(),
                column: column(),
            }
            .into(),
        ],
        RequestName::CellInterval => {
            vec![
                request::CellInterval {
                    ask: of_round(),
                    model: model(),
                    column: column(),
                    plan,
                }
                .into(),
            ]
        }
        RequestName::Compare => {
            let models = [model(), "small".into()];
            vec![
                request::Compare {
                    ask: Box::default(),
                    models,
                    column: column(),
                    plan,
                }
                .into(),
            ]
        }
        RequestName::Disagreements => ["tool", "legacy-dysca@1"]
            .map(|other| {
                request::Disagreements {
                    ask: Box::default(),
                    other: Some(other.into()),
                }
                .into()
            })
            .into(),
        RequestName::Analyze => [By::Filter(0.5), By::People(None), By::People(Some(round()))]
            .map(|by| What::Alignment(Alignment { by }))
            .into_iter()
            .chain([What::Contamination])
            .map(|what| AnalysisQuery {
                board: BoardQuery::default(),
                what,
            })
            .map(|ask| request::Analyze(Box::new(ask)).into())
            .collect(),
        RequestName::Judge => {
            let of = |grade: bool| {
                request::Judge(
                    Box::new(JudgeRequest {
                        models: vec![],
                        judge: "judge".to_string(),
                        servers: vec![server()],
                        max_tokens: 16,
                        tries: 1,
                        dry: true,
                        grade,
                    }),
                    Budget::default(),
                )
                .into()
            };
            vec![of(false), of(true)]
        }
        RequestName::Agree => vec![
            request::Agree {
                to: vec![],
                then: None,
            }
            .into(),
        ],
        RequestName::ModelAnswers => each(|n| {
            request::ModelAnswers {
                rule: None,
                column: None,
                item: n.to_string(),
            }
            .into()
        }),
        // A round that is there tells how many verdicts it has, as its progress does.
        RequestName::DeleteRound => vec![request::DeleteRound("none".into()).into()],
        RequestName::RoundPeople => {
            vec![
                request::RoundPeople {
                    round: round(),
                    add: vec!["eve".into()],
                    remove: vec![],
                }
                .into(),
            ]
        }
        RequestName::Retire => {
            let of = |discard| request::Retire {
                terms: vec![world.term.clone()],
                saves: Vec::new(),
                discard,
            };
            vec![of(false).into(), of(true).into()]
        }
        RequestName::Unretire => vec![
            request::Unretire {
                saves: Vec::new(),
                revs: Some((1, 99)),
            }
            .into(),
        ],
    }
}

/// A project with items that a model answered and a blind round over them, before anybody has judged in it.
fn project() -> (Bench, World) {
    let bench = Bench::new();
    let import = |name: &str, text: String| {
        let file = bench.write(name, text);
        bench.run(["import", file.to_str().unwrap()]).ok();
    };
    let lines = |of: Vec<Value>| {
        of.iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let item = |n: usize| {
        let option = |text: &str| json!({"text": text, "role": if text == "dog" { "correct" } else { "distractor" }});
        let options = ["cat", "dog"].map(option);
        json!({"id": format!("s/{n}"), "dataset": "s", "key": n, "form": "plain", "question": format!("Which is {n}?"),
               "kind": "multiple-choice", "options": options, "answer": "dog"})
    };
    let questions = composed(COMPOSED as u64, 5);
    let first: Value = serde_json::from_str(questions.lines().next().unwrap()).unwrap();
    let term = (
        "style".to_string(),
        first["style"].as_str().unwrap().to_string(),
    );
    import("questions.jsonl", questions.clone());
    import("s.jsonl", lines((0..ANSWERED).map(item).collect()));
    for model in ["tiny", "small"] {
        let answer = |n: usize| json!({"question_id": n, "question": format!("Which is {n}?"), "output": format!("B, the {OUTPUT}")});
        import(
            &format!("{model}.jsonl"),
            lines((0..ANSWERED).map(answer).collect()),
        );
    }
    let more = bench.items_file("more", 0..2);
    // Somebody decided elsewhere on what another annotator is to decide on.
    let elsewhere = Bench::new();
    let file = elsewhere.write("questions.jsonl", questions);
    elsewhere.run(["import", file.to_str().unwrap()]).ok();
    elsewhere
        .feed(
            ["decide", "--as", "dee"],
            &json!({"item": 1, "verdict": "accept"}).to_string(),
        )
        .ok();
    let journal = bench.beside("dee.jsonl");
    std::fs::copy(elsewhere.root().join("sessions/dee.jsonl"), &journal).unwrap();
    let said = json!({"item": first["id"], "who": "dee", "verdict": "accept"});
    let verdicts = bench.write("verdicts.jsonl", lines(vec![said]));
    bench
        .feed(
            ["decide", "--as", "cem"],
            &json!({"item": KNOWN, "verdict": "accept"}).to_string(),
        )
        .ok();
    let args = "round new first --protocol both-accept --people ann,quentin --calibration 1 --probes 0 --repeats 0 --as cem";
    bench
        .run(args.split(' ').chain(["--filter", "status:pending"]))
        .ok();
    bench.run(["stop"]).ok();
    (
        bench,
        World {
            term,
            more,
            journal,
            verdicts,
        },
    )
}

/// A reply without what is no secret, or differs from one owner process to the next.
fn open_to_all(name: RequestName, reply: AnyReply) -> String {
    let shown = match reply {
        // Pid, socket, times, and how many decisions there are in all.
        AnyReply::Status(status) => {
            format!(
                "{:?}",
                (
                    status.items,
                    status.by_status,
                    status.prediction_sets,
                    status.notices
                )
            )
        }
        AnyReply::Replay(state) => format!("{:?}", (state.by_status, state.same, state.notes)),
        // How far a round is, is no secret; where its items stand is.
        AnyReply::Rounds(rounds) => format!(
            "{:?}",
            rounds.iter().map(|r| &r.by_status).collect::<Vec<_>>()
        ),
        AnyReply::RoundPeople(round) | AnyReply::NewRound(round) => {
            format!("{:?}", (round.items, round.by_status))
        }
        AnyReply::Devices(_) => String::new(),
        // Nor is how many decisions there are in all, as in the status.
        AnyReply::Comment(receipt) => format!("{:?}", (receipt.number, receipt.status)),
        AnyReply::Next(next) => match *next {
            // Until when it is leased is a time.
            NextAssignment::Item(a) => format!(
                "{:?}",
                (a.number, a.practice, a.nth, a.place, a.elsewhere, a.ahead)
            ),
            other => format!("{other:?}"),
        },
        // The texts bear the time of the edit.
        AnyReply::Edit(edited) => format!("{:?}", (edited.voided, edited.notes)),
        // How many items were scored, and by which job, tells no score.
        AnyReply::Scorers(_) => String::new(),
        AnyReply::Jobs(mut jobs) => {
            jobs.retain(|job| job.scoring.is_none());
            format!("{jobs:?}")
        }
        reply => format!("{reply:?}"),
    };
    assert!(matches!(name, RequestName::Devices | RequestName::Scorers) || !shown.is_empty());
    shown
}

#[test]
fn no_request_tells_an_annotator_what_a_blind_round_keeps_back() {
    let (told, world) = project();
    let copy = tempfile::tempdir().unwrap();
    let root = copy.path().join("project");
    assert!(
        Command::new("cp")
            .arg("-a")
            .arg(told.root())
            .arg(&root)
            .status()
            .unwrap()
            .success()
    );
    let quiet = Bench::at(root);
    told.run(["filter", "run", "leakage"]).ok();
    let other = told.client(OTHER, |_| ());
    for number in 1..KNOWN {
        decide(&other, number, judgement("first", Verdict::Reject, NOTE)).unwrap();
    }
    let comment = CommentOn {
        uuid: COMMENT,
        number: 1,
        act: CommentAct::Write {
            text: NOTE.into(),
            reply_to: None,
            marks: Vec::new(),
        },
    };
    other.ask(request::Comment(Box::new(comment))).unwrap();
    let label = CommentOn {
        uuid: Uuid::from_u128(COMMENT.as_u128() + 1),
        number: 1,
        act: CommentAct::Label {
            model: "a model".into(),
            answer: "0".repeat(16),
            label: Some("reasoning".into()),
        },
    };
    other.ask(request::Comment(Box::new(label))).unwrap();
    // What is to be kept back is there.
    assert!(
        other
            .ask(request::Item(1))
            .unwrap()
            .standing
            .iter()
            .any(|s| s.judgement.note.as_deref() == Some(NOTE))
    );
    let cem = told.client("cem", |_| ());
    assert!(
        cem.ask(request::AnswerLines { set: 0, part: 0 })
            .unwrap()
            .unwrap()
            .contains(OUTPUT)
    );
    assert!(
        cem.ask(request::Scorers)
            .unwrap()
            .iter()
            .any(|s| s.scorer == Scorer::Leakage && !s.version.is_empty())
    );
    let _there = quiet.client("cem", |_| ());
    let (mut here, mut there) = (Tap::new(&told), Tap::new(&quiet));
    // What changes the project comes after everything that reads, and the end last.
    let mut names: Vec<RequestName> = RequestName::ALL.to_vec();
    names.sort_by_key(|name| (*name == RequestName::Stop, name.row().writes != "no", *name));
    let mut asked = BTreeSet::new();
    let mut wrong = Vec::new();
    for name in names {
        let (asks, before) = (samples(name, &world), here.frames.len());
        assert!(!asks.is_empty(), "{name:?} has no sample");
        let mut refused = 0;
        for ask in asks {
            assert_eq!(ask.name(), name);
            let answers = (here.any(ask.clone()), there.any(ask.clone()));
            let denied = |answer: &Result<_, benchtop::model::Error>| {
                answer
                    .as_ref()
                    .is_err_and(|problem| problem.kind == ErrorKind::Denied)
            };
            refused += u32::from(denied(&answers.0));
            if name.row().blind == Blind::Refused && !denied(&answers.0) {
                wrong.push(format!("{ask:?} is declared as refused, and is not"));
            }
            let shown = |answer: Result<AnyReply, _>| answer.map(|reply| open_to_all(name, reply));
            let (one, other) = (shown(answers.0), shown(answers.1));
            let (one, other) = (format!("{one:?}"), format!("{other:?}"));
            if one != other {
                wrong.push(format!(
                    "{ask:?} tells whether somebody else has judged:\n  {one}\n  {other}"
                ));
            }
        }
        if name.row().blind == Blind::Guarded && refused == 0 {
            wrong.push(format!(
                "{name:?} is declared as guarded, and no sample is refused"
            ));
        }
        // Who is in a round is no secret.
        let tells_people = matches!(name, RequestName::Rounds | RequestName::RoundPeople);
        for frame in &here.frames[before..] {
            let secrets: &[&str] = if tells_people {
                &[NOTE, OUTPUT]
            } else {
                &[NOTE, OUTPUT, OTHER]
            };
            if let Some(secret) = secrets.iter().find(|secret| frame.contains(**secret)) {
                wrong.push(format!("{name:?} tells `{secret}`: {frame}"));
            }
        }
        asked.insert(name);
    }
    assert_eq!(asked.len(), RequestName::ALL.len());
    assert!(
        wrong.is_empty(),
        "{} leaks:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
