use benchtop::model::board::{Behind, Board, Cell, Column, Counts, Row};
use benchtop::tui::action::Action;
use benchtop::tui::panes::board::BoardPane;

use super::{SIZES, accessible, check, frame, look};

/// A fixed margin instead of a real interval: these tests are about the picture.
pub(super) fn margin(k: u64, n: u64) -> (f64, f64) {
    let p = k as f64 / n as f64;
    ((p - 0.05).max(0.0), (p + 0.05).min(1.0))
}

pub(super) fn board() -> Board {
    let mut columns = Vec::new();
    let mut sizes = Vec::new();
    let mut add = |group: &str, names: &[(&str, u64)]| {
        for (name, n) in names {
            let name = format!("{group}.{name}");
            let help = format!("{name}: a unit is a question with its pair of images; right when both answers are");
            columns.push(Column::share(name, group, &help));
            sizes.push(*n);
        }
    };
    add("qAcc", &[("L_l", 270), ("L_h", 230), ("L_m", 500)]);
    add("aAcc", &[("L_l", 540), ("L_h", 460), ("L_m", 1000)]);
    add("iAcc", &[("N", 169), ("M", 169), ("N+M", 338)]);
    add("mAcc", &[("L_m", 169)]);
    add("Circular", &[("CI.L_l", 227), ("CI.L_h", 227), ("SI.L_h", 418)]);
    add("Vanilla", &[("CI.L_l", 227), ("CI.L_h", 227), ("SI.L_h", 418)]);
    add("qAcc", &[("B1", 66), ("B2", 45), ("B3", 56), ("R1", 37), ("I1", 26), ("E1", 38), ("S1", 13), ("S2", 28)]);
    let models = ["GPT4o", "MiniCPM-V-2", "deepseek_vl_1.3b", "llava_v1.5_13b"];
    let row = |(m, model): (usize, &&str)| Row {
        model: (*model).into(),
        cells: sizes
            .iter()
            .enumerate()
            .map(|(i, n)| {
                (m != 2 || i != 9).then(|| Cell::Share { k: n * (80 - 7 * m as u64 - i as u64) / 100, n: *n })
            })
            .collect(),
        counts: Counts {
            used: 6231,
            duplicate: if m == 0 { 6231 } else { 0 },
            missing: 3 * m as u64,
            unparsed: 17 * m as u64,
            extra: 0,
            refused: 0,
        },
        reference: None,
    };
    let notes = vec![
        "GPT4o: every row is given twice; the first of each is used".to_string(),
        "the category of a question is reverse-engineered from its id".to_string(),
        "Vanilla: the first rotation of the circular file".to_string(),
    ];
    Board { questions: 1872, columns, rows: models.iter().enumerate().map(row).collect(), notes }
}

fn behind() -> Vec<Behind> {
    let one = |i: u64| Behind {
        unit: format!("pair {} low", i / 2 + 17),
        unit_right: i < 2,
        key: format!("{}", 400 + i),
        item: format!("mvp-bench/{}", 400 + i),
        question: "Is the person in the picture running away from the dog?".into(),
        gold: "Yes".into(),
        output: (i != 3).then(|| format!("Yes, the person appears to be running. (variant {i})")),
        extracted: (i != 3 && i != 4).then(|| "yes".into()),
        trace: "text before the first full stop: `Yes, the person appears to be running`\n\
                text before the first comma: `Yes`\nfolded: `yes`"
            .into(),
        right: i != 3 && i != 4,
    };
    (0..6).map(one).collect()
}

#[test]
fn leaderboard() {
    for size in SIZES {
        let picture = frame(size, |area, buf| {
            let mut pane = BoardPane::new(board(), margin);
            for action in [Action::Right, Action::SortDescending, Action::Down, Action::Right] {
                pane.act(action);
            }
            pane.draw(area, buf, &look());
        });
        check("leaderboard", size, &picture);
    }
}

#[test]
fn leaderboard_scrolled_to_its_categories() {
    let size = SIZES[0];
    let picture = frame(size, |area, buf| {
        let mut pane = BoardPane::new(board(), margin);
        pane.draw(area, &mut buf.clone(), &look());
        for _ in 0..6 {
            pane.act(Action::NextMeasure);
        }
        for _ in 0..6 {
            pane.act(Action::Right);
        }
        pane.draw(area, buf, &look());
    });
    check("leaderboard_categories", size, &picture);
}

#[test]
fn leaderboard_for_a_screen_reader() {
    let size = SIZES[0];
    let picture = frame(size, |area, buf| {
        let mut pane = BoardPane::with_decimals(board(), margin, 2);
        pane.act(Action::SortAscending);
        pane.draw(area, buf, &accessible());
    });
    assert!(!picture.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)));
    check("leaderboard_accessible", size, &picture);
}

#[test]
fn answers_behind_a_cell_and_one_in_full() {
    for size in SIZES {
        let mut pane = BoardPane::new(board(), margin);
        pane.show_behind("MiniCPM-V-2", "qAcc.L_l", behind());
        let list = frame(size, |area, buf| pane.draw(area, buf, &look()));
        check("behind", size, &list);
        pane.act(Action::Open);
        let full = frame(size, |area, buf| pane.draw(area, buf, &look()));
        check("behind_in_full", size, &full);
    }
}
