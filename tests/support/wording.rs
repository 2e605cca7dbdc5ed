//! The words of the terminal program that tests have to recognize: prompts, notices, and empty states without data in
//! them. A test uses an entry of this table, so that a change of words is a change of one line here.
//!
//! Prefer data on the screen (ids, counts, names, statuses), [`super::has_line`], or the action table to a new entry.

use benchtop::tui::action::Action;

/// The help of an action, up to the first mark: what the key bar and the help page show of it.
pub fn help(action: Action) -> &'static str {
    let help = action.help();
    let end = help.find([';', ',', '(']).unwrap_or(help.len());
    help[..end].trim_end()
}

// Review.
pub const EMPTY_PROJECT: &str = "opens Home, where you add items";
pub const NOT_SHOWN_YET: &str = "has not shown this item yet";
pub const NOT_ON_SCREEN_YET: &str = "is not on screen yet";
pub const KEYS_DROPPED: &str = "ignored the keys";
pub const TERMINAL_IS_SILENT: &str = "your terminal does not respond";
pub const NOT_SAVED_YET: &str = "accept, saving";
pub const QUEUE_JUDGED: &str = "no unjudged items in this queue";
pub const FIRST_OF_QUEUE: &str = "this is the first item of the queue";
pub const LAST_OF_QUEUE: &str = "end of the queue";
pub const ALL_ITEMS: &str = "showing all items";
pub const NOTE_WANTED: &str = "this choice needs a note";
pub const NOTHING_TO_UNDO: &str = "you have nothing to undo";
pub const NOTHING_TO_REDO: &str = "you have nothing to redo";
pub const PRESS_AGAIN: &str = "try again";
pub const CHANGED: &str = "changed while you looked";
pub const NO_MORE_TEXT: &str = "end of the text";
pub const SAMPLE: &str = "drawn by benchtop";
pub const SAMPLE_NEEDS_EMPTY: &str = "the project is not empty";

// Pictures.
pub const NO_PICTURE: &str = "no picture: ";
pub const PICTURE_MISSING: &str = "the picture is missing";
pub const PICTURE_BROKEN: &str = "the picture is broken";
pub const ANYWAY: &str = "anyway, any other key cancels";
pub const BLINKING: &str = "instead of blinking";
pub const NO_SECOND_PICTURE: &str = "this item has no second picture";
pub const NOTHING_TO_CLOSE: &str = "nothing to close";
pub const NOT_ZOOMED: &str = "the whole picture is shown";
pub const WHOLE_PICTURE: &str = "whole picture";
pub const PICTURE_ENDS: &str = "edge of the picture";
pub const ZOOM_LIMIT: &str = "maximum zoom";
pub const NO_PIXELS: &str = "this terminal has no pixel protocol";
pub const PROMPT_DIFF: &str = "rewritten:";

// Contact sheet.
pub const SHEET_CHANGED: &str = "changed while on screen";
pub const SHEET_IN_ROUND: &str = "a round serves one item at a time";
pub const SHEET_IN_ROUND_ACT: &str = "no contact sheet in a round";

// Menus.
pub const MENU_REFUSED: &str = "choose a line by its number";
pub const PALETTE_EMPTY: &str = "no matching line";
pub const KEY_UNKNOWN: &str = "is not bound";
pub const USER_MACROS: &str = "Your macros";

// Edit, filter, and judge many.
pub const EDIT_SAVE: &str = "save as a revision";
pub const OPTION_FIELD: &str = "B (empty removes it)";
pub const OPTIONS_ALIKE: &str = "are the same";
pub const EDIT_RESTORE: &str = "restore the original text";
pub const BULK_MENU: &str = "judge ";
pub const COUNTING: &str = "wait for the count";
pub const WITHOUT_LOOKING: &str = "without looking";
pub const NO_VALUE: &str = "invalid value";
pub const WRONG_ITEM_LEFT: &str = "wrong: this item is bad";
pub const GOOD_ITEM_REJECTED: &str = "wrong: this item is good";
pub const KNOWN_GOOD: &str = "correct: this item is good";
pub const KNOWN_BAD: &str = "correct: this item is bad";
pub const UNDECIDED: &str = "undecided: this item is";
pub const PRACTICE_JUDGED: &str = "already judged";

// The owner.
pub const OWNER_STOPPED: &str = "the owner was stopped";
pub const CONNECTED_AGAIN: &str = "reconnected";

// Rounds.
pub const ROUND_LISTED: &str = "Question:";
pub const TO_JUDGE: &str = "  to judge";
pub const NO_ROUND: &str = "A round asks several annotators";
pub const ROUND_DONE: &str = "you have finished";
pub const NOTHING_TO_JUDGE: &str = "nothing to judge";
pub const FIELD_UNREADABLE: &str = "fix the marked field first";
pub const ROUND_DRAWN: &str = "created `";
pub const LEASED: &str = "others are working on";
pub const OTHER_TERMINAL: &str = "your other terminal";
pub const IN_ORDER: &str = "a round shows one item at a time";
pub const SCORES_HIDDEN: &str = "hides scores and judge output";
pub const ASKED_CHECK: &str = "Is anything wrong with this item?";
pub const ASKED_ANSWER: &str = "What is the answer?";
pub const ASKED_CHANGE: &str = "Is the answer still the same after the change?";
pub const ANSWER_WANTED: &str = "this round asks for the answer";
pub const ANSWER_LETTER: &str = "type the letter of an option";
pub const ANSWER_FIELD: &str = "your answer";
pub const SAME_ANSWER: &str = "a same answer";
pub const OTHER_ANSWER: &str = "x another answer";
pub const GUIDELINES_CHANGED: &str = "They changed since the round was created";
pub const JUDGED_ALREADY: &str = "you judged this item";

// Adjudication.
pub const NOTHING_DECIDED: &str = "Adjudicate shows the items on";
pub const NOTHING_TO_SETTLE: &str = "Adjudicate shows the items on";
pub const NO_DISPUTE: &str = "no disputes in";
pub const WHICH_ROUND: &str = "Adjudicate which round?";
pub const SAY_WHY: &str = "write a note";
pub const WHY: &str = "note:";
pub const SAME_GUIDELINES: &str = "all verdicts used the present";
pub const EARLIER_GUIDELINES: &str = "earlier guidelines";
pub const GUIDELINE_GAP: &str = "guideline gap";

// Agreement.
pub const BY_PAIR: &str = "by pair of people";
pub const BY_SUBTASK: &str = "by subtask";
pub const METHODS: &str = "methods paragraph";
pub const ROWS_COPIED: &str = "rows copied";
pub const OUTSIDE_ROUNDS: &str = "outside rounds";
pub const NOTHING_OUTSIDE: &str = "Agreement measures how often annotators";
pub const NOTHING_JUDGED: &str = "no verdicts in";
pub const IS_BLIND: &str = "is blind";

// Leaderboard.
pub const BOARD_ALL: &str = "leaderboard on all items";
pub const ANSWERS_OF: &str = "answers of ";
pub const READ_AS: &str = "parsed";
pub const ANSWER_KEY: &str = "answer key";
pub const LAST_ANSWER: &str = "last answer of the list";
pub const ONLY_WRONG: &str = "only wrong";
pub const NOT_HERE: &str = "no answers here";
pub const NO_COMPARISON: &str = "has no answers to compare";
pub const NO_BREAKDOWN: &str = "has no breakdown";
pub const CURATION_EFFECT: &str = "shows the effect of the review";
pub const RULES_MENU: &str = "Compare extraction with";
pub const CURVE_MENU: &str = "accuracy from easy to hard";
pub const QUADRANT_MENU: &str = "knowledge, and awareness of it";
pub const NOT_AWARE: &str = "not aware";
pub const EXACT_TEST: &str = "exact";
pub const LOADING: &str = "loading ...";
pub const STABLE_ORDER: &str = "order of the models";
pub const OVER_PARTS: &str = "stability of";
pub const NO_INTERVAL: &str = "no interval: ";

// Generation.
pub const NOT_MADE_YET: &str = "is not generated yet";
pub const NEW_JOB: &str = "makes the pictures of items";
pub const JOB_MENU: &str = "Generate";
pub const JOB_START: &str = "samples of each";
pub const JOB_WITHOUT_FAILURES: &str = "no failures";
pub const NO_PICTURE_MISSING: &str = "no pictures are missing";
pub const SIZE_WANTED: &str = "size such as";
pub const IN_FLIGHT: &str = "concurrent requests";
pub const EVALUATION_ONLY: &str = "an evaluation has no pictures";
pub const AGREEMENT_ASKED: &str = "this project wants to send";

// Filter bench.
pub const NEAREST_FIRST: &str = "nearest to a threshold first";
pub const AGAINST_RULES: &str = "people who overruled";
pub const BY_THE_RULES: &str = "by the rules";
pub const THRESHOLD: &str = "flag items below";
pub const NOT_OPENED: &str = "not shown";
pub const KEEPS_EDITS: &str = "keeps the edits";
pub const SHARING_ASKED: &str = "Change who may open the project?";
pub const NOTHING_CHANGES: &str = "nothing changes; esc closes the form";
pub const SETTINGS_SAVED: &str = "saved 3 settings";
pub const RULE_SAVED: &str = "the rule is saved";
pub const RULES_SAVED: &str = "rules saved";
pub const OTHER_RULES: &str = "rules changed on disk";
pub const RULES_BROKEN: &str = "no longer exists";
pub const RULE_HOLDS: &str = "flagged by the rule clip low";
pub const MORE_KEPT: &str = "more kept";

// Metadata.
pub const NOT_SAVED: &str = "unsaved";
pub const READ_AGAIN: &str = "changed on disk: reloaded";
pub const NOT_MERGED: &str = "conflict:";
pub const QUIT_UNSAVED: &str = "quit without saving";
pub const SAVE_FILES: &str = "save 1 file";
pub const OTHER_PROMPTS: &str = "leave them unchanged";
pub const RECOMPOSED: &str = "recomposed";
pub const NO_ERRORS: &str = "no more errors";
pub const ENABLED_AGAIN: &str = "enabled again";
pub const DRAW_TERMS: &str = "draw terms for";
pub const TERM_DRAWN: &str = "newly drawn term";

// Forms.
pub const REPLACE: &str = "Replace `";

// Themes.
pub const THEME_MENU: &str = "Choose the theme";
pub const THEME_SCOPE: &str = "theme for all projects";

/// The receipt of an export.
pub fn exported(items: usize) -> String {
    let noun = if items == 1 { "item" } else { "items" };
    format!("exported {items} {noun} to ")
}

/// The receipt of an import.
pub fn imported(items: usize) -> String {
    let noun = if items == 1 { "item" } else { "items" };
    format!("imported {items} {noun}")
}

/// The notice after an undo of a verdict.
pub fn taken_back(number: impl std::fmt::Display) -> String {
    format!("undone your verdict on #{number}")
}

/// The notice after a redo of a verdict.
pub fn brought_back(number: impl std::fmt::Display) -> String {
    format!("redone your verdict on #{number}")
}

/// The notice after an undo of an edit.
pub fn edit_taken_back(number: usize) -> String {
    format!("undone your edit of #{number}")
}

/// The notice after a redo of an edit.
pub fn edit_brought_back(number: usize) -> String {
    format!("redone your edit of #{number}")
}

/// The notice after an undo in a round: the item is not the annotator's any more.
pub fn given_back(number: impl std::fmt::Display) -> String {
    format!("released #{number}")
}

/// The title of the menu that asks for reasons.
pub fn reasons_asked(number: impl std::fmt::Display) -> String {
    format!("reject #{number}: why?")
}

/// The heading of the adjudication pane: item `at` of `all`, and how many are open and settled.
pub fn settling(at: usize, all: usize, open: usize, settled: usize) -> String {
    match settled {
        0 => format!("{at} of {all}, {open} unsettled"),
        _ => format!("{at} of {all}, {open} unsettled, {settled} settled"),
    }
}

/// The heading of the adjudication pane once everything is settled.
pub fn all_settled(all: usize) -> String {
    format!("all {all} settled")
}

pub fn settled_by(who: &str) -> String {
    format!("settled by {who}")
}

/// The part of the heading of the agreement pane with how many items there are.
pub fn items_judged(items: usize, judged: usize) -> String {
    let noun = if items == 1 { "item" } else { "items" };
    format!("{items} {noun}, {judged} with two or more ratings")
}

/// The heading of the answers behind a cell of the leaderboard.
pub fn behind(model: &str, column: &str) -> String {
    format!("{column}: {ANSWERS_OF}{model}")
}

/// The heading of the leaderboard: the items it is on, and how many questions that is.
pub fn board(items: &str, questions: &str) -> String {
    format!("leaderboard on {items} items: {questions}")
}

/// The notice after one verdict on many items.
pub fn bulk_done(verdict: &str, items: usize) -> String {
    format!("{items} items: {verdict}")
}

/// The receipt of a verdict against the filter rules.
pub fn overrides(number: usize) -> String {
    format!("#{number} overrides")
}

pub fn draw_asked(round: &str) -> String {
    format!("Create `{round}`?")
}

pub fn close_asked(round: &str) -> String {
    format!("Close `{round}`?")
}

pub fn closed(round: &str) -> String {
    format!("`{round}` is closed")
}

/// The mark of a file with changes that are only on the screen.
pub fn unsaved(file: &str) -> String {
    format!("{NOT_SAVED}: {file}")
}
