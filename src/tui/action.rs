//! Every action of the program, declared once: the key bar, the help page, the palette, the keymap and
//! `docs/keys.md` are all made from this table.

/// Where an action's keys are live. A pane has one scope of its own; its overlays and `Global` come with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Everywhere, unless a nearer scope uses the key.
    Global,
    /// The review pane.
    Review,
    /// The review pane while a round is worked on.
    Round,
    /// The same where the round asks for answers.
    Answers,
    /// Any table: the item list, the leaderboard, and what drills out of them.
    Table,
    /// The item list alone.
    List,
    /// The leaderboard alone.
    Board,
    /// The answers behind a cell of it.
    Behind,
    /// What every model answered to one question.
    Answer,
    /// The vocabulary pane and the template pane.
    Metadata,
    /// The vocabulary pane alone.
    Vocabulary,
    /// The template pane alone, while nothing is typed into it.
    Templates,
    /// A text being typed into: every other key is text.
    Editor,
    /// The coverage view alone.
    Coverage,
    /// The generate pane alone.
    Generate,
    /// The filter bench alone.
    Filters,
    /// The agreement pane alone.
    Agreement,
    /// The adjudication pane alone.
    Adjudicate,
    /// The rounds pane alone.
    Rounds,
    /// The form of a new round: every other key is text.
    Form,
    /// A menu or a page laid over a pane.
    Overlay,
}

impl Scope {
    /// Heading on the help page.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Global => "Everywhere",
            Scope::Review => "Review",
            Scope::Round => "Review in a round",
            Scope::Answers => "Review in a round that asks for answers",
            Scope::Table => "Tables",
            Scope::List => "Item list",
            Scope::Board => "Leaderboard",
            Scope::Behind => "Answers behind a cell",
            Scope::Answer => "Answers to one question",
            Scope::Metadata => "Vocabularies and templates",
            Scope::Vocabulary => "Vocabularies",
            Scope::Templates => "Templates",
            Scope::Editor => "Typing",
            Scope::Coverage => "Coverage",
            Scope::Generate => "Generation",
            Scope::Filters => "Filter bench",
            Scope::Agreement => "Agreement",
            Scope::Adjudicate => "Adjudication",
            Scope::Rounds => "Rounds",
            Scope::Form => "The form of a new round",
            Scope::Overlay => "Menus and pages",
        }
    }
}

macro_rules! actions {
    ($($(#[doc = $doc:literal])* $variant:ident, $name:literal, $scope:ident, [$($key:literal),*], $undo:literal, $hint:literal;)*) => {
        /// Something a person can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action { $(#[doc = $hint] $variant,)* }

        impl Action {
            /// Every action, in the order of the help page.
            pub const ALL: &'static [Action] = &[$(Action::$variant,)*];

            /// The name used in the palette, in keymaps and in the key reference.
            pub fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)* }
            }

            /// One line that says what it does.
            pub fn help(self) -> &'static str {
                match self { $(Action::$variant => $hint,)* }
            }

            /// Where its keys are live.
            pub fn scope(self) -> Scope {
                match self { $(Action::$variant => Scope::$scope,)* }
            }

            /// Its default keys, as [`super::keymap::Chord`] reads them.
            pub fn keys(self) -> &'static [&'static str] {
                match self { $(Action::$variant => &[$($key),*],)* }
            }

            /// Whether `undo` takes it back.
            pub fn undoable(self) -> bool {
                match self { $(Action::$variant => $undo,)* }
            }
        }
    };
}

impl Action {
    /// Whether a line or a choice is typed after its key. Where it is refused, that must not act as keys.
    pub fn asks(self) -> bool {
        use Action::{
            AddTerm, BoardFilter, Doubtful, EditItem, Find, GuidelineGap, JudgeAll, NewVocabulary,
            Note, Reject, RenameTerm, ReplaceText, RoundPeople, SelectRegex, SettleAccept,
            SettleFix, SettleReject, TypeAnswer, TypeLine, UnselectRegex,
        };
        matches!(
            self,
            Reject
                | Note
                | Find
                | TypeAnswer
                | EditItem
                | Doubtful
                | JudgeAll
                | SettleAccept
                | SettleReject
                | SettleFix
                | GuidelineGap
                | RoundPeople
                | SelectRegex
                | UnselectRegex
                | BoardFilter
                | TypeLine
                | AddTerm
                | RenameTerm
                | ReplaceText
                | NewVocabulary
        )
    }
}

actions! {
    // Verdicts.
    Accept, "accept", Review, ["a"], true, "accept this item";
    Reject, "reject", Review, ["x"], true, "reject, with a reason";
    Skip, "skip", Review, ["s"], true, "skip for now";
    Flag, "flag", Review, ["f"], true, "flag for somebody to look at";
    Unsure, "unsure", Review, ["m"], true, "you looked and cannot tell; it is flagged for somebody to look at";
    Note, "note", Review, ["N"], false, "a note on this item: the next verdict on it takes it along, whatever it is";
    Next, "next", Review, ["n", "j", "right", "down", "space"], false, "next item";
    Previous, "previous", Review, ["p", "k", "left", "up"], false, "previous item";
    FirstItem, "first item", Review, ["home", "gg"], false, "first item of this queue";
    LastItem, "last item", Review, ["end", "G"], false, "last item of this queue";
    ScrollDown, "scroll down", Review, ["pgdn"], false, "scroll the text down";
    ScrollUp, "scroll up", Review, ["pgup"], false, "scroll the text up";
    NextPending, "next pending", Review, ["tab"], false, "next item nobody has judged";
    Pixels, "true pixels", Review, ["z"], false, "the picture in true pixels, or back";
    ZoomIn, "zoom in", Review, ["+", "="], false, "twice as near into the picture, both of a pair in step";
    ZoomOut, "zoom out", Review, ["-"], false, "half as near, back to the whole picture";
    PanLeft, "pan left", Review, ["H", "shift-left"], false, "a quarter of the region further left";
    PanDown, "pan down", Review, ["J", "shift-down"], false, "a quarter of the region further down";
    PanUp, "pan up", Review, ["K", "shift-up"], false, "a quarter of the region further up";
    PanRight, "pan right", Review, ["L", "shift-right"], false, "a quarter of the region further right";
    Blink, "blink", Review, ["b"], false, "blink between the two pictures of a pair; any other key stops it";
    OtherPicture, "other picture", Review, ["v"], false, "both pictures of a pair, the first, the second";
    PictureDifference, "picture difference", Review, ["D"], false, "where the second picture of a pair differs from the first; pixels count from 16 of 255";
    Explain, "explain", Review, ["e"], false, "why this item is flagged or not: scores, thresholds, what the judge said";
    EditItem, "edit item", Review, ["E"], false, "another question, option or answer for this item, as a revision that everybody judges anew";
    Doubtful, "doubtful items", Review, ["d"], false, "review what the rules flag, in the order of doubt that you choose";

    // Review in a round.
    GoOn, "go on", Round, ["enter"], false, "to the next item: after practice, or while others have what is left";
    RoundGuidelines, "guidelines", Round, ["r"], false, "the guidelines of this round beside the item";
    OwnPace, "own pace", Round, ["t"], false, "how fast and evenly you work; nobody else is shown it";

    // Answers in a round.
    AnswerA, "answer A", Answers, ["a"], true, "answer with the first option";
    AnswerB, "answer B", Answers, ["b"], true, "answer with the second option";
    AnswerC, "answer C", Answers, ["c"], true, "answer with the third option";
    AnswerD, "answer D", Answers, ["d"], true, "answer with the fourth option";
    AnswerE, "answer E", Answers, ["e"], true, "answer with the fifth option";
    AnswerYes, "answer yes", Answers, ["y"], true, "answer yes";
    AnswerNo, "answer no", Answers, ["n"], true, "answer no";
    TypeAnswer, "type answer", Answers, ["enter"], true, "type an answer, or the letter of an option";

    // Tables.
    Down, "down", Table, ["j", "down"], false, "one row down";
    Up, "up", Table, ["k", "up"], false, "one row up";
    Left, "left", Table, ["h", "left"], false, "one column left";
    Right, "right", Table, ["l", "right"], false, "one column right";
    PageDown, "page down", Table, ["pgdn", "ctrl-f"], false, "one page down";
    PageUp, "page up", Table, ["pgup", "ctrl-b"], false, "one page up";
    Top, "top", Table, ["home", "gg"], false, "first row";
    Bottom, "bottom", Table, ["end", "G"], false, "last row";
    Open, "open", Table, ["enter"], false, "open the row, or the cell";
    SortAscending, "sort ascending", Table, ["["], false, "sort by this column, smallest first";
    SortDescending, "sort descending", Table, ["]"], false, "sort by this column, largest first";
    ThenAscending, "then ascending", Table, ["z["], false, "then by this column, smallest first";
    ThenDescending, "then descending", Table, ["z]"], false, "then by this column, largest first";
    Pin, "pin", Table, ["!"], false, "pin this column on the left, or let it go";
    Hide, "hide", Table, ["-"], false, "hide this column";
    Unhide, "unhide", Table, ["gv"], false, "show every hidden column";
    Widen, "width", Table, ["_"], false, "widen this column to its text, or narrow it again";
    GoToColumn, "go to column", Table, ["c"], false, "go to a column by name";
    Frequency, "frequency", Table, ["F"], false, "how often each value of this column occurs";
    Describe, "describe", Table, ["I"], false, "what each column holds";
    Select, "select", Table, ["t", "space"], false, "select this row, or let it go";
    SelectRegex, "select by regex", Table, ["|"], false, "select rows whose cell in this column matches";
    UnselectRegex, "unselect by regex", Table, ["\\"], false, "let go of rows whose cell in this column matches";
    SelectLike, "select like this", Table, [","], false, "select rows with this cell's value";
    SelectNone, "select none", Table, ["gu"], false, "let go of every row";
    Subset, "subset", Table, ["\""], false, "only the selected rows, or all rows again";
    CopyRow, "copy row", Table, ["Y"], false, "copy this row as tab-separated values";
    CopyTable, "copy table", Table, ["gY"], false, "copy the selected rows, or the whole table: TSV, CSV, Markdown or LaTeX";

    // The item list.
    ClearFilter, "clear filter", List, ["X"], false, "clear search and filter";
    FilterStatus, "filter by status", List, ["gs"], false, "show one status";
    FilterSubtask, "filter by subtask", List, ["gt"], false, "show one subtask";
    FilterType, "filter by type", List, ["gy"], false, "show one question type";
    JudgeAll, "judge all shown", List, ["ga"], true, "one verdict on everything that is shown, or on the selected rows: counts first";

    // The leaderboard.
    NextMeasure, "next measure", Board, ["tab"], false, "jump to the next group of columns";
    PreviousMeasure, "previous measure", Board, ["shift-tab"], false, "jump to the group of columns before";
    ChooseMeasure, "measures", Board, ["m"], false, "go to a group of columns: by subtask, type, style, level, scenario ...";
    BoardFilter, "filter questions", Board, ["f"], false, "score only the questions that a filter finds, in the words of the item list";
    BoardCurated, "curated", Board, ["a"], false, "score all items, the accepted ones, or those accepted in a round";
    BoardRule, "reading rule", Board, ["r"], false, "the rule that reads answers: each question's own, or one for all";
    BoardPrinted, "printed rows", Board, ["p"], false, "what papers printed for these columns as dimmed rows: none, of all papers, or of one";
    BoardViews, "breakdown", Board, ["v"], false, "this model by style, type, scenario or any group of columns, as bars";
    CompareModels, "compare", Board, ["x"], false, "compare this model with another one: mark it, then the same key on the other";
    HowSure, "how sure", Board, ["s"], false, "the interval of this cell by drawing images or pairs again, beside Wilson's";
    RulesDiffer, "rules differ", Board, ["D"], false, "which answers another rule reads as something else";

    // Answers behind a cell.
    OnlyWrong, "only wrong", Behind, ["w"], false, "only the wrong answers, or all of them";
    WrongFirst, "wrong first", Behind, ["o"], false, "the wrong answers first, or the order of the data set";

    // Answers to one question.
    NextAnswer, "next answer", Answer, ["n"], false, "the next answer of the list behind, with what every model said";
    PreviousAnswer, "previous answer", Answer, ["p"], false, "the answer before";
    AnswerDown, "answer down", Answer, ["J", "shift-down"], false, "scroll the answer under the cursor down";
    AnswerUp, "answer up", Answer, ["K", "shift-up"], false, "scroll the answer under the cursor up";

    // Vocabularies and templates.
    SaveMetadata, "save", Metadata, ["ctrl-s", "w"], false, "save every changed file, after saying which items change";
    Difference, "difference", Metadata, ["="], false, "what a save would change, line by line";
    Revert, "revert file", Metadata, ["X"], true, "give up the edits of this file";
    Resolve, "settle conflict", Metadata, ["M"], false, "a file changed on disk while you edited it: mine, theirs, difference";
    EditOutside, "edit in $EDITOR", Metadata, ["e"], false, "open this file at this line in your editor";
    NextArea, "next area", Metadata, ["tab"], false, "go on to the next part of the pane";
    Side, "preview or findings", Metadata, ["v"], false, "show the preview, the findings, or neither";
    SeedDown, "seed down", Metadata, ["<"], false, "preview other questions: the seed before";
    SeedUp, "seed up", Metadata, [">"], false, "preview other questions: the next seed";
    Recompose, "compose again", Metadata, ["C"], false, "write the items that the metadata has changed under again, counts first";
    NextFinding, "next finding", Metadata, ["n"], false, "go to the next finding of this file";
    PreviousFinding, "previous finding", Metadata, ["N"], false, "go to the finding before";

    // Vocabularies.
    AddTerm, "add term", Vocabulary, ["a"], true, "add a term before this one";
    RenameTerm, "rename term", Vocabulary, ["r"], true, "rename this term";
    ToggleTerm, "disable or enable", Vocabulary, ["d"], true, "keep these terms but do not draw them, or draw them again";
    RemoveTerm, "remove terms", Vocabulary, ["x"], true, "remove the selected terms, or this one";
    TermDown, "move term down", Vocabulary, ["J"], true, "move this term one line down";
    TermUp, "move term up", Vocabulary, ["K"], true, "move this term one line up";
    MoveTerms, "move to vocabulary", Vocabulary, ["m"], true, "move the selected terms, or this one, to another vocabulary";
    ReplaceText, "replace text", Vocabulary, ["R"], true, "replace text in the selected terms, or in all shown";
    NewVocabulary, "new vocabulary", Vocabulary, ["ctrl-n"], true, "make another vocabulary: a file of terms";
    TermRules, "rules of a term", Vocabulary, ["W"], true, "what these terms cannot stand with, hide, show or look like: go to a rule, or add one";
    ShowTerms, "show terms", Vocabulary, ["f"], false, "all terms, or those changed, with findings, disabled";

    // Templates.
    TypeText, "type", Templates, ["i"], false, "type into the text; esc ends it";
    OtherFile, "other file", Templates, ["o"], false, "templates.toml, styles.toml, compatibility.toml, then what judges are asked";

    // Typing.
    StopTyping, "stop typing", Editor, ["esc"], false, "end typing; the keys mean actions again";
    SaveText, "save text", Editor, ["ctrl-s"], false, "save every changed file, after saying which items change";
    UndoText, "undo typing", Editor, ["ctrl-u"], false, "take the last word typed back";
    RedoText, "redo typing", Editor, ["ctrl-r"], false, "type it again";
    InsertSlot, "insert slot", Editor, ["ctrl-t"], false, "put one of the slots on offer here at the cursor";
    FindText, "find text", Editor, ["ctrl-f"], false, "find words in the text";
    FindAgain, "find again", Editor, ["ctrl-g"], false, "go to the next place that has them";
    MarkText, "mark text", Editor, ["ctrl-b"], false, "begin a selection here, or drop it; shift with arrows selects too";
    CutText, "cut text", Editor, ["ctrl-x"], true, "cut the selection, or this line";
    CopyText, "copy text", Editor, ["ctrl-y"], false, "copy the selection, or this line";
    PasteText, "paste text", Editor, ["ctrl-v"], true, "paste what was cut or copied here";

    // Coverage.
    NextCount, "next count", Coverage, ["tab"], false, "colour by items, accepted, acceptance rate, flagged or pending";
    ChooseRows, "rows", Coverage, ["r"], false, "choose what stands down the side";
    ChooseColumns, "columns", Coverage, ["o"], false, "choose what stands across";
    SwapAxes, "swap", Coverage, ["x"], false, "swap rows and columns";
    FailingTerms, "failing terms", Coverage, ["f"], false, "the terms whose items fail most, or the map again";
    RetireTerms, "retire terms", Coverage, ["d"], true, "disable the selected terms and reject their items, counts first";

    // Generation.
    NewJob, "new job", Generate, ["n"], false, "make pictures: what is missing, or of a filter, counts first";
    PauseJob, "pause or resume", Generate, ["p", "space"], false, "pause this job, or let it go on";
    CancelJob, "cancel job", Generate, ["x"], false, "give this job up; what it made stays";
    RetryJob, "retry", Generate, ["r"], false, "try again what failed in this job";
    JobUp, "job up", Generate, ["K"], false, "this job comes one turn earlier";
    JobDown, "job down", Generate, ["J"], false, "this job comes one turn later";
    JobFailures, "failures", Generate, ["f"], false, "what this job set aside and why, or the jobs again";
    JobBatch, "batch size", Generate, ["b"], false, "how many pictures are made together";
    JobRate, "most a minute", Generate, ["m"], false, "how many pictures are made a minute at most";
    RemoveJob, "remove job", Generate, ["D"], false, "forget this job once it is over";

    // The filter bench.
    LineLeft, "line left", Filters, ["left", "h"], false, "the line one bar to the left";
    LineRight, "line right", Filters, ["right", "l"], false, "the line one bar to the right";
    LineFarLeft, "line far left", Filters, ["H", "shift-left"], false, "the line ten bars to the left";
    LineFarRight, "line far right", Filters, ["L", "shift-right"], false, "the line ten bars to the right";
    LineBitLeft, "a bit left", Filters, [","], false, "the line a tenth of a bar to the left";
    LineBitRight, "a bit right", Filters, ["."], false, "the line a tenth of a bar to the right";
    TypeLine, "type threshold", Filters, ["="], false, "put the line at a number";
    OtherLine, "flag or park line", Filters, ["f"], false, "move the other line: what is beyond it is flagged, or parked";
    RemoveLine, "remove line", Filters, ["-"], false, "take this line away; among the rules, this rule";
    NextScore, "next score", Filters, ["n"], false, "look at the next score";
    PreviousScore, "previous score", Filters, ["N"], false, "look at the score before";
    NextScale, "next scale", Filters, ["c"], false, "read CLIP and SigLIP as logit, cosine or CLIPScore";
    NextPart, "next part", Filters, ["tab"], false, "go on to the groups, the pictures beside the line, the two scores";
    GroupBy, "group by", Filters, ["b"], false, "groups by subtask, style or type";
    GroupAcross, "group across", Filters, ["B"], false, "count the groups by a second property too: style, type, subtask, or none";
    GroupLeft, "groups left", Filters, ["("], false, "one column of the groups to the left";
    GroupRight, "groups right", Filters, [")"], false, "one column of the groups to the right";
    OnlyGroup, "only this group", Filters, ["o"], false, "the histogram of this group alone, or of all items again";
    OwnLine, "own line", Filters, ["t"], false, "give this subtask a line of its own, or take it away";
    ChoosePair, "compare with", Filters, ["v"], false, "choose another score to compare this one with";
    OtherSample, "other side", Filters, ["space"], false, "the picture on the other side of the line";
    ShowRules, "rules", Filters, ["R"], false, "the rules in words and what edits change, or the histogram again";
    SaveRules, "save rules", Filters, ["w", "ctrl-s"], false, "write the edited rules into benchtop.toml, counts first";
    RevertRules, "rules before", Filters, ["X"], false, "bring the rules before these back, after asking";
    SettleRules, "settle rules", Filters, ["M"], false, "give up edits of the rules, or keep them over a file that changed";
    EditRules, "edit rules", Filters, ["e"], false, "open benchtop.toml at its rules in your editor";
    StartScoring, "score", Filters, ["s"], false, "score items with this scorer, counts first";
    PauseScoring, "pause or resume scoring", Filters, ["p"], false, "pause this scorer's job, or let it go on";
    CancelScoring, "cancel scoring", Filters, ["x"], false, "give this scorer's job up; what it scored stays";
    RetryScoring, "retry scoring", Filters, ["r"], false, "score again what failed or could not be read";

    // Agreement.
    GroupAgreement, "rows by", Agreement, ["b"], false, "rows by pair of people, subtask, question type, level, style or filter outcome";
    AgreementRound, "of round", Agreement, ["r"], false, "choose the round, or what was judged outside of rounds";
    AgreementPart, "row detail", Agreement, ["tab"], false, "show the row's intervals, its table, the people, or the methods paragraph";
    CopyMethods, "copy methods", Agreement, ["m"], false, "copy the methods paragraph with every number";
    // Adjudication.
    SettleAccept, "accept it", Adjudicate, ["a"], true, "settle this item: it is accepted, and why";
    SettleReject, "reject it", Adjudicate, ["x"], true, "settle this item: it is rejected, and why";
    SettleFix, "fix it", Adjudicate, ["c"], true, "settle this item: it is to be fixed, and how";
    GuidelineGap, "guideline gap", Adjudicate, ["g"], true, "settle it as a gap of the guidelines, then open them in your editor";
    NextDispute, "next dispute", Adjudicate, ["n", "j", "right", "down", "space"], false, "next item on which people differ";
    PreviousDispute, "previous dispute", Adjudicate, ["p", "k", "left", "up"], false, "previous item on which people differ";
    NextOpen, "next to settle", Adjudicate, ["tab"], false, "next item that is still to be settled";
    ShowSettled, "show settled", Adjudicate, ["s"], false, "only what is still to be settled, or what is settled too";
    ChooseRound, "choose round", Adjudicate, ["r"], false, "settle another round";
    EarlierGuidelines, "earlier guidelines", Adjudicate, ["v"], false, "the verdicts that were given under earlier guidelines: how many, and on which items";
    OpenGuidelines, "open guidelines", Adjudicate, ["e"], false, "open the guidelines of this round in your editor";
    ReviewDispute, "look closer", Adjudicate, ["enter"], false, "review this item: zoom, blink, all that is known of it";
    OtherSide, "other of the pair", Adjudicate, ["o"], false, "the other picture of a pair";
    VerdictsDown, "verdicts down", Adjudicate, ["pgdn"], false, "scroll the verdicts down";
    VerdictsUp, "verdicts up", Adjudicate, ["pgup"], false, "scroll the verdicts up";
    TextDown, "text down", Adjudicate, ["J"], false, "scroll the text of the item down";
    TextUp, "text up", Adjudicate, ["K"], false, "scroll the text of the item up";
    // Rounds.
    NewRound, "new round", Rounds, ["n"], false, "draw a round: who judges which items, under which rule";
    CloseRound, "close or reopen", Rounds, ["c"], false, "close this round or open it again, after asking; its verdicts go on counting";
    WhatIf, "what if", Rounds, ["w"], false, "what another rule would keep of this round's verdicts";
    RoundPeople, "people of a round", Rounds, ["p"], false, "add people to this round or take them out: what somebody had left goes to the others";
    DeleteRound, "delete round", Rounds, ["D"], false, "delete this round, after asking, while it has no verdicts";
    ShowGuidelines, "read guidelines", Rounds, ["r"], false, "the guidelines of this round";

    // The form of a new round.
    FormNext, "next field", Form, ["down", "tab", "ctrl-n"], false, "go to the next field";
    FormPrevious, "previous field", Form, ["up", "ctrl-p"], false, "go to the field before";
    FormMake, "make round", Form, ["enter"], false, "draw the round as the form says, after a last look";
    FormClose, "close form", Form, ["esc"], false, "close the form; it stays filled in until you leave the program";

    // Everywhere.
    Find, "find", Global, ["/"], false, "find: fuzzy words, or field:value";
    Undo, "undo", Global, ["u"], false, "take back the last that you did: a verdict, or an edit";
    Redo, "redo", Global, ["U", "ctrl-r"], false, "bring back what you took back last";
    GoReview, "review", Global, ["1"], false, "go to the review pane";
    GoList, "items", Global, ["2"], false, "go to the item list";
    GoBoard, "leaderboard", Global, ["3"], false, "go to the leaderboard";
    GoVocabulary, "vocabularies", Global, ["4"], false, "go to the vocabularies";
    GoTemplates, "templates", Global, ["5"], false, "go to the templates";
    GoCoverage, "coverage", Global, ["6"], false, "go to the coverage view";
    GoGenerate, "generate", Global, ["7"], false, "go to the jobs that make pictures";
    GoFilters, "filters", Global, ["8"], false, "go to the filter bench";
    GoAgreement, "agreement", Global, ["%"], false, "go to how far people agree";
    GoAdjudicate, "adjudication", Global, ["0"], false, "go to the items on which people differ";
    GoRounds, "rounds", Global, ["9"], false, "go to the rounds of verification";
    Sample, "sample", Global, ["S"], false, "fill an empty project with the sample";
    Repaint, "repaint", Global, ["ctrl-l"], false, "paint the whole screen anew";
    Theme, "theme", Global, ["ctrl-t"], false, "choose your theme: it holds in every project";
    Palette, "palette", Global, [":"], false, "every action by name";
    Help, "help", Global, ["?", "f1"], false, "the keys of this pane";
    Back, "back", Global, ["q", "esc"], false, "back; q on a pane's first page quits";
    Quit, "quit", Global, ["ctrl-c"], false, "quit; the owner keeps running";

    // Overlays.
    MenuDown, "line down", Overlay, ["down", "ctrl-n"], false, "one line down";
    MenuUp, "line up", Overlay, ["up", "ctrl-p"], false, "one line up";
    MenuMark, "mark", Overlay, ["tab"], false, "mark or unmark this line";
    MenuOk, "take", Overlay, ["enter"], false, "take it";
    MenuCancel, "close", Overlay, ["esc"], false, "close without change";
}
