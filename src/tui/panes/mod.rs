//! Panes: the screens that the tabs lead to. A pane is a module and a row of `panes!`.

pub mod adjudicate;
pub mod agreement;
pub mod board;
pub mod coverage;
pub mod filters;
pub mod forms;
pub mod generate;
pub mod home;
pub mod list;
pub mod metadata;
pub mod registry;
pub mod review;
pub mod rounds;
pub mod sheet;
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
/// - `about` and `example`: what the pane is for, and what it looks like, while it is empty
/// - `begin` and `does`: the action that begins, and what it does; with `needs_items`, a project
///   without items is led to Home instead
macro_rules! panes {
    ($with:ident) => {
        $with! {
            Home(home HomePane) {
                tab: Home, name: "Home", go: "home", keys: ["gh"],
                live: [[Home, Table, Global]],
                bar: { Home: [Open, ImportFiles, Go(PaneId::Export)] },
                about: "Home shows how far the project is, what to do next, and what others did.",
                example: [
                    " composed  ████████████████  24",
                    " judged    ██████            9"
                ],
                begin: Action::ImportFiles, does: "imports a file or folder",
                needs_items: false,
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
                about: "Vocabularies are lists of words that fill the slots of templates, such as `{animal}`.",
                example: [
                    "animal    24   red panda      12 items   1 rejected",
                    "color      9   teapot          3 items",
                    "place     14   - unicorn       disabled"
                ],
                begin: Action::AddTerm, does: "creates a vocabulary",
                needs_items: false,
            }
            Templates(templates TemplatesPane) {
                tab: Build, name: "Templates", go: "templates", keys: ["gp"],
                live: [[Templates, Metadata, Table, Global], [Editor]],
                bar: {
                    Templates: [TypeText, NextFile, ChooseFile, PreviewItem],
                    Editor: [StopTyping, SaveText, InsertSlot, UndoText, FindText]
                },
                about: "Templates turn the words of vocabularies into questions, options, and prompts for pictures.",
                example: [
                    "What is the {color} {animal} doing?",
                    "  A. {action}   B. {other action}",
                    "preview: What is the red panda doing?"
                ],
                begin: Action::TypeText, does: "types a template",
                needs_items: false,
            }
            Coverage(coverage CoveragePane) {
                tab: Build, name: "Coverage", go: "coverage", keys: ["gc"],
                live: [[Coverage, Table, Global]],
                bar: {
                    Coverage: [NextCount, ChooseRows, ChooseColumns, FailingTerms, RetireTerms]
                },
                about: "Coverage counts items by two properties, to show where more are needed.",
                example: [
                    "subtask    all   anime   photo   sketch",
                    "animal       8       3       4        1",
                    "counting     6       2       2        2",
                    "text        10       4       6        0"
                ],
                begin: Action::HomeTab, does: "opens Home, where you add items",
                needs_items: true,
            }
            Import(forms ImportPane) {
                tab: Build, name: "Import", go: "import", keys: ["gm"],
                live: [[Form]],
                bar: {},
                about: "Import adds the questions, answers, and pictures of a file or a folder.",
                example: [
                    "sets/   kites.csv: CSV table",
                    "24 items, 24 pictures"
                ],
                begin: Action::FormSubmit, does: "imports",
                needs_items: false,
            }
            Generate(generate GeneratePane) {
                tab: Make, name: "Jobs", go: "jobs", keys: ["gj"],
                live: [[Generate, Table, Global]],
                bar: {
                    Generate: [
                        NewJob, Go(PaneId::Scenario), PauseJob, RetryJob, JobFailures, CancelJob, JobUp, Go(PaneId::Models)
                    ]
                },
                about: "Jobs make the pictures of items, score them, and ask models, while you do something else.",
                example: [
                    "job  what                    done          left",
                    "  2  pictures by sdxl        14 of 24      2 min",
                    "  1  pictures as drafts      24 of 24      done"
                ],
                begin: Action::NewJob, does: "makes the pictures of items",
                needs_items: true,
            }
            Scenario(forms ScenarioPane) {
                tab: Make, name: "Scenario", go: "scenario", keys: ["gz"],
                live: [[Form]],
                bar: {},
                about: "Scenario makes an altered picture of each item: corrupted, or with a wrong word on it.",
                example: [
                    "24 pictures of 24 source pictures",
                    "48 new items in sample-corruption"
                ],
                begin: Action::FormSubmit, does: "starts the job",
                needs_items: false,
            }
            Models(forms ModelsPane) {
                tab: Make, name: "Models", go: "models", keys: ["gl"],
                live: [[Form]],
                bar: {},
                about: "Models says what makes pictures and what scores them: drafts, models here, or servers.",
                example: [
                    "generate.model: sdxl-base is not here",
                    "judge.endpoints: pictures go to http://127.0.0.1:8000"
                ],
                begin: Action::FormSubmit, does: "saves the settings",
                needs_items: false,
            }
            List(list ListPane) {
                tab: Check, name: "Items", go: "items", keys: ["gi"],
                live: [[List, Table, Global], [Table, Global]],
                bar: { List: [Find, FilterStatus, ClearFilter, Go(PaneId::Export)] },
                about: "Items lists all questions with their pictures; search, filter, sort, and select them here.",
                example: [
                    "  #  status    subtask    question",
                    "  1  accepted  animal     What is the red panda doing?",
                    "  2  pending   counting   How many kites are in the sky?"
                ],
                begin: Action::HomeTab, does: "opens Home, where you add items",
                needs_items: true,
            }
            Filters(filters FiltersPane) {
                tab: Check, name: "Filters", go: "filters", keys: ["gf"],
                live: [[Filters, Table, Global]],
                bar: {
                    Filters: [
                        ThresholdRight, SwitchThreshold, NextPart, SaveRules, ShowRules, NextScore,
                        StartScoring, TypeThreshold, Go(PaneId::Models)
                    ]
                },
                about: "Filters score all items with models and flag those beyond a threshold, for people to look at first.",
                example: [
                    "clip    18 |      ▂▅",
                    "        22 |  ▁▃▆█▇▅▂",
                    "flag below 21.5: 3 of 24 items"
                ],
                begin: Action::HomeTab, does: "opens Home, where you add items",
                needs_items: true,
            }
            Scoring(forms ScoringPane) {
                tab: Check, name: "Scoring", go: "scoring", keys: ["gq"],
                live: [[Form]],
                bar: {},
                about: "Scoring has a scorer give every item a number, and a rule flag the doubtful ones.",
                example: [
                    "scores 24 pictures with CLIP",
                    "rule: flag if clip below 25"
                ],
                begin: Action::FormSubmit, does: "starts the job",
                needs_items: false,
            }
            Review(review ReviewPane) {
                tab: Judge, name: "Review", go: "review", keys: ["gr"],
                live: [
                    [Review, Global],
                    [Round, Review, Global],
                    // Letters are answers even if they have a meaning in the review.
                    [Answers, Global],
                    [Region, Global],
                    // While the thread or the marks are open, their keys come first.
                    [Thread, Review, Global],
                    [Thread, Round, Review, Global],
                    [Mark, Review, Global],
                    [Mark, Round, Review, Global]
                ],
                bar: {
                    Review: [
                        Accept, Reject, Skip, Flag, Unsure, Next, Previous, NextPending, Explain,
                        ReviewFlagged, Pixels
                    ],
                    // The verdict keys are shown above the item.
                    Round: [RoundGuidelines, OwnPace, Help, Undo, Palette, Back],
                    Answers: [AnswerA, AnswerB, TypeAnswer],
                    Region: [RegionZoom, RegionCancel, RegionLeft, RegionRight, RegionNarrower, RegionWider],
                    Thread: [
                        WriteComment, ReplyComment, EditComment, DeleteComment, ResolveComment,
                        NextComment, Comments
                    ],
                    Mark: [PlaceMark, MarkCorner, RemoveMark, CommentMarks, LeaveMarks]
                },
                about: "Review shows one item after the other, and each key is a verdict.",
                example: [
                    "#7  What is the red panda doing?        pending",
                    "    A. sleeping   B. climbing",
                    "accept, reject with a reason, flag, or skip"
                ],
                begin: Action::HomeTab, does: "opens Home, where you add items",
                needs_items: true,
            }
            Sheet(sheet SheetPane) {
                tab: Judge, name: "Contact sheet", go: "contact sheet", keys: ["gs"],
                live: [[Sheet, Global]],
                bar: {
                    Sheet: [
                        AcceptSheet, SheetReject, SheetRejectAgain, SheetFlag, SheetSelect,
                        SheetOpen, NextSheet, NextOpenSheet, LargerPictures, SmallerPictures,
                        SheetTag, SheetMark, SheetScenario
                    ]
                },
                about: "Contact sheet shows many pictures at once: reject the odd ones, and accept the rest with one key.",
                example: [
                    "[ #1 red panda ]  [ #2 teapot  ]  [ #3 kites ]",
                    "[ #4 unicorn x ]  [ #5 red fox ]  [ #6 lamp  ]",
                    "enter accepts the rest: 5 items"
                ],
                begin: Action::HomeTab, does: "opens Home, where you add items",
                needs_items: true,
            }
            Rounds(rounds RoundsPane) {
                tab: Judge, name: "Rounds", go: "rounds", keys: ["go"],
                live: [[Rounds, Table, Global], [Form]],
                bar: {
                    Rounds: [
                        Open, NewRound, WhatIf, CloseRound, ShowGuidelines, Go(PaneId::People)
                    ],
                    Form: [FormSubmit, FormNext, FormCommand, FormClose]
                },
                about: "A round asks several annotators about the same items, blind to each other, to measure agreement.",
                example: [
                    "name    question           items   ann       bob",
                    "pilot   Is the item good?     24   20 of 24  24 of 24"
                ],
                begin: Action::NewRound, does: "creates a round",
                needs_items: true,
            }
            Adjudicate(adjudicate AdjudicatePane) {
                tab: Judge, name: "Adjudicate", go: "adjudicate", keys: ["gd"],
                live: [[Adjudicate, Global]],
                bar: {
                    Adjudicate: [
                        AdjudicateAccept, AdjudicateReject, AdjudicateFix, GuidelineGap,
                        NextDispute, NextOpen, ShowAdjudicated, ReviewDispute, ChooseRound,
                        EarlierGuidelines, AdjudicateTag, AdjudicateMark
                    ]
                },
                about: "Adjudicate shows the items on which annotators of a round differ, to settle each of them.",
                example: [
                    "pilot  1 of 3, 3 open",
                    "#7  ann accepts",
                    "    bob rejects: the panda is asleep"
                ],
                begin: Action::Go(PaneId::Rounds), does: "opens Rounds, where rounds begin",
                needs_items: false,
            }
            Agreement(agreement AgreementPane) {
                tab: Judge, name: "Agreement", go: "agreement", keys: ["gk"],
                live: [[Agreement, Table, Global]],
                bar: { Agreement: [GroupAgreement, AgreementRound, AgreementPart, CopyMethods] },
                about: "Agreement measures how often annotators say the same about an item, with intervals.",
                example: [
                    "            items   agree   kappa           alpha",
                    "all            24    92 %   0.81 [0.5, 1]   0.81",
                    "animal          8   100 %   1.00            1.00"
                ],
                begin: Action::Go(PaneId::Review), does: "opens the review, where verdicts are given",
                needs_items: false,
            }
            People(forms PeoplePane) {
                tab: Judge, name: "People", go: "people", keys: ["gt"],
                live: [[Form]],
                bar: {},
                about: "People says who works on the project, and who has the most left in open rounds.",
                example: [
                    "ann 20 of 24 in pilot, active today",
                    "bob 3 of 24 in pilot, idle 5 days"
                ],
                begin: Action::FormSubmit, does: "saves the change",
                needs_items: false,
            }
            Board(board BoardPane) {
                tab: Score, name: "Board", go: "board", keys: ["gb"],
                live: [
                    [Board, Table, Global],
                    [Breakdown, Table, Global],
                    [Drilldown, Table, Global],
                    [Answer, Drilldown, Table, Global]
                ],
                bar: {
                    Board: [
                        NextMeasure, BoardViews, CompareModels, BoardFilter, BoardCurated,
                        Go(PaneId::Evaluate), Go(PaneId::Export), BoardRule, ChooseMeasure,
                        ShowInterval
                    ],
                    Breakdown: [BreakDownBy, AddModels],
                    Drilldown: [OnlyWrong, WrongFirst],
                    Answer: [Open, LabelError, NextAnswer, PreviousAnswer, AnswerDown]
                },
                about: "The board compares the answers of models, by measure; each cell is the right answers of all.",
                example: [
                    "rank  model     all          animal     text",
                    "1     model-a   20 of 24     8 of 8     7 of 10",
                    "2=    model-b   17 of 24     6 of 8     6 of 10"
                ],
                begin: Action::Go(PaneId::Import), does: "imports answers of models; Evaluate asks a model",
                needs_items: true,
            }
            Evaluate(forms EvaluatePane) {
                tab: Score, name: "Evaluate", go: "evaluate", keys: ["ge"],
                live: [[Form]],
                bar: {},
                about: "Evaluate has a model asked the questions of the project, as a job.",
                example: [
                    "24 questions about 24 items",
                    "to http://127.0.0.1:8000, this machine"
                ],
                begin: Action::FormSubmit, does: "starts the job",
                needs_items: false,
            }
            Export(forms ExportPane) {
                tab: Score, name: "Export", go: "export", keys: ["gx"],
                live: [[Form]],
                bar: {},
                about: "Export writes items, pictures, and answers in the format of another tool.",
                example: [
                    "24 items, 24 pictures",
                    "to exports/vlmevalkit/"
                ],
                begin: Action::FormSubmit, does: "exports",
                needs_items: false,
            }
            Release(forms ReleasePane) {
                tab: Score, name: "Release", go: "release", keys: ["gy"],
                live: [[Form]],
                bar: {},
                about: "Release writes the accepted items with statistics and a datasheet to a folder that never changes.",
                example: [
                    "24 items, 24 pictures",
                    "to releases/v1/"
                ],
                begin: Action::FormSubmit, does: "releases",
                needs_items: false,
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
