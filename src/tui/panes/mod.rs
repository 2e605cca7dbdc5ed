//! Panes: the screens that the tabs lead to. A pane is a module and a row of `panes!`.

pub mod adjudicate;
pub mod agreement;
pub mod board;
pub mod coverage;
pub mod filters;
pub mod generate;
pub mod list;
pub mod metadata;
pub mod registry;
pub mod review;
pub mod rounds;
pub mod templates;
pub mod vocabulary;

use benchtop_model::scoring::Outcome;

/// Hands all panes to the macro `$with`, in the order of the help page. A row has:
///
/// - its [`PaneId`](crate::pane::PaneId) and [`Scope`](crate::action::Scope), its module, and its
///   type, which is `Default`
/// - `tab`: the place of its tab, from 1
/// - `name` and `short`: the name, also on narrow screens
/// - `go` and `keys`: the action `go to ...` and its default keys
/// - `live`: the sets of scopes that are active together, nearest first: those of the pane when it
///   opens, then those of its layers
/// - `bar`: the actions of each scope for the key bar, most useful first
macro_rules! panes {
    ($with:ident) => {
        $with! {
            Review(review ReviewPane) {
                tab: 1, name: "Review", short: "Review", go: "review", keys: ["1"],
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
            List(list ListPane) {
                tab: 2, name: "Items", short: "Items", go: "items", keys: ["2"],
                live: [[List, Table, Global], [Table, Global]],
                bar: { List: [FilterStatus, ClearFilter] },
            }
            Board(board BoardPane) {
                tab: 3, name: "Board", short: "Board", go: "board", keys: ["3"],
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
            Vocabulary(vocabulary VocabularyPane) {
                tab: 4, name: "Vocabularies", short: "Vocab", go: "vocabularies", keys: ["4"],
                live: [[Vocabulary, Metadata, Table, Global]],
                bar: {
                    Vocabulary: [AddTerm, RenameTerm, ToggleTerm, RemoveTerm, TermRules, ShowTerms],
                    Metadata: [
                        SaveMetadata, NextArea, ToggleSidebar, SeedUp, Difference, EditOutside
                    ]
                },
            }
            Templates(templates TemplatesPane) {
                tab: 5, name: "Templates", short: "Templ", go: "templates", keys: ["5"],
                live: [[Templates, Metadata, Table, Global], [Editor]],
                bar: {
                    Templates: [TypeText, NextFile],
                    Editor: [StopTyping, SaveText, InsertSlot, UndoText, FindText]
                },
            }
            Coverage(coverage CoveragePane) {
                tab: 6, name: "Coverage", short: "Cover", go: "coverage", keys: ["6"],
                live: [[Coverage, Table, Global]],
                bar: {
                    Coverage: [NextCount, ChooseRows, ChooseColumns, FailingTerms, RetireTerms]
                },
            }
            Generate(generate GeneratePane) {
                tab: 7, name: "Generate", short: "Gen", go: "generate", keys: ["7"],
                live: [[Generate, Table, Global]],
                bar: {
                    Generate: [NewJob, PauseJob, RetryJob, JobFailures, CancelJob, JobUp]
                },
            }
            Filters(filters FiltersPane) {
                tab: 8, name: "Filters", short: "Filter", go: "filters", keys: ["8"],
                live: [[Filters, Table, Global]],
                bar: {
                    Filters: [
                        ThresholdRight, SwitchThreshold, NextPart, SaveRules, ShowRules, NextScore,
                        StartScoring, TypeLine
                    ]
                },
            }
            Agreement(agreement AgreementPane) {
                tab: 11, name: "Agreement", short: "Agree", go: "agreement", keys: ["%"],
                live: [[Agreement, Table, Global]],
                bar: { Agreement: [GroupAgreement, AgreementRound, AgreementPart, CopyMethods] },
            }
            Adjudicate(adjudicate AdjudicatePane) {
                tab: 10, name: "Adjudicate", short: "Adjud", go: "adjudicate", keys: ["0"],
                live: [[Adjudicate, Global]],
                bar: {
                    Adjudicate: [
                        AdjudicateAccept, AdjudicateReject, AdjudicateFix, GuidelineGap,
                        NextDispute, NextOpen, ShowAdjudicated, ReviewDispute, ChooseRound,
                        EarlierGuidelines
                    ]
                },
            }
            Rounds(rounds RoundsPane) {
                tab: 9, name: "Rounds", short: "Round", go: "rounds", keys: ["9"],
                live: [[Rounds, Table, Global], [Form]],
                bar: {
                    Rounds: [Open, NewRound, WhatIf, CloseRound, ShowGuidelines],
                    Form: [CreateRound, FormNext, FormClose]
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
