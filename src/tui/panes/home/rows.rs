//! The lines of the home pane.

use crate::pane::PaneId;
use crate::theme::Role;
use crate::widgets::meter::stretch;
use crate::widgets::text::{counted, grouped};
use benchtop_model::home::{Home, ItemList, NextStep, PersonActivity, RoundTask};
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::{clean, history};

/// What a part of a line opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The item list with this filter.
    Items(String),
    Pane(PaneId),
    Step(NextStep),
    RemoveSample,
}

/// What a part of a line shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shown {
    Text(String),
    /// Right-aligned in its width.
    Number(String),
    /// A bar of a share in 0..=1.
    Bar(f64),
    /// A sparkline.
    Days(Vec<u64>),
}

/// A part of a line, of this width. The last one gets what is left, and bars as much as there is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub shown: Shown,
    pub width: u16,
    pub role: Role,
    pub link: Option<Link>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line(pub Vec<Part>);

impl Line {
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.0.iter().filter_map(|part| part.link.as_ref())
    }

    fn with(mut self, shown: Shown, width: u16, role: Role) -> Line {
        self.0.push(Part {
            shown,
            width,
            role,
            link: None,
        });
        self
    }

    fn text(self, text: impl Into<String>, width: u16, role: Role) -> Line {
        self.with(Shown::Text(text.into()), width, role)
    }

    fn number(self, n: u64, width: u16) -> Line {
        self.with(Shown::Number(grouped(n)), width, Role::Text)
    }

    /// Makes the last part a link.
    fn link(mut self, link: Link) -> Line {
        if let Some(part) = self.0.last_mut() {
            part.link = Some(link);
        }
        self
    }
}

/// Lines under a heading.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub title: String,
    pub lines: Vec<Line>,
    /// Whether it stands on the right of a wide screen.
    pub right: bool,
}

/// Width of the first part of a line.
const NAME: u16 = 11;
/// Width of a number.
const COUNT: u16 = 11;
/// Jobs and annotators at most.
const JOBS: usize = 4;
const PEOPLE: usize = 6;

/// The blocks, most useful first. Blocks without lines are left out.
pub(super) fn blocks(home: &Home, jobs: &[JobState], who: &str) -> Vec<Block> {
    let block = |title: &str, right, lines| Block {
        title: title.into(),
        lines,
        right,
    };
    let since = home.since.map(|at| {
        let day = history::to_the_second(at).replace('T', " ");
        format!(
            "Since your last verdict ({} UTC)",
            &day[..day.len().min(16)]
        )
    });
    let mut all = vec![
        block("Next", false, next(home)),
        block("Items", false, funnel(home, who)),
        block("Jobs", true, job_lines(jobs)),
        block(&since.unwrap_or_default(), true, changes(home)),
        block("Verdicts per day, last 14 days", true, team(home)),
    ];
    all.retain(|block| !block.lines.is_empty());
    all
}

/// The next steps, then the other open work.
fn next(home: &Home) -> Vec<Line> {
    let step = |step: &NextStep| {
        let (name, detail) = words(step, home);
        Line::default()
            .text(name, 34, Role::Text)
            .link(Link::Step(step.clone()))
            .text(detail, 40, Role::Dim)
    };
    let listed = |wanted: NextStep| home.next.contains(&wanted);
    let rounds = home
        .rounds
        .iter()
        .map(|r| NextStep::JudgeRound(r.name.clone()));
    let disputes = home
        .disputes
        .iter()
        .map(|(r, _)| NextStep::Settle(r.clone()));
    // What can be done at any time, so that it is found here.
    let pending = home.known(ItemList::Items) > home.known(ItemList::Judged);
    let judge = pending.then_some(NextStep::Judge);
    let export = (home.known(ItemList::Accepted) > 0).then_some(NextStep::Export);
    let others: Vec<NextStep> = rounds
        .chain(disputes)
        .chain(judge)
        .chain(export)
        .filter(|s| !listed(s.clone()))
        .collect();
    let mut lines: Vec<Line> = home.next.iter().chain(&others).map(step).collect();
    if home.sample {
        let line = Line::default()
            .text("Remove the sample", 34, Role::Text)
            .link(Link::RemoveSample);
        lines.push(line.text("all of it is made up", 40, Role::Dim));
    }
    lines
}

/// A step in words, and its details.
fn words(step: &NextStep, home: &Home) -> (String, String) {
    let items = |list| counted(home.known(list), "item");
    match step {
        NextStep::AddItems => ("Import items".into(), String::new()),
        NextStep::JudgeRound(name) => {
            let task = home.rounds.iter().find(|task| task.name == *name);
            let detail = task.map_or(String::new(), |task| progress(task, home.median_seconds));
            (format!("Judge the round {}", clean::line(name)), detail)
        }
        NextStep::Settle(name) => {
            let found = home.disputes.iter().find(|(round, _)| round == name);
            let open = found.map_or(0, |(_, open)| *open);
            (
                format!("Settle disputes of {}", clean::line(name)),
                format!("{} open", counted(open, "dispute")),
            )
        }
        NextStep::Generate => ("Generate pictures".into(), {
            let missing = home.known(ItemList::Missing);
            format!("{} without their picture", counted(missing, "item"))
        }),
        NextStep::ReviewFlagged => ("Look at flagged items".into(), items(ItemList::Flagged)),
        NextStep::Judge => {
            let pending = home.known(ItemList::Items) - home.known(ItemList::Judged);
            (
                "Judge items".into(),
                format!("{} pending", counted(pending, "item")),
            )
        }
        NextStep::Evaluate => (
            "Evaluate a model".into(),
            format!("{} accepted", items(ItemList::Accepted)),
        ),
        NextStep::Board => (
            "Look at the board".into(),
            counted(home.prediction_sets, "prediction file"),
        ),
        NextStep::Export => ("Export accepted items".into(), items(ItemList::Accepted)),
    }
}

/// How far a person is in a round, and how long the rest takes at their pace.
fn progress(task: &RoundTask, median_seconds: Option<f64>) -> String {
    let done = format!("{} of {}", grouped(task.judged), grouped(task.share));
    let left = task.share.saturating_sub(task.judged) as f64;
    match median_seconds {
        Some(seconds) => {
            let minutes = (seconds * left / 60.0).ceil() as u64;
            format!("{done}, about {}", stretch(minutes * 60))
        }
        None => done,
    }
}

/// How many items each step has reached.
fn funnel(home: &Home, who: &str) -> Vec<Line> {
    let all = home.known(ItemList::Items).max(1) as f64;
    let link = |list: ItemList| Link::Items(list.filter(who));
    let step = |list: ItemList, besides: Option<(ItemList, &str)>| {
        if home.pending.contains(&list) {
            let line = Line::default().text(list.name(), NAME, Role::Dim);
            return Some(line.text("counting", COUNT, Role::Dim));
        }
        let n = home.count(list)?;
        let mut line = Line::default()
            .text(list.name(), NAME, Role::Dim)
            .with(Shown::Bar(n as f64 / all), 0, Role::Accent)
            .number(n, COUNT)
            .link(link(list));
        let (text, other) = match besides.and_then(|(other, word)| {
            let n = home.count(other).filter(|n| *n > 0)?;
            Some((format!("   {} {word}", grouped(n)), other))
        }) {
            Some((text, other)) => (text, Some(other)),
            None => (String::new(), None),
        };
        line = line.text(text, 22, Role::Text);
        Some(match other {
            Some(other) => line.link(link(other)),
            None => line,
        })
    };
    let steps = [
        step(ItemList::Items, None),
        step(ItemList::Pictures, Some((ItemList::Missing, "missing"))),
        step(ItemList::Passed, Some((ItemList::Flagged, "flagged"))),
        step(ItemList::Judged, Some((ItemList::Own, "by you"))),
        step(ItemList::Accepted, None),
        step(ItemList::Released, None).filter(|_| home.known(ItemList::Released) > 0),
    ];
    steps.into_iter().flatten().collect()
}

/// Unfinished jobs, and what keeps them from running.
fn job_lines(jobs: &[JobState]) -> Vec<Line> {
    let open = jobs
        .iter()
        .filter(|job| !job.standing.is_finished() || job.standing == JobStatus::Failed);
    let line = |job: &JobState| {
        let share = job.of.map_or(0.0, |of| job.done as f64 / of.max(1) as f64);
        let line = Line::default()
            .text(
                format!("{} {}", job.id, clean::line(&job.name)),
                24,
                Role::Text,
            )
            .link(Link::Pane(PaneId::Generate));
        if let Some(reason) = job.reason.as_ref().filter(|_| !job.standing.is_active()) {
            let why = format!("{}: {}", job.standing.name(), clean::line(reason));
            return line.text(why, 40, Role::Warn);
        }
        let rate = match job.left_s {
            Some(left) => format!(" {:.1} per min, {} left", job.rate, stretch(left)),
            None => format!(" {}", job.standing.name()),
        };
        line.with(Shown::Bar(share), 0, Role::Accent)
            .with(
                Shown::Number(format!("{:.0} %", share * 100.0)),
                7,
                Role::Text,
            )
            .text(rate, 28, Role::Dim)
    };
    open.take(JOBS).map(line).collect()
}

/// What others did since the annotator's last verdict.
fn changes(home: &Home) -> Vec<Line> {
    let others = home.people.iter().filter(|person| person.since > 0);
    let line = |person: &PersonActivity| {
        Line::default()
            .text(clean::line(&person.who), NAME, Role::Text)
            .text(counted(person.since, "verdict"), 40, Role::Dim)
    };
    others.take(PEOPLE).map(line).collect()
}

/// The verdicts of each annotator over the last days.
fn team(home: &Home) -> Vec<Line> {
    let line = |person: &PersonActivity| {
        let sum: u64 = person.days.iter().sum();
        let today = person.days.last().copied().unwrap_or(0);
        Line::default()
            .text(clean::line(&person.who), NAME, Role::Text)
            .with(Shown::Days(person.days.clone()), 15, Role::Accent)
            .number(today, 8)
            .text(format!(" today, {} in all", grouped(sum)), 28, Role::Dim)
    };
    home.people.iter().take(PEOPLE).map(line).collect()
}
