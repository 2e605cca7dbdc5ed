//! The table of all actions. The key bar, help page, command palette, keymap, and `docs/keys.md`
//! are generated from it.

use crate::pane::id::{PaneId, Tab};
use crate::panes::panes;

macro_rules! scopes {
    ($($pane:ident $type:tt $row:tt)*) => {
        /// Where the keys of an action work. Each pane has its own scope, and shares those of
        /// overlays and `Global`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Scope {
            /// Everywhere, unless a nearer scope uses the key.
            Global,
            /// The review pane during a round.
            Round,
            /// The review pane during a round that asks for answers.
            Answers,
            /// The review pane while a region of the picture is selected.
            Region,
            /// The review pane with the comments on its item.
            Thread,
            /// The review pane while its pictures are marked.
            Mark,
            /// All tables: Items, Board, and the tables opened from them.
            Table,
            /// The breakdowns and comparisons of the board.
            Breakdown,
            /// The list of answers behind a board cell.
            Drilldown,
            /// The answers of all models to one question.
            Answer,
            /// The vocabularies and templates panes.
            Metadata,
            /// A text editor: all other keys insert text.
            Editor,
            /// A form: all other keys insert text.
            Form,
            /// A menu or page over a pane.
            Overlay,
            $($pane,)*
        }

        impl Scope {
            /// Heading on the help page.
            pub fn title(self) -> &'static str {
                match self {
                    Scope::Global => "Everywhere",
                    Scope::Round => "Review in a round",
                    Scope::Answers => "Review in a round that asks for answers",
                    Scope::Region => "Review: selecting a region",
                    Scope::Thread => "Review with comments",
                    Scope::Mark => "Review while marking a picture",
                    Scope::Table => "Tables",
                    Scope::Breakdown => "Board: breakdowns and comparisons",
                    Scope::Drilldown => "Board: answers behind a cell",
                    Scope::Answer => "Board: answers to one question",
                    Scope::Metadata => "Vocabularies and templates",
                    Scope::Editor => "Text editor",
                    Scope::Form => "Forms",
                    Scope::Overlay => "Menus and pages",
                    $(Scope::$pane => PaneId::$pane.info().name,)*
                }
            }
        }
    };
}

panes!(scopes);

macro_rules! actions {
    ($($(#[doc = $doc:literal])* $variant:ident, $name:literal, $scope:ident, [$($key:literal),*], $undo:literal, $hint:literal;)*) => {
        /// A user action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $(#[doc = $hint] $variant,)*
            /// Goes to a pane.
            Go(PaneId),
        }

        impl Action {
            const ROWS: &'static [Action] = &[$(Action::$variant,)*];

            /// The name in the command palette, in key files, and in the key reference.
            pub fn name(self) -> &'static str {
                match self {
                    $(Action::$variant => $name,)*
                    Action::Go(pane) => pane.info().go.0,
                }
            }

            pub fn help(self) -> &'static str {
                match self {
                    $(Action::$variant => $hint,)*
                    Action::Go(pane) => pane.info().go.1,
                }
            }

            /// Where its keys work.
            pub fn scope(self) -> Scope {
                match self {
                    $(Action::$variant => Scope::$scope,)*
                    Action::Go(_) => Scope::Global,
                }
            }

            /// Its default keys, as [`super::keymap::Chord`] parses them.
            pub fn keys(self) -> &'static [&'static str] {
                match self {
                    $(Action::$variant => &[$($key),*],)*
                    Action::Go(pane) => pane.info().go.2,
                }
            }

            /// Whether `undo` takes it back.
            pub fn undoable(self) -> bool {
                match self {
                    $(Action::$variant => $undo,)*
                    Action::Go(_) => false,
                }
            }
        }
    };
}

/// The rows of the table and, after `redo`, the actions that go to panes.
const fn all() -> [Action; Action::ROWS.len() + PaneId::ALL.len()] {
    let mut all = [Action::Redo; Action::ROWS.len() + PaneId::ALL.len()];
    let (mut at, mut row) = (0, 0);
    while row < Action::ROWS.len() {
        all[at] = Action::ROWS[row];
        at += 1;
        let mut pane = 0;
        while matches!(Action::ROWS[row], Action::Redo) && pane < PaneId::ALL.len() {
            all[at] = Action::Go(PaneId::ALL[pane]);
            (at, pane) = (at + 1, pane + 1);
        }
        row += 1;
    }
    all
}

impl Action {
    /// The tab that it opens.
    pub fn tab(self) -> Option<Tab> {
        Tab::ALL.into_iter().find(|tab| tab.action() == self)
    }

    /// All actions, in the order of the help page.
    pub const ALL: &'static [Action] = &all();

    /// Whether the action prompts for text or a choice. If it is refused, keys typed ahead must not
    /// act as commands.
    pub fn prompts(self) -> bool {
        use Action::{
            AddTerm, AdjudicateAccept, AdjudicateFix, AdjudicateReject, AdjudicateTag, BoardFilter,
            CommentMarks, EditAnnotators, EditComment, EditItem, Find, GoToItem, GuidelineGap,
            JudgeAll, NewVocabulary, Note, PlaceMark, Reject, RenameTerm, ReplaceText,
            ReplyComment, ReviewFlagged, SelectRegex, SheetReject, SheetTag, Tag, TypeAnswer,
            TypeThreshold, UnselectRegex, WriteComment,
        };
        matches!(
            self,
            Reject
                | SheetReject
                | SheetTag
                | Note
                | Tag
                | WriteComment
                | ReplyComment
                | EditComment
                | PlaceMark
                | CommentMarks
                | Find
                | TypeAnswer
                | EditItem
                | ReviewFlagged
                | JudgeAll
                | AdjudicateAccept
                | AdjudicateTag
                | AdjudicateReject
                | AdjudicateFix
                | GuidelineGap
                | EditAnnotators
                | SelectRegex
                | UnselectRegex
                | BoardFilter
                | TypeThreshold
                | AddTerm
                | RenameTerm
                | ReplaceText
                | NewVocabulary
                | GoToItem
        )
    }
}

/// Names of actions in earlier versions, still accepted in key files and found by the palette.
pub const OLD_NAMES: &[(&str, Action)] = &[
    ("picture difference", Action::PictureDifference),
    ("doubtful items", Action::ReviewFlagged),
    ("go on", Action::Continue),
    ("guidelines", Action::RoundGuidelines),
    ("own pace", Action::OwnPace),
    ("width", Action::ResizeColumn),
    ("subset", Action::ShowSelected),
    ("measures", Action::ChooseMeasure),
    ("curated", Action::BoardCurated),
    ("reading rule", Action::BoardRule),
    ("printed rows", Action::BoardPrinted),
    ("breakdown", Action::BoardViews),
    ("how sure", Action::ShowInterval),
    ("rules differ", Action::CompareRules),
    ("answer down", Action::AnswerDown),
    ("answer up", Action::AnswerUp),
    ("difference", Action::Difference),
    ("settle conflict", Action::Resolve),
    ("preview or findings", Action::ToggleSidebar),
    ("seed down", Action::SeedDown),
    ("seed up", Action::SeedUp),
    ("compose again", Action::Recompose),
    ("disable or enable", Action::ToggleTerm),
    ("rules of a term", Action::TermRules),
    ("show terms", Action::ShowTerms),
    ("type", Action::TypeText),
    ("other file", Action::NextFile),
    ("find again", Action::FindAgain),
    ("rows", Action::ChooseRows),
    ("columns", Action::ChooseColumns),
    ("swap", Action::SwapAxes),
    ("job up", Action::JobUp),
    ("job down", Action::JobDown),
    ("failures", Action::JobFailures),
    ("batch size", Action::JobBatch),
    ("most a minute", Action::JobRate),
    ("line left", Action::ThresholdLeft),
    ("line right", Action::ThresholdRight),
    ("line far left", Action::ThresholdFarLeft),
    ("line far right", Action::ThresholdFarRight),
    ("a bit left", Action::NudgeLeft),
    ("a bit right", Action::NudgeRight),
    ("flag or park line", Action::SwitchThreshold),
    ("remove line", Action::RemoveThreshold),
    ("groups left", Action::GroupLeft),
    ("groups right", Action::GroupRight),
    ("own line", Action::OwnThreshold),
    ("rules", Action::ShowRules),
    ("rules before", Action::RestoreRules),
    ("settle rules", Action::ResolveRules),
    ("score", Action::StartScoring),
    ("rows by", Action::GroupAgreement),
    ("of round", Action::AgreementRound),
    ("accept it", Action::AdjudicateAccept),
    ("reject it", Action::AdjudicateReject),
    ("fix it", Action::AdjudicateFix),
    ("next to settle", Action::NextOpen),
    ("look closer", Action::ReviewDispute),
    ("other of the pair", Action::OtherSide),
    ("verdicts down", Action::VerdictsDown),
    ("verdicts up", Action::VerdictsUp),
    ("text down", Action::TextDown),
    ("text up", Action::TextUp),
    ("people of a round", Action::EditAnnotators),
    ("make round", Action::FormSubmit),
    ("create round", Action::FormSubmit),
    ("review", Action::Go(PaneId::Review)),
    ("items", Action::Go(PaneId::List)),
    ("leaderboard", Action::Go(PaneId::Board)),
    ("vocabularies", Action::Go(PaneId::Vocabulary)),
    ("templates", Action::Go(PaneId::Templates)),
    ("coverage", Action::Go(PaneId::Coverage)),
    ("generate", Action::Go(PaneId::Generate)),
    ("go to generate", Action::Go(PaneId::Generate)),
    ("filters", Action::Go(PaneId::Filters)),
    ("agreement", Action::Go(PaneId::Agreement)),
    ("adjudication", Action::Go(PaneId::Adjudicate)),
    ("rounds", Action::Go(PaneId::Rounds)),
    ("sample", Action::Sample),
    ("theme", Action::Theme),
    ("take", Action::MenuConfirm),
    ("true pixels", Action::Pixels),
    ("other picture", Action::OtherPicture),
    ("frequency", Action::Frequency),
    ("only wrong", Action::OnlyWrong),
    ("wrong first", Action::WrongFirst),
    ("guideline gap", Action::GuidelineGap),
    ("row detail", Action::AgreementPart),
    ("failing terms", Action::FailingTerms),
    ("what if", Action::WhatIf),
    ("other side", Action::OtherSample),
    ("only this group", Action::OnlyGroup),
    ("earlier guidelines", Action::EarlierGuidelines),
    ("next count", Action::NextCount),
    ("next scale", Action::NextScale),
    ("next part", Action::NextPart),
    ("next area", Action::NextArea),
];

actions! {
    // Verdicts.
    Accept, "accept", Review, ["a"], true, "Accept the item";
    Reject, "reject", Review, ["x"], true, "Reject the item, with a reason";
    Skip, "skip", Review, ["s"], true, "Skip the item for now";
    Flag, "flag", Review, ["f"], true, "Flag the item for another look";
    Unsure, "unsure", Review, ["m"], true, "Mark the item as unsure and flag it for another look";
    Note, "note", Review, ["N"], false, "Write a note that the next verdict on this item carries";
    Next, "next", Review, ["n", "j", "right", "down", "space"], false, "Go to the next item";
    Previous, "previous", Review, ["p", "k", "left", "up"], false, "Go to the previous item";
    FirstItem, "first item", Review, ["home", "gg"], false, "Go to the first item of the queue";
    LastItem, "last item", Review, ["end", "G"], false, "Go to the last item of the queue";
    ScrollDown, "scroll down", Review, ["pgdn"], false, "Scroll the text down";
    ScrollUp, "scroll up", Review, ["pgup"], false, "Scroll the text up";
    NextPending, "next pending", Review, ["tab"], false, "Go to the next item without a verdict";
    Pixels, "toggle pixels", Review, ["z"], false, "Toggle true pixels for the picture";
    ZoomIn, "zoom in", Review, ["+", "="], false, "Zoom in 2x (both pictures of a pair)";
    ZoomOut, "zoom out", Review, ["-"], false, "Zoom out 2x";
    PanLeft, "pan left", Review, ["H", "shift-left"], false, "Pan left by a quarter of the view";
    PanDown, "pan down", Review, ["J", "shift-down"], false, "Pan down by a quarter of the view";
    PanUp, "pan up", Review, ["K", "shift-up"], false, "Pan up by a quarter of the view";
    PanRight, "pan right", Review, ["L", "shift-right"], false, "Pan right by a quarter of the view";
    SelectRegion, "select region", Review, ["Z"], false, "Select a region of the picture to zoom to";
    Blink, "blink", Review, ["b"], false, "Blink between the two pictures of a pair; any other key stops";
    OtherPicture, "cycle pictures", Review, ["v"], false, "Cycle through both pictures of a pair, the first, the second";
    PictureDifference, "show difference", Review, ["D"], false, "Highlight where the two pictures of a pair differ by at least 16 of 255";
    ShowSamples, "show all samples", Review, ["i"], false, "Show all pictures that were generated for the item, as a contact sheet";
    ShowScenario, "show scenario", Review, ["V"], false, "Show what a scenario made of this picture, or of its data set, in rows with labels";
    Explain, "explain", Review, ["e"], false, "Explain why the item is flagged or not: scores, thresholds, judge output";
    ShowLineage, "show lineage", Review, ["o"], false, "Show where the item comes from: terms, template, prompt, picture, edit, question";
    ShowTranscript, "show transcript", Review, ["R"], false, "Show the requests that the item was made with, their answers, and what was decided";
    EditItem, "edit item", Review, ["E"], false, "Edit the question, options, or answer; the item is then judged anew";
    ReviewFlagged, "review flagged", Review, ["d"], false, "Review the flagged items in an order that you choose";
    Comments, "comments", Review, ["C"], false, "Show the comments on the item, or hide them";
    Tag, "tag", Review, ["T"], false, "Choose tags that the next verdict on this item carries";
    MarkPicture, "mark picture", Review, ["M"], false, "Mark points and boxes on the picture, for a comment or the next verdict";

    // Comments on an item.
    NextComment, "next comment", Thread, ["j", "down"], false, "Go to the next comment";
    PreviousComment, "previous comment", Thread, ["k", "up"], false, "Go to the previous comment";
    WriteComment, "write comment", Thread, ["w", "enter"], true, "Write a comment on the item";
    ReplyComment, "reply", Thread, ["r"], true, "Reply to this comment";
    EditComment, "edit comment", Thread, ["E"], true, "Edit this comment of yours";
    DeleteComment, "delete comment", Thread, ["X", "delete"], true, "Delete this comment of yours";
    ResolveComment, "resolve comment", Thread, ["o"], true, "Mark this comment as resolved, or as open again";
    CloseComments, "close comments", Thread, ["q", "esc"], false, "Show the item's text again";

    // Marks on a picture.
    MarkLeft, "mark left", Mark, ["h", "left"], false, "Move one cell left";
    MarkDown, "mark down", Mark, ["j", "down"], false, "Move one cell down";
    MarkUp, "mark up", Mark, ["k", "up"], false, "Move one cell up";
    MarkRight, "mark right", Mark, ["l", "right"], false, "Move one cell right";
    MarkFarLeft, "mark far left", Mark, ["H", "shift-left"], false, "Move eight cells left";
    MarkFarDown, "mark far down", Mark, ["J", "shift-down"], false, "Move eight cells down";
    MarkFarUp, "mark far up", Mark, ["K", "shift-up"], false, "Move eight cells up";
    MarkFarRight, "mark far right", Mark, ["L", "shift-right"], false, "Move eight cells right";
    MarkCorner, "mark corner", Mark, ["space"], false, "Begin a box at this corner, or drop it";
    PlaceMark, "place mark", Mark, ["enter"], false, "Place the point, or the box from its corner to here, and label it";
    RemoveMark, "remove mark", Mark, ["backspace"], false, "Remove the mark that was placed last";
    CommentMarks, "comment on marks", Mark, ["w"], true, "Write a comment with the marks";
    LeaveMarks, "leave marks", Mark, ["M", "q", "esc"], false, "Stop marking; the next verdict on the item carries the marks";

    // Selecting a region.
    RegionZoom, "zoom to region", Region, ["enter"], false, "Zoom to the region";
    RegionCancel, "cancel region", Region, ["esc", "q"], false, "Select no region";
    RegionLeft, "region left", Region, ["h", "left"], false, "Move the region left";
    RegionDown, "region down", Region, ["j", "down"], false, "Move the region down";
    RegionUp, "region up", Region, ["k", "up"], false, "Move the region up";
    RegionRight, "region right", Region, ["l", "right"], false, "Move the region right";
    RegionNarrower, "narrower region", Region, ["H", "shift-left"], false, "Make the region narrower";
    RegionTaller, "taller region", Region, ["J", "shift-down"], false, "Make the region taller";
    RegionShorter, "shorter region", Region, ["K", "shift-up"], false, "Make the region shorter";
    RegionWider, "wider region", Region, ["L", "shift-right"], false, "Make the region wider";

    // Contact sheet.
    AcceptSheet, "accept the rest", Sheet, ["enter", "y"], true, "Accept all other pictures of the sheet that were painted, and go to the next sheet";
    SheetAccept, "accept picture", Sheet, ["a"], true, "Accept the selected pictures or this one";
    SheetReject, "reject picture", Sheet, ["x"], true, "Reject the selected pictures or this one, with a reason";
    SheetRejectAgain, "reject again", Sheet, ["X"], true, "Reject the selected pictures or this one for the last reason";
    SheetFlag, "flag picture", Sheet, ["f"], true, "Flag the selected pictures or this one for another look";
    SheetTag, "tag picture", Sheet, ["T"], false, "Choose tags that the next verdict on the selected pictures or this one carries";
    SheetMark, "mark in review", Sheet, ["M"], false, "Open this item in the Review pane, where its picture can be marked; back returns here";
    SheetSelect, "select picture", Sheet, ["space"], false, "Select or unselect this picture";
    SheetLeft, "left picture", Sheet, ["h", "left"], false, "Go one picture left";
    SheetRight, "right picture", Sheet, ["l", "right"], false, "Go one picture right";
    SheetDown, "lower picture", Sheet, ["j", "down"], false, "Go one picture down";
    SheetUp, "upper picture", Sheet, ["k", "up"], false, "Go one picture up";
    NextSheet, "next sheet", Sheet, ["n", "pgdn"], false, "Go to the next sheet without a verdict";
    PreviousSheet, "previous sheet", Sheet, ["p", "pgup"], false, "Go to the previous sheet";
    FirstSheet, "first sheet", Sheet, ["home", "gg"], false, "Go to the first sheet of the queue";
    LastSheet, "last sheet", Sheet, ["end", "G"], false, "Go to the last sheet of the queue";
    NextOpenSheet, "next pending sheet", Sheet, ["tab"], false, "Go to the next sheet with an item without a verdict";
    LargerPictures, "larger pictures", Sheet, ["+", "="], false, "Show fewer and larger pictures";
    SmallerPictures, "smaller pictures", Sheet, ["-"], false, "Show more and smaller pictures";
    SheetOpen, "open in review", Sheet, ["o", "e"], false, "Open this item in the Review pane; back returns here";
    SheetSamples, "show samples", Sheet, ["i"], false, "Show all pictures that were generated for this item";
    SheetScenario, "scenario sheet", Sheet, ["v"], false, "Show what a scenario made of this picture, or of its data set, in rows with labels";
    SheetPixels, "toggle sheet pixels", Sheet, ["z"], false, "Toggle true pixels for the picture under the cursor";

    // Review in a round.
    Continue, "continue", Round, ["enter"], false, "Continue with the next item";
    RoundGuidelines, "show guidelines", Round, ["r"], false, "Show the round's guidelines beside the item";
    OwnPace, "show own pace", Round, ["t"], false, "Show your speed and consistency (private)";

    // Answers in a round.
    AnswerA, "answer A", Answers, ["a"], true, "Answer with the first option";
    AnswerB, "answer B", Answers, ["b"], true, "Answer with the second option";
    AnswerC, "answer C", Answers, ["c"], true, "Answer with the third option";
    AnswerD, "answer D", Answers, ["d"], true, "Answer with the fourth option";
    AnswerE, "answer E", Answers, ["e"], true, "Answer with the fifth option";
    AnswerYes, "answer yes", Answers, ["y"], true, "Answer yes";
    AnswerNo, "answer no", Answers, ["n"], true, "Answer no";
    TypeAnswer, "type answer", Answers, ["enter"], true, "Type an answer or the letter of an option";

    // Tables.
    Down, "down", Table, ["j", "down"], false, "Move one row down";
    Up, "up", Table, ["k", "up"], false, "Move one row up";
    Left, "left", Table, ["h", "left"], false, "Move one column left";
    Right, "right", Table, ["l", "right"], false, "Move one column right";
    PageDown, "page down", Table, ["pgdn", "ctrl-f"], false, "Move one page down";
    PageUp, "page up", Table, ["pgup", "ctrl-b"], false, "Move one page up";
    Top, "top", Table, ["home", "gg"], false, "Go to the first row";
    Bottom, "bottom", Table, ["end", "G"], false, "Go to the last row";
    Open, "open", Table, ["enter"], false, "Open the row or cell";
    SortAscending, "sort ascending", Table, ["["], false, "Sort by this column, smallest first";
    SortDescending, "sort descending", Table, ["]"], false, "Sort by this column, largest first";
    ThenAscending, "then ascending", Table, ["z["], false, "Add this column to the sort keys, smallest first";
    ThenDescending, "then descending", Table, ["z]"], false, "Add this column to the sort keys, largest first";
    Pin, "pin", Table, ["!"], false, "Pin or unpin this column on the left";
    Hide, "hide", Table, ["-"], false, "Hide this column";
    Unhide, "unhide", Table, ["gv"], false, "Show all hidden columns";
    ResizeColumn, "resize column", Table, ["_"], false, "Fit this column to its text, or narrow it again";
    GoToColumn, "go to column", Table, ["c"], false, "Go to a column by name";
    Frequency, "count values", Table, ["F"], false, "Count how often each value of this column occurs";
    Describe, "describe", Table, ["I"], false, "Summarize each column";
    Select, "select", Table, ["t", "space"], false, "Select or unselect this row";
    SelectRegex, "select by regex", Table, ["|"], false, "Select rows whose cell in this column matches a regex";
    UnselectRegex, "unselect by regex", Table, ["\\"], false, "Unselect rows whose cell in this column matches a regex";
    SelectLike, "select like this", Table, [","], false, "Select rows with the same value in this column";
    SelectNone, "select none", Table, ["gu"], false, "Unselect all rows";
    ShowSelected, "show selected", Table, ["\""], false, "Toggle between the selected rows and all rows";
    CopyRow, "copy row", Table, ["Y"], false, "Copy this row as tab-separated values";
    CopyTable, "copy table", Table, ["gY"], false, "Copy the selected rows or the whole table as TSV, CSV, Markdown, or LaTeX";

    // Items.
    ClearFilter, "clear filter", List, ["X"], false, "Clear the search and the filter";
    FilterStatus, "filter by status", List, ["fs"], false, "Show items of one status";
    FilterSubtask, "filter by subtask", List, ["ft"], false, "Show items of one subtask";
    FilterType, "filter by type", List, ["fy"], false, "Show items of one question type";
    JudgeAll, "judge all shown", List, ["ga"], true, "Give all shown or selected items one verdict, after a preview";

    // Board.
    NextMeasure, "next measure", Board, ["tab"], false, "Go to the next group of columns";
    PreviousMeasure, "previous measure", Board, ["shift-tab"], false, "Go to the previous group of columns";
    ChooseMeasure, "choose measure", Board, ["m"], false, "Choose a group of columns: subtask, type, style, level, scenario, ...";
    BoardFilter, "filter questions", Board, ["f"], false, "Score only the questions that match a filter";
    BoardCurated, "choose items", Board, ["a"], false, "Score all items, accepted items, or items accepted in a round";
    BoardRule, "choose rule", Board, ["r"], false, "Choose the extraction rule: each question's own, or one for all";
    BoardPrinted, "show published figures", Board, ["p"], false, "Show published figures as dimmed rows: none, one paper, or all";
    BoardViews, "break down", Board, ["v"], false, "Break the model down by style, type, scenario, or another group of columns; the selected models side by side";
    CompareModels, "compare", Board, ["x"], false, "Mark this model, or compare it with the marked one; compare the selected models";
    ShowInterval, "show interval", Board, ["s"], false, "Show the confidence intervals of this cell: Wilson and cluster bootstrap";
    CompareRules, "compare rules", Board, ["D"], false, "List the answers that another extraction rule reads differently";

    // Breakdowns and comparisons.
    BreakDownBy, "break down by", Breakdown, ["v"], false, "Break these models down by style, type, scenario, or another group of columns";
    AddModels, "add models", Breakdown, ["x"], false, "Show other models beside these";

    // Answers behind a cell.
    OnlyWrong, "show only wrong", Drilldown, ["w"], false, "Toggle between wrong answers and all answers";
    WrongFirst, "sort wrong first", Drilldown, ["o"], false, "Toggle between wrong answers first and data set order";

    // Answers to one question.
    NextAnswer, "next answer", Answer, ["n"], false, "Go to the next answer in the list";
    PreviousAnswer, "previous answer", Answer, ["p"], false, "Go to the previous answer in the list";
    LabelError, "label the error", Answer, ["e"], true, "Say what went wrong in this answer";
    AnswerDown, "scroll answer down", Answer, ["J", "shift-down"], false, "Scroll the selected answer down";
    AnswerUp, "scroll answer up", Answer, ["K", "shift-up"], false, "Scroll the selected answer up";

    // Vocabularies and templates.
    SaveMetadata, "save", Metadata, ["ctrl-s", "w"], false, "Save all changed files, after a preview of the affected items";
    Difference, "show diff", Metadata, ["="], false, "Show the unsaved changes line by line";
    Revert, "revert file", Metadata, ["X"], true, "Discard the edits of this file";
    Resolve, "resolve conflict", Metadata, ["M"], false, "Resolve a conflict with a file that changed on disk: mine, theirs, diff";
    EditOutside, "edit in $EDITOR", Metadata, ["e"], false, "Open this file at this line in your editor";
    NextArea, "focus next area", Metadata, ["tab"], false, "Focus the next part of the pane";
    ToggleSidebar, "toggle sidebar", Metadata, ["v"], false, "Cycle the sidebar: preview, findings, none";
    SeedDown, "previous seed", Metadata, ["<"], false, "Preview the questions of the previous seed";
    SeedUp, "next seed", Metadata, [">"], false, "Preview the questions of the next seed";
    Recompose, "recompose", Metadata, ["C"], false, "Recompose stale items, after a preview";
    NextFinding, "next finding", Metadata, ["n"], false, "Go to the next finding in this file";
    PreviousFinding, "previous finding", Metadata, ["N"], false, "Go to the previous finding in this file";

    // Vocabularies.
    AddTerm, "add term", Vocabulary, ["a"], true, "Add a term before this one";
    RenameTerm, "rename term", Vocabulary, ["r"], true, "Rename this term";
    ToggleTerm, "toggle terms", Vocabulary, ["d"], true, "Disable or enable the selected terms or this one";
    RemoveTerm, "remove terms", Vocabulary, ["x"], true, "Remove the selected terms or this one";
    TermDown, "move term down", Vocabulary, ["J"], true, "Move this term one line down";
    TermUp, "move term up", Vocabulary, ["K"], true, "Move this term one line up";
    MoveTerms, "move to vocabulary", Vocabulary, ["m"], true, "Move the selected terms or this one to another vocabulary";
    ReplaceText, "replace text", Vocabulary, ["R"], true, "Replace text in the selected terms or in all shown terms";
    NewVocabulary, "new vocabulary", Vocabulary, ["ctrl-n"], true, "Create a vocabulary file";
    TermRules, "edit term rules", Vocabulary, ["W"], true, "Add a compatibility rule for these terms, or go to one";
    ShowTerms, "filter terms", Vocabulary, ["f"], false, "Show all terms, or only changed, disabled, or reported ones";

    // Templates.
    TypeText, "edit text", Templates, ["i"], false, "Edit the text; esc stops";
    NextFile, "next file", Templates, ["o"], false, "Switch between templates, styles, compatibility rules, and prompts of judges and writers";
    ChooseFile, "choose file", Templates, ["O"], false, "Choose the file to edit from a list";
    PreviewItem, "preview item", Templates, ["I"], false, "Choose the item that a prompt is previewed with, by number or id";

    // Text editor.
    StopTyping, "stop typing", Editor, ["esc"], false, "Stop typing and return to the pane's keys";
    SaveText, "save text", Editor, ["ctrl-s"], false, "Save all changed files, after a preview of the affected items";
    UndoText, "undo typing", Editor, ["ctrl-u"], false, "Undo the last word typed";
    RedoText, "redo typing", Editor, ["ctrl-r"], false, "Redo the last undone word";
    InsertSlot, "insert slot", Editor, ["ctrl-t"], false, "Insert a slot at the cursor";
    FindText, "find text", Editor, ["ctrl-f"], false, "Find text";
    FindAgain, "find next", Editor, ["ctrl-g"], false, "Go to the next match";
    MarkText, "mark text", Editor, ["ctrl-b"], false, "Start or drop a selection here; shift with arrows selects too";
    CutText, "cut text", Editor, ["ctrl-x"], true, "Cut the selection or this line";
    CopyText, "copy text", Editor, ["ctrl-y"], false, "Copy the selection or this line";
    PasteText, "paste text", Editor, ["ctrl-v"], true, "Paste the text that was cut or copied";

    // Coverage.
    NextCount, "cycle count", Coverage, ["tab"], false, "Color cells by the next count: items, accepted, acceptance rate, flagged, pending";
    ChooseRows, "choose rows", Coverage, ["r"], false, "Choose the row axis";
    ChooseColumns, "choose columns", Coverage, ["o"], false, "Choose the column axis";
    SwapAxes, "swap axes", Coverage, ["x"], false, "Swap rows and columns";
    FailingTerms, "show failing terms", Coverage, ["f"], false, "Toggle between the map and the terms whose items fail most";
    RetireTerms, "retire terms", Coverage, ["d"], true, "Disable the selected terms and reject their items, after a preview";

    // Generate.
    NewJob, "new job", Generate, ["n"], false, "Generate missing pictures or those of a filter, after a preview";
    PauseJob, "pause or resume", Generate, ["p", "space"], false, "Pause or resume this job";
    CancelJob, "cancel job", Generate, ["x"], false, "Cancel this job and keep its pictures";
    RetryJob, "retry", Generate, ["r"], false, "Retry the failed pictures of this job";
    JobUp, "move job up", Generate, ["K"], false, "Move this job one place up in the queue";
    JobDown, "move job down", Generate, ["J"], false, "Move this job one place down in the queue";
    JobFailures, "show failures", Generate, ["f"], false, "Toggle between the jobs and this job's failed pictures";
    JobBatch, "set batch size", Generate, ["b"], false, "Set the number of pictures in one batch";
    JobRate, "set rate limit", Generate, ["m"], false, "Set the maximum number of pictures per minute";
    JobBudget, "set budget", Generate, ["B"], false, "Set the requests, tokens, and money that this job may spend on servers";
    RemoveJob, "remove job", Generate, ["D"], false, "Remove a finished job from the list";

    // Filters.
    ThresholdLeft, "move threshold left", Filters, ["left", "h"], false, "Move the threshold one bar left";
    ThresholdRight, "move threshold right", Filters, ["right", "l"], false, "Move the threshold one bar right";
    ThresholdFarLeft, "move threshold far left", Filters, ["H", "shift-left"], false, "Move the threshold ten bars left";
    ThresholdFarRight, "move threshold far right", Filters, ["L", "shift-right"], false, "Move the threshold ten bars right";
    NudgeLeft, "nudge threshold left", Filters, [","], false, "Move the threshold a tenth of a bar left";
    NudgeRight, "nudge threshold right", Filters, ["."], false, "Move the threshold a tenth of a bar right";
    TypeThreshold, "type threshold", Filters, ["="], false, "Type a value for the threshold";
    SwitchThreshold, "switch threshold", Filters, ["f"], false, "Switch between the flag threshold and the quarantine threshold";
    RemoveThreshold, "remove threshold", Filters, ["-"], false, "Remove this threshold, or this rule in the list of rules";
    NextScore, "next score", Filters, ["n"], false, "Show the next score";
    PreviousScore, "previous score", Filters, ["N"], false, "Show the previous score";
    NextScale, "cycle scale", Filters, ["c"], false, "Show CLIP and SigLIP as logit, cosine, or CLIPScore";
    NextPart, "focus next part", Filters, ["tab"], false, "Focus the groups, the pictures at the threshold, or the comparison";
    GroupBy, "group by", Filters, ["b"], false, "Group by subtask, style, or type";
    GroupAcross, "group across", Filters, ["B"], false, "Split the groups by a second property: style, type, subtask, or none";
    GroupLeft, "scroll groups left", Filters, ["("], false, "Scroll the groups one column left";
    GroupRight, "scroll groups right", Filters, [")"], false, "Scroll the groups one column right";
    OnlyGroup, "show only group", Filters, ["o"], false, "Toggle the histogram between this group and all items";
    OwnThreshold, "toggle own threshold", Filters, ["t"], false, "Add or remove a separate threshold for this subtask";
    ChoosePair, "compare with", Filters, ["v"], false, "Compare this score with another one";
    OtherSample, "show other side", Filters, ["space"], false, "Show the picture on the other side of the threshold";
    ShowRules, "show rules", Filters, ["R"], false, "Toggle between the rules and the histogram";
    SaveRules, "save rules", Filters, ["w", "ctrl-s"], false, "Save the edited rules to benchtop.toml, after a preview";
    RestoreRules, "restore rules", Filters, ["X"], false, "Restore the previous rules, after a confirmation";
    ResolveRules, "resolve rules", Filters, ["M"], false, "Discard the rule edits, or keep them over a file that changed";
    EditRules, "edit rules", Filters, ["e"], false, "Open the rules in benchtop.toml in your editor";
    StartScoring, "start scoring", Filters, ["s"], false, "Score items with this scorer, after a preview";
    PauseScoring, "pause or resume scoring", Filters, ["p"], false, "Pause or resume this scorer's job";
    CancelScoring, "cancel scoring", Filters, ["x"], false, "Cancel this scorer's job and keep its scores";
    RetryScoring, "retry scoring", Filters, ["r"], false, "Retry the failed and unparsed scores";

    // Agreement.
    GroupAgreement, "group rows", Agreement, ["b"], false, "Group rows by annotator pair, subtask, type, level, style, or filter outcome";
    AgreementRound, "filter by round", Agreement, ["r"], false, "Show one round, or the verdicts outside of rounds";
    AgreementPart, "show row detail", Agreement, ["tab"], false, "Show the row's intervals, its table, the annotators, or the methods paragraph";
    CopyMethods, "copy methods", Agreement, ["m"], false, "Copy the methods paragraph with all numbers";
    // Adjudicate.
    AdjudicateAccept, "accept item", Adjudicate, ["a"], true, "Settle the item as accepted, with a note";
    AdjudicateReject, "reject item", Adjudicate, ["x"], true, "Settle the item as rejected, with a reason";
    AdjudicateFix, "fix item", Adjudicate, ["c"], true, "Settle the item as to be fixed, with a note";
    GuidelineGap, "record guideline gap", Adjudicate, ["G"], true, "Record a gap in the guidelines and open them in your editor";
    NextDispute, "next dispute", Adjudicate, ["n", "j", "right", "down", "space"], false, "Go to the next disputed item";
    PreviousDispute, "previous dispute", Adjudicate, ["p", "k", "left", "up"], false, "Go to the previous disputed item";
    NextOpen, "next unsettled", Adjudicate, ["tab"], false, "Go to the next unsettled item";
    ShowAdjudicated, "show settled", Adjudicate, ["s"], false, "Toggle between unsettled items and all disputed items";
    ChooseRound, "choose round", Adjudicate, ["r"], false, "Choose the round to adjudicate";
    EarlierGuidelines, "show earlier guidelines", Adjudicate, ["v"], false, "List the items judged under earlier guidelines";
    OpenGuidelines, "open guidelines", Adjudicate, ["e"], false, "Open the round's guidelines in your editor";
    AdjudicateTag, "tag item", Adjudicate, ["T"], false, "Choose tags that your verdict on this item carries";
    AdjudicateMark, "mark item", Adjudicate, ["M"], false, "Open this item in the Review pane, where its picture can be marked for a comment";
    ReviewDispute, "review item", Adjudicate, ["enter"], false, "Open this item in the Review pane";
    OtherSide, "switch picture", Adjudicate, ["o"], false, "Switch to the other picture of a pair";
    VerdictsDown, "scroll verdicts down", Adjudicate, ["pgdn"], false, "Scroll the verdicts down";
    VerdictsUp, "scroll verdicts up", Adjudicate, ["pgup"], false, "Scroll the verdicts up";
    TextDown, "scroll text down", Adjudicate, ["J"], false, "Scroll the item's text down";
    TextUp, "scroll text up", Adjudicate, ["K"], false, "Scroll the item's text up";
    // Rounds.
    NewRound, "new round", Rounds, ["n"], false, "Create a round: items, annotators, and protocol";
    CloseRound, "close or reopen", Rounds, ["c"], false, "Close or reopen this round, after a confirmation; its verdicts still count";
    WhatIf, "try protocol", Rounds, ["w"], false, "Show what another protocol would keep of this round's verdicts";
    EditAnnotators, "edit annotators", Rounds, ["p"], false, "Add annotators, or remove them and reassign their open items";
    DeleteRound, "delete round", Rounds, ["D"], false, "Delete this round, after a confirmation, if it has no verdicts";
    ShowGuidelines, "read guidelines", Rounds, ["r"], false, "Read the guidelines of this round";

    // Forms.
    FormNext, "next field", Form, ["tab"], false, "Go to the next field";
    FormPrevious, "previous field", Form, ["shift-tab"], false, "Go to the previous field";
    FormDown, "form down", Form, ["down", "ctrl-n"], false, "Go one line down: to the next field, or in a list of files";
    FormUp, "form up", Form, ["up", "ctrl-p"], false, "Go one line up: to the previous field, or in a list of files";
    FormSubmit, "submit form", Form, ["enter"], false, "Do what the preview shows";
    FormCommand, "copy command line", Form, ["ctrl-o"], false, "Copy the command line that does the same";
    FormClose, "close form", Form, ["esc"], false, "Cancel what runs, or close the form and keep its values until you quit";

    // Home.
    ComposeDrafts, "compose drafts", Home, ["c"], false, "Fill an empty project with composed questions and drafts";
    ImportFiles, "import", Home, ["i"], false, "Import a file or folder";
    RemoveSample, "remove sample", Home, ["X"], false, "Remove the sample with all verdicts on it, after a confirmation";

    // Everywhere.
    HomeTab, "home tab", Global, ["1"], false, "Go to Home";
    BuildTab, "build tab", Global, ["2"], false, "Go to the Build tab; again: its next pane";
    MakeTab, "make tab", Global, ["3"], false, "Go to the Make tab";
    CheckTab, "check tab", Global, ["4"], false, "Go to the Check tab; again: its next pane";
    JudgeTab, "judge tab", Global, ["5"], false, "Go to the Judge tab; again: its next pane";
    ScoreTab, "score tab", Global, ["6"], false, "Go to the Score tab";
    GoToItem, "go to item", Global, ["gn", "#"], false, "Go to an item by its number or id";
    Find, "find", Global, ["/"], false, "Search by fuzzy words or field:value";
    Undo, "undo", Global, ["u"], false, "Undo your last verdict or edit";
    Redo, "redo", Global, ["U", "ctrl-r"], false, "Redo what you last undid";
    Sample, "load sample", Global, ["S"], false, "Fill an empty project with the sample";
    Repaint, "repaint", Global, ["ctrl-l"], false, "Redraw the whole screen";
    Mouse, "toggle mouse", Global, ["f9"], false, "Turn the mouse on or off; the terminal's own selection then needs shift, or works again";
    Theme, "choose theme", Global, ["ctrl-t"], false, "Choose the theme for all projects";
    Palette, "palette", Global, [":"], false, "Open the command palette";
    Help, "help", Global, ["?", "f1"], false, "Show the keys of this pane";
    Back, "back", Global, ["q", "esc"], false, "Go back; q on a pane's first page quits";
    Quit, "quit", Global, ["ctrl-c"], false, "Quit; the owner keeps running";

    // Overlays.
    MenuDown, "line down", Overlay, ["down", "ctrl-n"], false, "Move one line down";
    MenuUp, "line up", Overlay, ["up", "ctrl-p"], false, "Move one line up";
    MenuMark, "mark", Overlay, ["tab"], false, "Mark or unmark this line";
    MenuConfirm, "confirm", Overlay, ["enter"], false, "Confirm the choice";
    MenuCancel, "close", Overlay, ["esc"], false, "Close without a change";
}
