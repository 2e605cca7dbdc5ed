//! Panes: the screens that the tabs lead to. A pane is a module and a row of `panes!`.

pub mod adjudicate;
pub mod agreement;
pub mod board;
pub mod coverage;
pub mod filters;
pub mod generate;
pub mod home;
pub mod list;
pub mod metadata;
pub mod registry;
pub mod review;
pub mod rounds;
pub mod templates;
pub mod vocabulary;

use benchtop_model::scoring::Outcome;

/// Hands all panes to the macro `$with`, in the order of the work. A row has:
///
/// - its [`PaneId`](crate::pane::PaneId) and [`Scope`](crate::action::Scope), its module, and its
///   type, which is `Default`
/// - `tab`: the [`Tab`](crate::pane::id::Tab) that it belongs to
/// - `name`: the name on the screen
/// - `go` and `keys`: the action `go to ...` and its default keys
/// - `live`: the sets of scopes that are active together, nearest first: those of the pane when it
///   opens, then those of its layers
/// - `bar`: the actions of each scope for the key bar, most useful first
macro_rules! panes {
    ($with:ident) => {
        $with! {
            Home(home HomePane) {
                tab: Home, name: "Home", go: "home", keys: ["gh"],
                live: [[Home, Table, Global]],
                bar: { Home: [Open, ImportFiles] },
            }
            Vocabulary(vocabulary VocabularyPane) {
                tab: Build, name: "Vocabularies", go: "vocabularies", keys: ["gw"],
                live: [[Vocabulary, Metadata, Table, Global]],
                bar: {
                    Vocabulary: [AddTerm, RenameTerm, ToggleTerm, RemoveTerm, TermRules, ShowTerms],
                    Metadata: [
                        SaveMetadata, NextArea, ToggleSidebar, SeedUp, Difference, EditOutside
                    ]
                },
            }
            Templates(templates TemplatesPane) {
                tab: Build, name: "Templates", go: "templates", keys: ["gp"],
                live: [[Templates, Metadata, Table, Global], [Editor]],
                bar: {
                    Templates: [TypeText, NextFile],
                    Editor: [StopTyping, SaveText, InsertSlot, UndoText, FindText]
                },
            }
            Coverage(coverage CoveragePane) {
                tab: Build, name: "Coverage", go: "coverage", keys: ["gc"],
                live: [[Coverage, Table, Global]],
                bar: {
                    Coverage: [NextCount, ChooseRows, ChooseColumns, FailingTerms, RetireTerms]
                },
            }
            Generate(generate GeneratePane) {
                tab: Make, name: "Jobs", go: "jobs", keys: ["gj"],
                live: [[Generate, Table, Global]],
                bar: {
                    Generate: [NewJob, PauseJob, RetryJob, JobFailures, CancelJob, JobUp]
                },
            }
            List(list ListPane) {
                tab: Check, name: "Items", go: "items", keys: ["gi"],
                live: [[List, Table, Global], [Table, Global]],
                bar: { List: [FilterStatus, ClearFilter] },
            }
            Filters(filters FiltersPane) {
                tab: Check, name: "Filters", go: "filters", keys: ["gf"],
                live: [[Filters, Table, Global]],
                bar: {
                    Filters: [
                        ThresholdRight, SwitchThreshold, NextPart, SaveRules, ShowRules, NextScore,
                        StartScoring, TypeLine
                    ]
                },
            }
            Review(review ReviewPane) {
                tab: Judge, name: "Review", go: "review", keys: ["gr"],
                live: [
                    [Review, Global],
                    [Round, Review, Global],
                    // Letters are answers even if they have a meaning in the review.
                    [Answers, Global]
                ],
                bar: {
                    Review: [
                        Accept, Reject, Skip, Flag, Unsure, Next, Previous, NextPending, Explain,
                        ReviewFlagged, Pixels
                    ],
                    // The verdict keys are shown above the item.
                    Round: [RoundGuidelines, OwnPace, Help, Undo, Palette, Back],
                    Answers: [AnswerA, AnswerB, TypeAnswer]
                },
            }
            Rounds(rounds RoundsPane) {
                tab: Judge, name: "Rounds", go: "rounds", keys: ["go"],
                live: [[Rounds, Table, Global], [Form]],
                bar: {
                    Rounds: [Open, NewRound, WhatIf, CloseRound, ShowGuidelines],
                    Form: [CreateRound, FormNext, FormClose]
                },
            }
            Adjudicate(adjudicate AdjudicatePane) {
                tab: Judge, name: "Adjudicate", go: "adjudicate", keys: ["gd"],
                live: [[Adjudicate, Global]],
                bar: {
                    Adjudicate: [
                        AdjudicateAccept, AdjudicateReject, AdjudicateFix, GuidelineGap,
                        NextDispute, NextOpen, ShowAdjudicated, ReviewDispute, ChooseRound,
                        EarlierGuidelines
                    ]
                },
            }
            Agreement(agreement AgreementPane) {
                tab: Judge, name: "Agreement", go: "agreement", keys: ["gk"],
                live: [[Agreement, Table, Global]],
                bar: { Agreement: [GroupAgreement, AgreementRound, AgreementPart, CopyMethods] },
            }
            Board(board BoardPane) {
                tab: Score, name: "Board", go: "board", keys: ["gb"],
                live: [
                    [Board, Table, Global],
                    [Behind, Table, Global],
                    [Answer, Behind, Table, Global]
                ],
                bar: {
                    Board: [
                        NextMeasure, BoardViews, CompareModels, BoardFilter, BoardCurated,
                        BoardRule, ChooseMeasure, ShowInterval
                    ],
                    Behind: [OnlyWrong, WrongFirst],
                    Answer: [Open, NextAnswer, PreviousAnswer, AnswerDown]
                },
            }
        }
    };
}

pub(crate) use panes;

/// The word for an outcome on the screen. In files and filters a quarantined item is `parked`.
pub(crate) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Kept => "kept",
        Outcome::Flagged => "flagged",
        Outcome::Parked => "quarantined",
    }
}
