//! The answers behind a cell of the leaderboard, with their units and parsed values.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layer::{Layer, LayerEffect};
use crate::action::{Action, Scope};
use crate::pane::Scene;
use crate::theme::Role;
use crate::widgets::table::{Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text;
use benchtop_model::board::AnswerDetail;
use benchtop_model::sorting::sort_by;

#[derive(Clone, Debug)]
pub struct DrilldownView {
    model: String,
    /// The column that the answers belong to. `None` for a list under a title of its own.
    pub(super) column: Option<String>,
    answers: Vec<AnswerDetail>,
    /// The number of answers, including those that were not sent.
    all: u64,
    order: AnswerOrder,
    table: LocalTable,
}

/// The visible answers of a list, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswerOrder {
    /// Indexes of the answers. Row ids are indexes into it.
    rows: Vec<usize>,
    only_wrong: bool,
    wrong_first: bool,
}

impl AnswerOrder {
    /// Whether it is not the order of the list.
    pub(super) fn is_changed(&self) -> bool {
        self.only_wrong || self.wrong_first
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Runs an action that changes the order. False for any other action.
    pub(super) fn act(&mut self, action: Action) -> bool {
        match action {
            Action::OnlyWrong => self.only_wrong = !self.only_wrong,
            Action::WrongFirst => self.wrong_first = !self.wrong_first,
            _ => return false,
        }
        true
    }

    /// Sorts and filters the answers, and fills the table with their cells. `hints` explain an
    /// empty table: if only wrong answers are shown, and otherwise.
    pub(super) fn fill<T>(
        &mut self,
        table: &mut LocalTable,
        answers: &[T],
        answer: impl Fn(&T) -> &AnswerDetail,
        cells: impl Fn(&T) -> Vec<LocalCell>,
        hints: [&str; 2],
        note: Option<String>,
    ) {
        let of = |at: &usize| answer(&answers[*at]);
        let shown = |at: &usize| !self.only_wrong || of(at).right == Some(false);
        self.rows = (0..answers.len()).filter(shown).collect();
        if self.wrong_first {
            // Answers that were not compared yet come last.
            let worth = |at: &usize| of(at).score().unwrap_or(f32::INFINITY);
            sort_by(&mut self.rows, |a, b| worth(a).total_cmp(&worth(b)));
        }
        let rows = self.rows.iter().map(|at| cells(&answers[*at])).collect();
        let hint = hints[usize::from(!self.only_wrong)];
        table.set_rows(rows, Empty::Nothing(hint.into()));
        let order = match (self.only_wrong, self.wrong_first) {
            (true, _) => Some("only wrong".to_string()),
            (false, true) => Some("wrong first".to_string()),
            (false, false) => None,
        };
        let notes: Vec<String> = note.into_iter().chain(order).collect();
        table.set_note(notes.join("; "));
    }

    /// The answer of a row.
    pub(super) fn answer<'a, T>(&self, id: u64, answers: &'a [T]) -> Option<&'a T> {
        answers.get(*self.rows.get(usize::try_from(id).ok()?)?)
    }

    /// The answer under the cursor.
    pub(super) fn current<'a, T>(&self, table: &LocalTable, answers: &'a [T]) -> Option<&'a T> {
        self.answer(table.cursor_id()?, answers)
    }
}

pub(super) fn right(is: bool) -> (&'static str, Role) {
    if is {
        ("right", Role::Good)
    } else {
        ("wrong", Role::Bad)
    }
}

/// A cell with right or wrong, or with the similarity to the reference or the grade.
pub(super) fn judged(is: Option<bool>, similarity: Option<f32>) -> LocalCell {
    match (is.map(right), similarity) {
        (Some((word, role)), _) => LocalCell::text(word).role(role),
        (None, Some(similarity)) => {
            LocalCell::number(format!("{similarity:.2}"), Some(f64::from(similarity)))
        }
        (None, None) => or_none(None, "-"),
    }
}

pub(super) fn or_none(text: Option<&String>, none: &str) -> LocalCell {
    text.map_or_else(|| LocalCell::text(none).role(Role::Dim), LocalCell::text)
}

/// The text for an answer that was not parsed.
pub(super) fn unread(b: &AnswerDetail) -> &'static str {
    match b {
        b if b.declined => "(refused)",
        AnswerDetail {
            right: None,
            similarity: None,
            ..
        } => "not compared",
        AnswerDetail { right: None, .. } => "free form",
        _ => "(unparsed)",
    }
}

impl DrilldownView {
    /// A list of the answers behind the cell of `model` and `column`: the first ones of `all`.
    pub fn new(model: &str, column: &str, answers: Vec<AnswerDetail>, all: u64) -> DrilldownView {
        let title = format!("{column}: answers of {model}");
        DrilldownView {
            column: Some(column.to_string()),
            ..DrilldownView::titled(title, model, answers, all)
        }
    }

    /// A list of a model's answers under a title.
    pub fn titled(
        title: String,
        model: &str,
        answers: Vec<AnswerDetail>,
        all: u64,
    ) -> DrilldownView {
        let has_tool = answers.iter().any(|b| b.tool.is_some());
        let mut columns = vec![
            Spec::text("unit", 12),
            Spec::text("unit is", 7),
            Spec::text("answer is", 9),
        ];
        columns.extend([
            Spec::text("question", 10),
            Spec::text("gold", 8),
            Spec::text("parsed", 12),
        ]);
        if has_tool {
            columns.push(Spec::text("tool", 10));
        }
        columns.push(Spec::text("raw output", 24));
        columns.iter_mut().for_each(|c| c.group.clone_from(&title));
        let hint = "no answers that may be shown; esc goes back".into();
        let table = LocalTable::new(columns, Vec::new(), 1, Empty::Nothing(hint));
        let model = model.to_string();
        let order = AnswerOrder::default();
        let mut view = DrilldownView {
            model,
            column: None,
            answers,
            all,
            order,
            table,
        };
        view.arrange();
        view
    }

    /// Sorts and filters the answers.
    fn arrange(&mut self) {
        let has_tool = self.table.columns().iter().any(|c| c.name == "tool");
        let line = |b: &AnswerDetail| {
            let (unit, key, gold) = (
                LocalCell::text(&b.unit),
                LocalCell::text(&b.key),
                LocalCell::text(&b.gold),
            );
            let (read, output) = (
                or_none(b.extracted.as_ref(), unread(b)),
                or_none(b.output.as_ref(), "(no answer)"),
            );
            let mut cells = vec![
                unit,
                judged(b.unit_right, None),
                judged(b.right, b.similarity),
                key,
                gold,
                read,
            ];
            if has_tool {
                cells.push(or_none(
                    b.tool.as_ref().map(|tool| tool.describe()).as_ref(),
                    "-",
                ));
            }
            cells.push(output);
            cells
        };
        let sent = self.answers.len() as u64;
        let note = (sent < self.all).then(|| {
            format!(
                "first {} of {}",
                text::grouped(sent),
                text::grouped(self.all)
            )
        });
        let nothing = "no answers that may be shown; esc goes back";
        let hints = ["no wrong answers", nothing];
        let table = &mut self.table;
        self.order
            .fill(table, &self.answers, |b| b, line, hints, note);
    }

    pub fn current(&self) -> Option<&AnswerDetail> {
        self.order.current(&self.table, &self.answers)
    }

    /// Goes to the next or previous answer. `None` if there is none.
    pub(super) fn step(&mut self, forward: bool) -> Option<LayerEffect> {
        let before = self.table.cursor_id();
        self.table
            .act(if forward { Action::Down } else { Action::Up });
        if self.table.cursor_id() == before {
            None
        } else {
            self.show()
        }
    }

    fn show(&self) -> Option<LayerEffect> {
        let (item, model) = (self.current()?.item.clone(), self.model.clone());
        Some(LayerEffect::Question { item, model })
    }
}

impl Layer for DrilldownView {
    fn scopes(&self) -> &'static [Scope] {
        &[Scope::Drilldown, Scope::Table, Scope::Global]
    }

    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        Some(&mut self.table)
    }

    fn act(&mut self, action: Action) -> Vec<LayerEffect> {
        if !self.order.act(action) {
            return self.act_on_table(action);
        }
        self.arrange();
        vec![]
    }

    /// Shows all answers to the question.
    fn open(&self, _: usize) -> LayerEffect {
        let show = self.show();
        show.unwrap_or_else(|| LayerEffect::refuse("nothing to open"))
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        self.table.widen(area.width);
        self.table.draw(area, buf, scene.look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Look;
    use crate::widgets::table::{Answer, TableEffect};
    use crate::{ColorLevel, Theme};

    fn behind(output: Option<&str>) -> AnswerDetail {
        AnswerDetail {
            unit: "pair 17 low".into(),
            unit_right: Some(false),
            key: "412".into(),
            item: "mvp/412".into(),
            question: "Is the dog asleep?".into(),
            gold: "yes".into(),
            output: output.map(Into::into),
            reasoning: None,
            extracted: output.map(|_| "no".into()),
            declined: false,
            trace: "before the first full stop: `No`\nfolded: `no`".into(),
            right: Some(false),
            similarity: None,
            tool: None,
        }
    }

    #[test]
    fn enter_shows_the_question_and_step_the_next_one() {
        let next = AnswerDetail {
            item: "mvp/413".into(),
            ..behind(None)
        };
        let mut view = DrilldownView::new("m", "qAcc.L_l", vec![behind(Some("No.")), next], 2);
        let effects = view.act(Action::Open);
        let [LayerEffect::Question { item, model }] = &effects[..] else {
            panic!("{effects:?}")
        };
        assert_eq!((item.as_str(), model.as_str()), ("mvp/412", "m"));
        assert!(
            matches!(view.step(true), Some(LayerEffect::Question { item, .. }) if item == "mvp/413")
        );
        assert!(
            view.step(true).is_none() && view.current().unwrap().output.is_none(),
            "this is the last answer"
        );
        assert!(
            matches!(view.step(false), Some(LayerEffect::Question { item, .. }) if item == "mvp/412")
        );
    }

    #[test]
    fn wrong_answers_come_first_or_alone() {
        let of = |key: &str, right: bool| AnswerDetail {
            key: key.into(),
            right: Some(right),
            ..behind(Some("x"))
        };
        let answers = vec![of("1", true), of("2", false), of("3", true), of("4", false)];
        let mut view = DrilldownView::new("m", "c", answers, 9);
        let keys = |view: &DrilldownView| {
            view.order
                .rows
                .iter()
                .map(|at| view.answers[*at].key.clone())
                .collect::<Vec<_>>()
        };
        view.act(Action::WrongFirst);
        assert_eq!(keys(&view), ["2", "4", "1", "3"]);
        assert_eq!(view.current().unwrap().key, "2");
        view.act(Action::OnlyWrong);
        view.act(Action::Down);
        assert_eq!(
            (keys(&view).len(), view.current().unwrap().key.as_str()),
            (2, "4")
        );
        view.act(Action::OnlyWrong);
        view.act(Action::WrongFirst);
        assert_eq!(keys(&view), ["1", "2", "3", "4"]);
    }

    #[test]
    fn a_free_form_answer_has_a_similarity_or_a_grade() {
        let free = |key: &str, similarity: Option<f32>| {
            let of = behind(Some("a dog"));
            AnswerDetail {
                key: key.into(),
                right: None,
                unit_right: None,
                similarity,
                extracted: None,
                ..of
            }
        };
        let wrong = AnswerDetail {
            key: "5".into(),
            ..behind(None)
        };
        let answers = vec![
            free("1", Some(0.91)),
            free("2", None),
            free("3", Some(0.25)),
            wrong,
        ];
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
        let mut view = DrilldownView::new("m", "c", answers, 4);
        let area = Rect::new(0, 0, 100, 8);
        let mut buf = Buffer::empty(area);
        view.table.widen(area.width);
        view.table.draw(area, &mut buf, &look);
        let line = |y: u16| (0..100).map(|x| buf[(x, y)].symbol()).collect::<String>();
        let shown = (0..8).map(line).collect::<Vec<_>>().join("\n");
        assert!(
            shown.contains("0.91") && shown.contains("free form") && shown.contains("not compared"),
            "{shown}"
        );
        assert_eq!(
            shown.matches("wrong").count(),
            2,
            "unit and answer of the one without an output: {shown}"
        );
        view.act(Action::WrongFirst);
        let keys: Vec<_> = view
            .order
            .rows
            .iter()
            .map(|at| view.answers[*at].key.clone())
            .collect();
        assert_eq!(keys, ["5", "3", "1", "2"]);
        view.act(Action::OnlyWrong);
        assert_eq!(view.order.len(), 1);
    }

    #[test]
    fn an_empty_list_opens_nothing() {
        let mut view = DrilldownView::new("m", "c", vec![], 0);
        assert!(matches!(
            &view.act(Action::Open)[..],
            [LayerEffect::Table(Answer::Effect(TableEffect::Refuse(_)))]
        ));
        assert!(view.current().is_none());
    }
}
