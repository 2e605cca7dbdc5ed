use super::*;
use crate::model::ColourLevel;
use crate::model::board::Row;
use crate::tui::theme::Theme;

/// Wilson's score interval, z = 1.96 (Wilson 1927).
fn wilson(k: u64, n: u64) -> (f64, f64) {
    let (k, n, z) = (k as f64, n as f64, 1.96_f64);
    let (p, w) = (k / n, 1.0 + z * z / n);
    let middle = (p + z * z / (2.0 * n)) / w;
    let half = z / w * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (middle - half, middle + half)
}

fn board() -> Board {
    let column = |name: &str, group: &str| Column::share(name, group, &format!("one unit of {name} is a pair"));
    let columns = vec![column("qAcc.L_l", "qAcc"), column("qAcc.L_h", "qAcc"), column("mAcc.L_m", "mAcc")];
    let cell = |k, n| Some(Cell::Share { k, n });
    let row = |model: &str, cells: [Option<Cell>; 3], duplicate| Row {
        model: model.into(),
        cells: cells.to_vec(),
        counts: Counts { used: 1872, duplicate, ..Counts::default() },
        reference: None,
    };
    let rows = vec![
        row("GPT4o", [cell(229, 270), cell(180, 230), cell(66, 169)], 6231),
        row("MiniCPM-V-2", [cell(190, 270), cell(12, 20), None], 0),
    ];
    Board { questions: 500, columns, rows, notes: vec!["GPT4o: every row twice".into()] }
}

fn drawn(pane: &mut BoardPane) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColourLevel::True, false);
    let area = Rect::new(0, 0, 90, 16);
    let mut buf = Buffer::empty(area);
    pane.draw(area, &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| l.iter().map(|c| c.symbol()).collect::<String>().trim_end().to_string();
    buf.content.chunks(90).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_cell_shows_its_count_and_interval_and_opens() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.act(Action::Right);
    let shown = drawn(&mut pane);
    assert!(shown.contains("qAcc.L_l:  84.81 % = 229/270  95 % 80.0-88.6 (Wilson)"), "{shown}");
    assert!(shown.contains("one unit of qAcc.L_l is a pair") && shown.contains("note 1/1: GPT4o: every row twice"));
    assert!(shown.contains("doubled  6,231"), "{shown}");
    let effects = pane.act(Action::Open);
    assert!(
        matches!(&effects[..], [BoardEffect::Behind { model, column }] if model == "GPT4o" && column == "qAcc.L_l")
    );
}

#[test]
fn small_counts_are_starred_and_missing_cells_refuse() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.act(Action::Down);
    pane.act(Action::Right);
    pane.act(Action::Right);
    let shown = drawn(&mut pane);
    assert!(shown.contains("60.0*") && shown.contains("* fewer than 30 units"), "{shown}");
    assert!(shown.contains("n < 30: too few to rank"), "{shown}");
    pane.act(Action::Right);
    assert!(drawn(&mut pane).contains("mAcc.L_m: no answers"));
    assert!(matches!(&pane.act(Action::Open)[..], [BoardEffect::Refuse(_)]));
}

#[test]
fn sorting_leaves_missing_last_and_the_detail_follows_the_row() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.go_to_column(3);
    for action in [Action::SortAscending, Action::SortDescending] {
        pane.act(action);
        pane.act(Action::Bottom);
        assert!(drawn(&mut pane).contains("\nmAcc.L_m: no answers"));
    }
    pane.go_to_column(1);
    pane.act(Action::SortAscending);
    assert!(drawn(&mut pane).contains("\nqAcc.L_l:  70.37 % = 190/270"));
}

#[test]
fn layers_open_and_back_closes_them_one_by_one() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.act(Action::Frequency);
    assert!(drawn(&mut pane).contains("how often each value of `model` occurs"));
    pane.act(Action::Select);
    assert_eq!(pane.table.state().selected().len(), 1);
    pane.act(Action::Open);
    assert_eq!(pane.table.window().total, 1);
    assert!(pane.act(Action::Back).is_empty());
    assert_eq!(pane.table.window().total, 2);
    pane.act(Action::Describe);
    pane.act(Action::Down);
    pane.act(Action::Open);
    assert_eq!(pane.table.state().column(), 1);
    pane.go_to_column(0);
    pane.act(Action::Open);
    assert!(drawn(&mut pane).contains("every row twice"));
    assert_eq!(pane.scopes()[0], Scope::Overlay);
    pane.act(Action::MenuOk);
    pane.show_behind("GPT4o", "qAcc.L_l", vec![]);
    assert!(drawn(&mut pane).contains("answers of GPT4o behind qAcc.L_l"));
    pane.act(Action::Back);
    assert!(matches!(&pane.act(Action::Back)[..], [BoardEffect::Leave]));
}

#[test]
fn a_copy_has_the_full_column_names() {
    let mut pane = BoardPane::with_decimals(board(), wilson, 2);
    let effects = pane.copy(CopyWhat::Page { first: 0, count: 9 }, CopyFormat::Tsv);
    let [BoardEffect::Copy { text, rows: 2 }] = &effects[..] else { panic!("{effects:?}") };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "model\tqAcc.L_l\tqAcc.L_h\tmAcc.L_m\tused\tmissing\textra\tdoubled\tunparsed\trefused");
    assert_eq!(lines[2], "MiniCPM-V-2\t70.37\t60.00*\t-\t1,872\t0\t0\t0\t0\t0");
}

#[test]
fn an_empty_board_says_how_to_fill_it() {
    let mut pane = BoardPane::new(Board::default(), wilson);
    assert!(drawn(&mut pane).contains("Nothing here yet"));
    assert!(matches!(&pane.act(Action::Open)[..], [BoardEffect::Refuse(_)]));
}
