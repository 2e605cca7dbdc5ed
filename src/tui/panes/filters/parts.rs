//! The parts around the histogram: scorers, title, counts, groups, samples, and the comparison of
//! two scores.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::actions::name;
use super::draw::{Layout, Shown};
use super::outcome_counts::Counted;
use super::scoring::{items, tried_without_score};
use super::thresholds::{decimals, doubtful_side, number, scale_words};
use super::{FiltersPane, Part, Side, histogram};
use crate::action::Action;
use crate::hits::steps;
use crate::item::Picture;
use crate::panes::review::draw_picture;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::meter::{bar, percent, stretch};
use crate::widgets::text::{self, grouped};
use benchtop_model::brief;
use benchtop_model::scoring::job::{Phase, ScoringState};
use benchtop_model::scoring::queries::{ScorerState, Share};
use benchtop_model::scoring::{Outcome, ScoreState};

/// The least height of the details of a scorer.
const DETAIL: u16 = 8;

/// The color of a phase.
fn role(phase: Phase) -> Role {
    match phase {
        Phase::Running => Role::Accent,
        Phase::Queued => Role::Pending,
        Phase::Paused => Role::Warn,
        Phase::Blocked => Role::Bad,
        Phase::Done => Role::Good,
        Phase::Cancelled => Role::Dim,
    }
}

/// The state of a scorer in a few columns.
fn short(scorer: &ScorerState) -> (String, Role) {
    let scored = items(scorer, ScoreState::Scored);
    match &scorer.job {
        Some(job) if !job.phase.is_finished() => {
            let far = job
                .of
                .filter(|of| *of > 0)
                .map(|of| percent(job.done as f64 / of as f64).trim().to_string());
            (
                far.filter(|_| job.phase == Phase::Running)
                    .unwrap_or(job.phase.name().into()),
                role(job.phase),
            )
        }
        _ if scored == 0 && scorer.not_ready.is_some() => ("not ready".into(), Role::Warn),
        _ if scored == 0 => ("-".into(), Role::Dim),
        _ => (grouped(scored), Role::Text),
    }
}

impl FiltersPane {
    pub(super) fn draw_scorers(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(Ok(list)) = &self.scorers else {
            return;
        };
        if area.is_empty() {
            return;
        }
        let mut top = Lines::new(area, buf, look);
        top.text("scores (n, N)", Role::Heading);
        let room = usize::from(area.height.saturating_sub(1 + DETAIL)).max(3);
        // The page of the list with the cursor.
        let page = list.chunks(room).nth(self.at / room).unwrap_or(&[]);
        let wide = usize::from(area.width);
        let rest = top.rest();
        for (row, (y, scorer)) in (rest.y..rest.bottom()).zip(page).enumerate() {
            let here = row == self.at % room;
            let line = Rect {
                y,
                height: 1,
                ..area
            };
            let by = row as i64 - (self.at % room) as i64;
            let scores = [Action::PreviousScore, Action::NextScore];
            look.hits.go(line, steps(by, scores), None);
            let (words, role) = short(scorer);
            let mark = look.cursor_mark(here);
            let mut style = look.style(if here { Role::Accent } else { Role::Text });
            if here {
                style = style.add_modifier(Modifier::BOLD);
            }
            buf.set_string(area.x, y, mark, look.style(Role::Gutter));
            let name = text::fit(
                &scorer.scorer.name(),
                wide.saturating_sub(text::width(&words) + 2),
            );
            buf.set_stringn(area.x + 1, y, name, wide - 1, style);
            let x = area.right().saturating_sub(text::width(&words) as u16);
            buf.set_string(x.max(area.x), y, words, look.style(role));
        }
        let below = areas::top(rest, page.len() as u16 + 1).1;
        if let Some(scorer) = self.scorer() {
            draw_scorer(scorer, &mut Lines::new(below, buf, look));
        }
    }

    pub(super) fn draw_title(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(measure) = self.measure() else {
            return;
        };
        let mut title = format!(
            " {}: {}",
            measure.scorer,
            scale_words(&measure, self.logit())
        );
        if let Some(only) = &self.only {
            let value = if only.is_empty() { "(none)" } else { only };
            title += &format!("  only {} {value}", self.by.name());
        }
        if !self.filter.is_empty() {
            title += &format!("  [{}]", self.filter.to_text());
        }
        let mut lines = Lines::new(area, buf, look);
        match &self.failed {
            Some(why) if self.shown().is_some() => lines.text(&format!(" {why}"), Role::Bad),
            _ => lines.text(&title, Role::Heading),
        }
    }

    /// Draws the counts by outcome, precision, and recall.
    pub(super) fn draw_counts(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some((.., now)) = self.shown() else {
            return;
        };
        let mut lines = Lines::new(area, buf, look);
        // Counts from the bars are estimates until the owner replies.
        let about = if now.exact { "" } else { "~" };
        let all: u64 = now.items.iter().sum();
        let share = |n: u64| percent(n as f64 / all.max(1) as f64);
        let count = |outcome: Outcome| {
            let n = now.items[usize::from(outcome.code())];
            (outcome, format!("{about}{}", grouped(n)), share(n))
        };
        let counts = Outcome::ALL.map(count);
        if area.height >= 8 {
            for (outcome, n, share) in counts {
                lines.text(
                    &format!(
                        " {:<11} {n:>10} {share}",
                        crate::panes::outcome_word(outcome)
                    ),
                    histogram::role(outcome),
                );
            }
        } else {
            let words = counts.map(|(outcome, n, share)| {
                format!(
                    "{} {n} {}",
                    crate::panes::outcome_word(outcome),
                    share.replace(' ', "")
                )
            });
            lines.text(&format!(" {}", words.join("  ")), Role::Text);
        }
        self.draw_difference(&mut lines);
        draw_quality(&now, about, &mut lines);
        if let (Some(share), Some(measure)) = (now.percentile, self.measure()) {
            let side = doubtful_side(&measure);
            lines.text(
                &format!(
                    " {about}{:.1} % of scored items are {side} the flag threshold",
                    100.0 * share
                ),
                Role::Dim,
            );
        }
    }

    fn draw_difference(&self, lines: &mut Lines<'_>) {
        let line = self.line(self.active);
        let at = line.map_or(format!("no {} threshold", name(self.active)), |l| {
            format!("at {}", number(l))
        });
        if let Some(why) = self.rules.locked() {
            return lines.text(&format!(" {at}; {why}"), Role::Warn);
        }
        if let Some(problem) = self.rules.problem() {
            return lines.text(
                &format!(" cannot read the rules (R, e): {problem}"),
                Role::Bad,
            );
        }
        if !self.rules.is_edited() {
            return lines.text(&format!(" {at}: saved"), Role::Dim);
        }
        match self.rules.difference() {
            Some((words, exact)) => {
                let about = if exact { "" } else { "~" };
                lines.text(&format!(" {at}: {about}{words} (w saves)"), Role::Accent);
            }
            None => lines.text(&format!(" {at}: counting changes"), Role::Dim),
        }
    }

    pub(super) fn draw_groups(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        if area.height < 2 {
            return;
        }
        let pending = self.shown().is_some_and(|(.., now)| !now.exact);
        let mut note = match self.across {
            Some(across) => format!("by {} and {}", self.by.name(), across.name()),
            None => format!("by {}; b: next, B: split", self.by.name()),
        };
        if pending {
            note = "~ counting".into();
        } else if self.part == Part::Groups {
            note += "  o: only  t: own  enter: items";
        }
        self.groups.set_note(note);
        self.focus(Part::Groups, look);
        self.groups.draw(area, buf, look);
        look.hits.focus(None, 0);
    }

    /// Declares which part of the pane the areas that follow belong to.
    fn focus(&self, part: Part, look: &Look) {
        let order = [Part::Groups, Part::Samples, Part::Pair];
        let at = |part: Part| order.iter().position(|p| *p == part).unwrap_or(0);
        let times = (at(part) + order.len() - at(self.part)) % order.len();
        look.hits.focus(Action::NextPart, times);
    }

    pub(super) fn draw_samples(
        &self,
        parts: &Layout,
        pictures: &Shown,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let (area, places) = (parts.samples, parts.pictures());
        if places[0].is_empty() {
            return;
        }
        let Some((_, tuning, _)) = self.shown() else {
            return;
        };
        let here = self.part == Part::Samples;
        self.focus(Part::Samples, look);
        let samples = [Action::Up, Action::Down];
        look.hits.wheel(area, samples, 1);
        look.hits.focus(None, 0);
        let mut lines = Lines::new(area, buf, look);
        let keys = if here {
            "  j/k  space: side  enter: review"
        } else {
            "  tab: browse"
        };
        let heading = if self.line(self.active).is_some() {
            "pictures at the threshold"
        } else {
            "no threshold: no samples"
        };
        lines.text(&format!(" {heading}{keys}"), Role::Heading);
        let digits = decimals(tuning.ends.1 - tuning.ends.0);
        for (at, sample) in self.samples().into_iter().enumerate() {
            let place = places[at];
            let Some(sample) = sample else { continue };
            let none = Picture::None("this item has none".into());
            let picture = pictures.0[at].as_ref().unwrap_or(&none);
            draw_picture(picture, false, place, buf, look);
            let chosen = here && (self.side == Side::Doubtful) == (at == 0);
            let mark = look.cursor_mark(chosen);
            let role = histogram::role(if at == 0 {
                self.active.outcome()
            } else {
                Outcome::Kept
            });
            let words = format!("{mark}#{}  {:.digits$}", sample.number, sample.value);
            let below = Rect {
                y: place.bottom(),
                height: 2,
                ..place
            };
            let mut captions = Lines::new(below, buf, look);
            captions.text(&words, role);
            captions.text(&format!(" {}", sample.text), Role::Dim);
        }
    }

    pub(super) fn draw_pair(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some((asked, tuning, _)) = self.shown().filter(|_| !area.is_empty()) else {
            return;
        };
        let mut lines = Lines::new(area, buf, look);
        let (Some((other, line)), Some(pair)) = (&asked.other, tuning.pair) else {
            return lines.wrapped(" v: compare with another score", Role::Dim);
        };
        let side = if doubtful_side(other) == "below" {
            '<'
        } else {
            '>'
        };
        lines.text(
            &format!(
                " against {other}, doubtful {side} {}  v: change",
                number(*line)
            ),
            Role::Heading,
        );
        lines.text(
            &format!(" {:<22} {:>10} {:>10}", "", "kept there", "doubtful"),
            Role::Dim,
        );
        let here = tuning.measure.scorer.name();
        for (row, name) in pair.iter().zip(["kept", "doubtful"]) {
            let label = text::fit(&format!("{name} by {here}"), 22);
            lines.text(
                &format!(
                    " {label:<22} {:>10} {:>10}",
                    grouped(row[0]),
                    grouped(row[1])
                ),
                Role::Text,
            );
        }
        let all: u64 = pair.iter().flatten().sum();
        let agree = pair[0][0] + pair[1][1];
        let words = match all {
            0 => " no item has both scores".to_string(),
            _ => {
                format!(
                    " they agree on {:.1} % of {} items with both",
                    100.0 * agree as f64 / all as f64,
                    grouped(all)
                )
            }
        };
        lines.text(&words, Role::Accent);
    }
}

fn share_words(share: &Share) -> String {
    format!(
        "{:.0} % ({:.0} to {:.0})",
        100.0 * share.share(),
        100.0 * share.low,
        100.0 * share.high
    )
}

fn draw_quality(now: &Counted, about: &str, lines: &mut Lines<'_>) {
    match now.precision {
        share if share.n == 0 => lines.text(
            " precision: no flagged or quarantined item judged yet",
            Role::Dim,
        ),
        share => {
            let words = format!(" precision {about}{}", share_words(&share));
            lines.text(
                &format!(
                    "{words}, {} of {} rejected",
                    grouped(share.k),
                    grouped(share.n)
                ),
                Role::Text,
            );
        }
    }
    match now.recall {
        share if share.n == 0 => lines.text(" recall: no item rejected yet", Role::Dim),
        share => {
            let words = format!(" recall {about}{}", share_words(&share));
            lines.text(
                &format!(
                    "{words}, {} of {} rejected doubtful",
                    grouped(share.k),
                    grouped(share.n)
                ),
                Role::Text,
            );
        }
    }
}

/// Draws the details of a scorer.
fn draw_scorer(scorer: &ScorerState, lines: &mut Lines<'_>) {
    lines.wrapped(&scorer.what, Role::Dim);
    let (scored, missing) = (
        items(scorer, ScoreState::Scored),
        items(scorer, ScoreState::Missing),
    );
    lines.text(&format!("scored  {}", grouped(scored)), Role::Text);
    lines.text(
        &format!("missing {}", grouped(missing)),
        if missing > 0 { Role::Warn } else { Role::Dim },
    );
    let tried = tried_without_score(scorer);
    if tried > 0 {
        let part = |state: ScoreState| match items(scorer, state) {
            0 => None,
            n => Some(format!("{} {}", grouped(n), state.name())),
        };
        let parts: Vec<String> = ScoreState::ALL[2..]
            .iter()
            .filter_map(|s| part(*s))
            .collect();
        lines.wrapped(
            &format!("unscored {}: {}", grouped(tried), parts.join(", ")),
            Role::Dim,
        );
    }
    if let Some(why) = &scorer.not_ready {
        let more = match brief::shortens(why) {
            true => " (enter: more)",
            false => "",
        };
        let why = brief::of_text(why);
        lines.wrapped(&format!("not ready: {why}{more}"), Role::Warn);
    }
    if let Some(job) = &scorer.job {
        draw_job(job, lines);
    } else if scorer.not_ready.is_none() && missing > 0 {
        lines.text("press s to score", Role::Hint);
    }
}

fn draw_job(job: &ScoringState, lines: &mut Lines<'_>) {
    let of = job.of.map_or("?".into(), grouped);
    lines.wrapped(
        &format!("{}: {} of {of}", job.phase.name(), grouped(job.done)),
        role(job.phase),
    );
    if let Some(of) = job.of.filter(|of| *of > 0 && !job.phase.is_finished()) {
        let width = lines.width().saturating_sub(6).min(24);
        let share = job.done as f64 / of as f64;
        lines.text(
            &format!(
                "{} {}",
                bar(share, width, lines.look().accessible),
                percent(share)
            ),
            role(job.phase),
        );
    }
    if let Some(rate) = job.per_minute.filter(|_| job.phase == Phase::Running) {
        let left = job
            .eta_seconds()
            .map_or(String::new(), |s| format!(", {} left", stretch(s)));
        lines.wrapped(&format!("{rate:.0}/min{left}"), Role::Text);
    }
    if let Some((sent, received)) = job.tokens {
        let cost = job
            .cost_micros
            .map_or(String::new(), |c| format!(", cost {:.2}", c as f64 / 1e6));
        lines.wrapped(
            &format!(
                "{} tokens in, {} out{cost}",
                grouped(sent),
                grouped(received)
            ),
            Role::Dim,
        );
    }
    if let Some(why) = &job.why {
        lines.wrapped(
            &text::clean(why),
            if job.phase == Phase::Blocked {
                Role::Bad
            } else {
                Role::Warn
            },
        );
    }
    if !job.device.is_empty() {
        lines.wrapped(&format!("with {}", job.device), Role::Dim);
    }
}
