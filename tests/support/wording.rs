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
pub const EMPTY_PROJECT: &str = "S draws a sample";
pub const NOT_SHOWN_YET: &str = "has not shown this item yet";
pub const NOT_ON_SCREEN_YET: &str = "is not on the screen yet";
pub const NOT_ON_SCREEN: &str = "not on the screen";
pub const KEYS_DROPPED: &str = "is dropped";
pub const TERMINAL_IS_SILENT: &str = "your terminal does not answer";
pub const NOT_SAVED_YET: &str = "accept, not saved yet";
pub const QUEUE_JUDGED: &str = "every item of this queue has been judged";
pub const FIRST_OF_QUEUE: &str = "this is the first item of the queue";
pub const LAST_OF_QUEUE: &str = "this is the last item of the queue";
pub const ALL_ITEMS: &str = "all items again";
pub const NOTE_WANTED: &str = "say in the note what it is";
pub const NOTHING_TO_UNDO: &str = "you have nothing to undo";
pub const NOTHING_TO_REDO: &str = "you have nothing to redo";
pub const PRESS_AGAIN: &str = "press again";
pub const CHANGED: &str = "changed while you looked";
pub const NO_MORE_TEXT: &str = "there is no more text that way";
pub const SAMPLE: &str = "drawn by benchtop";
pub const SAMPLE_NEEDS_EMPTY: &str = "the sample is for an empty project";

// Pictures.
pub const NO_PICTURE: &str = "no picture: ";
pub const PICTURE_MISSING: &str = "the picture is missing";
pub const PICTURE_BROKEN: &str = "the picture is broken";
pub const ANYWAY: &str = "anyway, any other key goes back";
pub const BLINKING: &str = "in place of blinking";
pub const NO_SECOND_PICTURE: &str = "this item has no second picture to compare with";
pub const NOTHING_TO_CLOSE: &str = "nothing to close";
pub const NOT_ZOOMED: &str = "this is the whole picture";
pub const WHOLE_PICTURE: &str = "the whole picture";
pub const PICTURE_ENDS: &str = "the picture ends there";
pub const ZOOM_LIMIT: &str = "this is as near as it gets";
pub const NO_PIXELS: &str = "this terminal has no pixel protocol";
pub const PROMPT_DIFF: &str = "rewritten, word by word";

// Menus.
pub const MENU_PICKS: &str = "1-7 or enter takes";
pub const MENU_REFUSED: &str = "pick a line";
pub const PALETTE_EMPTY: &str = "no line fits what is typed";
pub const KEY_UNKNOWN: &str = "does nothing";
pub const USER_MACROS: &str = "Your macros in the review";

// Edit, filter, and judge many.
pub const EDIT_SAVE: &str = "save as a revision";
pub const OPTION_FIELD: &str = "B (empty takes it away)";
pub const OPTIONS_ALIKE: &str = "are alike";
pub const EDIT_RESTORE: &str = "back to the first text";
pub const BULK_MENU: &str = "judge ";
pub const COUNTING: &str = "wait for the count";
pub const WITHOUT_LOOKING: &str = "without looking";
pub const NO_VALUE: &str = "is not a value";
pub const WRONG_ITEM_LEFT: &str = "wrong: you let a bad item through";
pub const GOOD_ITEM_REJECTED: &str = "wrong: you turned a good item away";
pub const KNOWN_GOOD: &str = "right: it is known to be good";
pub const KNOWN_BAD: &str = "right: it is known to be bad";
pub const UNDECIDED: &str = "undecided: it is known to be";
pub const PRACTICE_JUDGED: &str = "this one is judged";

// The owner.
pub const OWNER_STOPPED: &str = "the owner was stopped";
pub const CONNECTED_AGAIN: &str = "connected again";

// Rounds.
pub const ROUND_LISTED: &str = "It asks:";
pub const TO_JUDGE: &str = "  to judge";
pub const NO_ROUND: &str = "draws the first one";
pub const ROUND_DONE: &str = "nothing is left for you";
pub const NOTHING_TO_JUDGE: &str = "there is nothing to judge";
pub const FIELD_UNREADABLE: &str = "a field cannot be read yet";
pub const ROUND_DRAWN: &str = "is drawn";
pub const LEASED: &str = "others have in hand";
pub const IN_ORDER: &str = "in a round one item";
pub const SCORES_HIDDEN: &str = "without what machines say of it";
pub const ASKED_CHECK: &str = "Is anything wrong with this item?";
pub const ASKED_ANSWER: &str = "What is the answer?";
pub const ASKED_CHANGE: &str = "Is the answer still the same after the change?";
pub const ANSWER_WANTED: &str = "this round asks for the answer";
pub const ANSWER_LETTER: &str = "an answer is a letter";
pub const ANSWER_FIELD: &str = "your answer:";
pub const SAME_ANSWER: &str = "a same answer";
pub const OTHER_ANSWER: &str = "x another answer";
pub const GUIDELINES_CHANGED: &str = "They changed since the round was made";
pub const JUDGED_ALREADY: &str = "you judged this one";

// Adjudication.
pub const NOTHING_DECIDED: &str = "no round decides anything yet";
pub const NOTHING_TO_SETTLE: &str = "there is nothing to settle";
pub const NO_DISPUTE: &str = "nobody differs";
pub const WHICH_ROUND: &str = "settle which round";
pub const SAY_WHY: &str = "say why";
pub const WHY: &str = "why";
pub const SAME_GUIDELINES: &str = "every verdict was given under";
pub const EARLIER_GUIDELINES: &str = "earlier guidelines";
pub const GUIDELINE_GAP: &str = "gap of the guidelines";

// Agreement.
pub const BY_PAIR: &str = "by pair of people";
pub const BY_SUBTASK: &str = "by subtask";
pub const METHODS: &str = "the methods paragraph";
pub const ROWS_COPIED: &str = "rows copied";
pub const OUTSIDE_ROUNDS: &str = "outside of rounds";
pub const NOTHING_OUTSIDE: &str = "nothing is judged outside of rounds";
pub const NOTHING_JUDGED: &str = "nobody has judged anything";
pub const IS_BLIND: &str = "is blind";

// Leaderboard.
pub const BOARD_ALL: &str = "leaderboard on all items";
pub const ANSWERS_OF: &str = "answers of ";
pub const READ_AS: &str = "read as";
pub const LAST_ANSWER: &str = "this is the last answer of the list";
pub const ONLY_WRONG: &str = "only wrong";
pub const NOT_HERE: &str = "its answers are not here";
pub const NO_COMPARISON: &str = "a printed row has no answers to compare";
pub const NO_BREAKDOWN: &str = "a printed row is not broken down";
pub const CURATION_EFFECT: &str = "what the hand work changed";
pub const RULES_MENU: &str = "which answers are read as something else by";
pub const CURVE_MENU: &str = "from easy to hard: whether accuracy falls as it should";
pub const QUADRANT_MENU: &str = "what it knows, and whether it is aware of that";
pub const NOT_AWARE: &str = "not aware of it";
pub const EXACT_TEST: &str = "McNemar, exact";
pub const STABLE_ORDER: &str = "final order";
pub const OVER_PARTS: &str = "over parts of the data";
pub const NO_INTERVAL: &str = "no interval: ";

// Generation.
pub const NOT_MADE_YET: &str = "is not made yet";
pub const NEW_JOB: &str = "n begins one";
pub const JOB_MENU: &str = "make pictures of";
pub const JOB_START: &str = "make them";
pub const JOB_WITHOUT_FAILURES: &str = "has failed";
pub const NO_PICTURE_MISSING: &str = "no picture is missing";
pub const SIZE_WANTED: &str = "size such as";
pub const IN_FLIGHT: &str = "requests in flight";
pub const EVALUATION_ONLY: &str = "an evaluation makes no picture";
pub const AGREEMENT_ASKED: &str = "this project wants to send";

// Filter bench.
pub const NEAREST_FIRST: &str = "nearest to a threshold first";
pub const AGAINST_RULES: &str = "people against the rules";
pub const BY_THE_RULES: &str = "by the rules";
pub const THRESHOLD: &str = "flag what is below";
pub const SAVE_RULES: &str = "save these rules";
pub const RULES_SAVED: &str = "rules saved";
pub const OTHER_RULES: &str = "has other rules now";
pub const RULES_BROKEN: &str = "the rules cannot be edited";
pub const RULE_HOLDS: &str = "the rule clip low has this item flagged";
pub const MORE_KEPT: &str = "more kept";

// Metadata.
pub const NOT_SAVED: &str = "not saved";
pub const READ_AGAIN: &str = "changed on disk: read again";
pub const NOT_MERGED: &str = "nothing was merged";
pub const QUIT_UNSAVED: &str = "quit without saving";
pub const SAVE_FILES: &str = "save 1 file";
pub const OTHER_PROMPTS: &str = "read differently now";
pub const RECOMPOSED: &str = "composed again";
pub const NO_ERRORS: &str = "has no errors any more";
pub const ENABLED_AGAIN: &str = "enabled again";
pub const DRAW_TERMS: &str = "draw terms for";
pub const TERM_DRAWN: &str = "with a term drawn";

// Themes.
pub const THEME_MENU: &str = "choose your theme";
pub const THEME_SCOPE: &str = "your theme, in every project";

/// The notice after an undo of a verdict.
pub fn taken_back(number: impl std::fmt::Display) -> String {
    format!("your verdict on #{number} is taken back")
}

/// The notice after a redo of a verdict.
pub fn brought_back(number: impl std::fmt::Display) -> String {
    format!("your verdict on #{number} is brought back")
}

/// The notice after an undo of an edit.
pub fn edit_taken_back(number: usize) -> String {
    format!("your edit of #{number} is taken back")
}

/// The notice after a redo of an edit.
pub fn edit_brought_back(number: usize) -> String {
    format!("your edit of #{number} is brought back")
}

/// The notice after an undo in a round: the item is not the annotator's any more.
pub fn given_back(number: impl std::fmt::Display) -> String {
    format!("#{number} is given back")
}

/// The title of the menu that asks for reasons.
pub fn reasons_asked(number: impl std::fmt::Display) -> String {
    format!("reject #{number}: why?")
}

/// The heading of the adjudication pane: item `at` of `all`, and how many are open and settled.
pub fn settling(at: usize, all: usize, open: usize, settled: usize) -> String {
    match settled {
        0 => format!("{at} of {all}, {open} to settle"),
        _ => format!("{at} of {all}, {open} to settle, {settled} settled"),
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
    format!("{items} {noun}, {judged} judged by two or more")
}

/// The heading of the answers behind a cell of the leaderboard.
pub fn behind(model: &str, column: &str) -> String {
    format!("{ANSWERS_OF}{model} behind {column}")
}

/// The heading of the leaderboard: the items it is on, and how many questions that is.
pub fn board(items: &str, questions: &str) -> String {
    format!("leaderboard on {items} items: {questions}")
}

/// The notice after one verdict on many items.
pub fn bulk_done(verdict: &str, items: usize) -> String {
    format!("`{verdict}` said of {items} items")
}

/// The receipt of a verdict against the rules of the filter bench.
pub fn overrides(number: usize) -> String {
    format!("#{number} overrides")
}

pub fn draw_asked(round: &str) -> String {
    format!("draw `{round}`?")
}

pub fn close_asked(round: &str) -> String {
    format!("close `{round}`")
}

pub fn closed(round: &str) -> String {
    format!("`{round}` is closed")
}

/// The mark of a file with changes that are only on the screen.
pub fn unsaved(file: &str) -> String {
    format!("{NOT_SAVED}: {file}")
}
