//! The reasons for a reading, and their words in a trace.

/// The reason for a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Empty,
    Failed,
    Thinking,
    Statement,
    Contradiction,
    Withdrawn,
    Hedge,
    Beyond,
    Alphabet,
    Refusal,
    RefusalOption,
    Leans,
    Echo,
    LeftOver,
    Mark,
    Mention,
    Mentions,
    Denied,
    Nothing,
    Judge,
}

impl Why {
    /// The reason in a trace.
    pub(super) fn explained(self) -> &'static str {
        match self {
            Why::Empty => "the output is empty",
            Why::Failed => "the output says that there was no answer",
            Why::Thinking => "its thoughts do not end",
            Why::Statement => "it commits itself to one answer",
            Why::Contradiction => "it commits itself to several answers",
            Why::Withdrawn => "it takes its answer back and gives no other",
            Why::Hedge => "it leaves open which answer it means",
            Why::Beyond => "it names a letter beyond the options",
            Why::Alphabet => "its letter is another one in another alphabet",
            Why::Refusal => "it commits itself to nothing and declines to answer",
            Why::RefusalOption => "it chooses the option that declines to answer",
            Why::Leans => "it says that one option may be it, and names no other",
            Why::Echo => "a sentence in the question's words names one option",
            Why::LeftOver => "it denies options and names one more",
            Why::Mark => "it states no answer and marks one option",
            Why::Mention => "it states and marks nothing, and mentions the text of one option",
            Why::Mentions => {
                "it states and marks nothing, and mentions the texts of several options"
            }
            Why::Denied => "it denies an option and commits itself to none",
            Why::Nothing => "it states, marks and mentions nothing",
            Why::Judge => "not readable by itself; the stored judge was read",
        }
    }
}
