//! Every action of the program, declared once: the key bar, the help page, the palette, the keymap and
//! `docs/keys.md` are all made from this table.

/// Where an action's keys are live. A pane has one scope of its own; its overlays and `Global` come with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Everywhere, unless a nearer scope uses the key.
    Global,
    /// The review pane.
    Review,
    /// Any table: the item list, the leaderboard, and what drills out of them.
    Table,
    /// The item list alone.
    List,
    /// The leaderboard alone.
    Board,
    /// A menu or a page laid over a pane.
    Overlay,
}

impl Scope {
    /// Heading on the help page.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Global => "Everywhere",
            Scope::Review => "Review",
            Scope::Table => "Tables",
            Scope::List => "Item list",
            Scope::Board => "Leaderboard",
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

actions! {
    // Verdicts.
    Accept, "accept", Review, ["a"], true, "accept this item";
    Reject, "reject", Review, ["x"], true, "reject, with a reason";
    Skip, "skip", Review, ["s"], true, "skip for now";
    Flag, "flag", Review, ["f"], true, "flag for somebody to look at";
    Next, "next", Review, ["n", "j", "right", "down", "space"], false, "next item";
    Previous, "previous", Review, ["p", "k", "left", "up"], false, "previous item";
    FirstItem, "first item", Review, ["home", "gg"], false, "first item of this queue";
    LastItem, "last item", Review, ["end", "G"], false, "last item of this queue";
    ScrollDown, "scroll down", Review, ["pgdn"], false, "scroll the text down";
    ScrollUp, "scroll up", Review, ["pgup"], false, "scroll the text up";
    NextPending, "next pending", Review, ["tab"], false, "next item nobody has judged";
    Pixels, "true pixels", Review, ["z"], false, "the picture in true pixels, or back";

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
    CopyTable, "copy table", Table, ["gY"], false, "copy the selected rows, or the page: TSV, Markdown or LaTeX";

    // The item list.
    ClearFilter, "clear filter", List, ["X"], false, "clear search and filter";
    FilterStatus, "filter by status", List, ["gs"], false, "show one status";
    FilterSubtask, "filter by subtask", List, ["gt"], false, "show one subtask";
    FilterType, "filter by type", List, ["gy"], false, "show one question type";

    // The leaderboard.
    NextMeasure, "next measure", Board, ["tab"], false, "jump to the next group of columns";

    // Everywhere.
    Find, "find", Global, ["/"], false, "find: fuzzy words, or field:value";
    Undo, "undo", Global, ["u"], false, "undo your last verdict";
    Redo, "redo", Global, ["U", "ctrl-r"], false, "redo the verdict you undid";
    GoReview, "review", Global, ["1"], false, "go to the review pane";
    GoList, "items", Global, ["2"], false, "go to the item list";
    GoBoard, "leaderboard", Global, ["3"], false, "go to the leaderboard";
    Sample, "sample", Global, ["S"], false, "fill an empty project with the sample";
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
