//! Reads what a grounder says about a picture: objects with boxes, and numbers of marks.
//!
//! A grounder is a model that locates objects. VLB asks it for ten objects to add, with a box each
//! (V1), and for five marked objects that can be removed (V2). Its reply may be anything: what can be
//! used is returned, and everything else is named as a [`Fault`]. Nothing is guessed.
//!
//! | file | what it does |
//! |---|---|
//! | `fault` | what can be wrong with a reply |
//! | `notation` | in which numbers a reply gives its boxes |
//! | `boxes` | objects with boxes |
//! | `marks` | numbers of marks |

mod boxes;
mod fault;
mod marks;
mod notation;
#[cfg(test)]
mod tests;

pub use boxes::{AskedBoxes, Candidate, read_boxes};
pub use fault::{Fault, FaultKind};
pub use marks::{AskedMarks, read_marks};
pub use notation::Notation;

/// What a reply has: the entries that can be used, and what is wrong with the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<T> {
    pub entries: Vec<T>,
    /// Why another reply would be better, in the order of the reply.
    pub faults: Vec<Fault>,
}

impl<T> Reading<T> {
    /// Whether the reply has exactly what was asked for. If not, and entries is not empty, the caller
    /// may still use those, after it has spent its repair request.
    pub fn is_complete(&self) -> bool {
        self.faults.is_empty()
    }

    /// The faults as one line each, for a request that has the model repair its reply.
    pub fn faults_as_lines(&self) -> String {
        let lines: Vec<String> = self.faults.iter().map(Fault::to_string).collect();
        lines.join("\n")
    }

    fn nothing(kind: FaultKind, what: &str) -> Reading<T> {
        Reading {
            entries: Vec::new(),
            faults: vec![Fault::of_reply(kind, what)],
        }
    }

    /// Compares the number of entries with what was asked for, and drops those that are too many.
    fn count(&mut self, given: usize, asked: usize) {
        if given != asked {
            let what = format!("{given} entries, not the {asked} that were asked for");
            self.faults.push(Fault::of_reply(FaultKind::Count, what));
        }
        self.entries.truncate(asked);
    }
}
