//! Checks counts against the items themselves, composed from a small metadata set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::*;
use benchtop_compose::engine::{Composer, choices_of, recipe, write};
use benchtop_compose::fixtures::small;
use benchtop_compose::metadata::{Metadata, file_of};
use benchtop_compose::plan::Plan;
use benchtop_compose::schedule::Schedule;
use benchtop_model::usage::Freshness;
use benchtop_model::{Form, Item, Key, MetaFile, Role, Status};
use benchtop_store::StatusColumns;

fn grammar(metadata: &Metadata) -> CompiledMetadata {
    CompiledMetadata::compile(metadata).0
}

const PLANS: [&str; 5] = [
    "[[pictures]]\nsubject = \"animal\"\ncount = 30\nshape = \"pair\"\ndiffers = \"background\"\n",
    "[[pictures]]\nsubject = \"animal\"\ncount = 40\nshape = \"refusal\"\n",
    "[[pictures]]\nsubject = \"sign\"\ncount = 40\nshape = \"beyond\"\n",
    "[[pictures]]\nsubject = \"sign\"\ncount = 30\n",
    "",
];

fn composed() -> Vec<Item> {
    let grammar = Arc::new(grammar(&small()));
    let mut items = Vec::new();
    for plan in PLANS {
        let plan = match plan {
            "" => Plan::balanced(&grammar, 300),
            text => Plan::parse(text, Path::new("plan.toml")).unwrap(),
        };
        let course = Arc::new(Schedule::new(&grammar, &plan).unwrap());
        let mut composer = Composer::new(grammar.clone(), course, 11);
        items.extend((0..composer.schedule().questions()).map(|n| composer.question(n).unwrap()));
    }
    items
}

fn used(items: &[Item]) -> (Usage, StatusColumns) {
    let mut usage = Usage::default();
    for item in items {
        usage.add(&serde_json::to_vec(item).unwrap()).unwrap();
    }
    let mut overlay = StatusColumns::default();
    overlay.grow(items.len());
    for row in 0..items.len() {
        overlay.status[row] = Status::from_code((row % 4) as u8).code();
    }
    (usage, overlay)
}

fn put(file: &str, change: impl Fn(&str) -> String) -> Metadata {
    let mut metadata = small();
    let text = change(metadata.text(file).unwrap());
    assert_ne!(
        metadata.text(file),
        Some(&*text),
        "the edit changes nothing"
    );
    metadata.insert(MetaFile {
        name: file.into(),
        text,
    });
    metadata
}

/// The terms of an item in a picture or a statement.
fn terms_of(grammar: &CompiledMetadata, item: &Item) -> BTreeSet<(String, String)> {
    let from = item.provenance.as_ref().unwrap();
    let mut terms: BTreeSet<_> = from
        .terms
        .iter()
        .chain(&from.second)
        .map(|(a, b)| (a.clone(), b.clone()))
        .collect();
    if let Some(claim) = &from.claim {
        let subtask = &grammar.subtasks[grammar.subtask(item.subtask.as_ref().unwrap()).unwrap()];
        terms.insert((grammar.lists[subtask.list].name.clone(), claim.clone()));
    }
    terms
}

#[test]
fn terms_are_counted_once_per_item() {
    let items = composed();
    let grammar = grammar(&small());
    let (usage, overlay) = used(&items);
    let mut all = 0;
    for list in &grammar.lists {
        let uses = usage.terms(&grammar, &overlay, &list.name);
        let mut wanted: BTreeMap<String, (Vec<u64>, u64)> = BTreeMap::new();
        for (row, item) in items.iter().enumerate() {
            let subtask =
                &grammar.subtasks[grammar.subtask(item.subtask.as_ref().unwrap()).unwrap()];
            let from = item.provenance.as_ref().unwrap();
            for (_, term) in terms_of(&grammar, item)
                .into_iter()
                .filter(|(v, _)| *v == list.name)
            {
                let declines = item.options.iter().any(|o| o.role == Role::Refusal)
                    && item.correct().is_none();
                let asks = grammar.lists[subtask.list].name == list.name
                    && from.terms.get(&list.name) == Some(&term);
                let count = wanted
                    .entry(term)
                    .or_insert_with(|| (vec![0; Status::ALL.len()], 0));
                count.0[row % 4] += 1;
                count.1 += u64::from(asks && !declines);
            }
        }
        let found: BTreeMap<_, _> = uses
            .iter()
            .map(|u| (u.term.clone(), (u.items.0.to_vec(), u.answers.all())))
            .collect();
        assert_eq!(found, wanted, "{}", list.name);
        all += uses.len();
    }
    assert!(all > 20);
    let term = ("animal".to_string(), "owl".to_string());
    let rows = usage.rows_with(&grammar, std::slice::from_ref(&term));
    let wanted: Vec<u32> = (0..items.len())
        .filter(|r| terms_of(&grammar, &items[*r]).contains(&term))
        .map(|r| r as u32)
        .collect();
    assert_eq!(rows, wanted);
}

#[test]
fn a_right_option_counts_as_the_answer() {
    let items: Vec<Item> = composed()
        .into_iter()
        .filter(|i| i.correct().is_some() && i.rotation.is_none() && i.options.len() > 2)
        .collect();
    let grammar = grammar(&small());
    let (usage, overlay) = used(&items);
    let mut wanted: BTreeMap<String, u64> = BTreeMap::new();
    for item in items
        .iter()
        .filter(|i| i.subtask.as_deref() == Some("color"))
    {
        *wanted
            .entry(item.options[item.correct().unwrap()].text.clone())
            .or_default() += 1;
    }
    let uses = usage
        .terms(&grammar, &overlay, "color")
        .into_iter()
        .filter(|u| u.answers.all() > 0);
    assert_eq!(
        uses.map(|u| (u.term, u.answers.all()))
            .collect::<BTreeMap<_, _>>(),
        wanted
    );
}

#[test]
fn a_grid_has_each_item_once_and_all_known_values() {
    let mut items = composed();
    let mut bare = items[0].clone();
    (bare.provenance, bare.style, bare.subtask) =
        (None, Some("fresco".into()), Some("tv show".into()));
    items.push(bare);
    let metadata = put(&file_of("animal"), |t| format!("{t}unicorn\n"));
    let (usage, overlay) = used(&items);
    let grammar = grammar(&metadata);
    for (rows, columns) in [
        ("subject", "style"),
        ("style", "background"),
        ("subtask", "type"),
        ("animal", "color"),
    ] {
        let grid = usage
            .grid(&grammar, &overlay, (rows, columns), None)
            .unwrap();
        assert_eq!(grid.cells.len(), grid.rows.len() * grid.columns.len());
        let sum = |tallies: &mut dyn Iterator<Item = &benchtop_model::usage::Tally>| {
            tallies.map(|t| t.all()).sum::<u64>()
        };
        for all in [
            sum(&mut grid.cells.iter()),
            sum(&mut grid.rows.iter().map(|(_, t)| t)),
            sum(&mut grid.columns.iter().map(|(_, t)| t)),
        ] {
            assert_eq!(all, items.len() as u64, "{rows} {columns}");
        }
        for (at, (_, total)) in grid.rows.iter().enumerate() {
            let width = grid.columns.len();
            assert_eq!(
                sum(&mut grid.cells[at * width..(at + 1) * width].iter()),
                total.all()
            );
        }
    }
    let grid = usage
        .grid(&grammar, &overlay, ("animal", "style"), None)
        .unwrap();
    let of = |name: &str| {
        grid.rows
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, t)| t.all())
    };
    assert_eq!(of("unicorn"), Some(0));
    assert_eq!(
        of("owl"),
        Some(
            items
                .iter()
                .filter(|i| first(i, "animal") == Some("owl"))
                .count() as u64
        )
    );
    assert_eq!(grid.rows.last().unwrap().0, "");
    assert_eq!(
        grid.columns.last().unwrap().0,
        "fresco",
        "every item has a style, and this one is not in the metadata"
    );
    let only = usage
        .grid(&grammar, &overlay, ("animal", "style"), Some(&[0, 3, 9999]))
        .unwrap();
    assert_eq!(only.rows.iter().map(|(_, t)| t.all()).sum::<u64>(), 2);
}

fn first<'i>(item: &'i Item, vocabulary: &str) -> Option<&'i str> {
    item.provenance
        .as_ref()?
        .terms
        .get(vocabulary)
        .map(String::as_str)
}

/// The composer's own result for an item under other metadata.
fn by_the_composer(grammar: &CompiledMetadata, item: &Item) -> Freshness {
    match choices_of(grammar, item) {
        None => Freshness::Fresh,
        Some(Err(_)) => Freshness::Gone,
        Some(Ok(choices)) => match write(grammar, &choices) {
            Err(_) => Freshness::Gone,
            Ok(_) if recipe(grammar, &choices) == item.provenance.as_ref().unwrap().recipe => {
                Freshness::Fresh
            }
            Ok(_) => Freshness::Stale,
        },
    }
}

#[test]
fn staleness_agrees_with_the_composer() {
    let items = composed();
    let (usage, overlay) = used(&items);
    let animal = file_of("animal");
    let mut subtask = small();
    let text = subtask
        .text("templates.toml")
        .unwrap()
        .replace("[subtask.color]", "[subtask.hue]");
    subtask.insert(MetaFile {
        name: "templates.toml".into(),
        text,
    });
    let mut lost = small();
    lost.remove(&file_of("color"));
    let edits = [
        (small(), [true, false, false]),
        (
            put(&animal, |t| format!("{t}unicorn\n")),
            [true, false, false],
        ),
        (
            put(&animal, |t| t.replace("owl\n", "#- owl\n")),
            [true, false, true],
        ),
        (
            put(&animal, |t| t.replace("owl\n", "barn owl\n")),
            [true, false, true],
        ),
        (
            put("styles.toml", |t| t.replace("comic, fine", "comic, rough")),
            [true, true, false],
        ),
        (
            put("styles.toml", |t| t.replace("bad comic", "poor comic")),
            [true, true, false],
        ),
        (
            put("styles.toml", |t| {
                t.replace("name = \"comic\"", "name = \"manga\"")
            }),
            [true, false, true],
        ),
        (
            put("templates.toml", |t| {
                t.replace("{animal}, {background}", "{animal} {background}")
            }),
            [true, true, false],
        ),
        (
            put("templates.toml", |t| {
                t.replace("Your answer is:", "Answer:")
            }),
            [false, true, false],
        ),
        (subtask, [true, false, true]),
        (lost, [true, false, true]),
    ];
    for (at, (metadata, kinds)) in edits.iter().enumerate() {
        let grammar = grammar(metadata);
        let wanted: Vec<Freshness> = items.iter().map(|i| by_the_composer(&grammar, i)).collect();
        let found: Vec<Freshness> = usage
            .freshness(&grammar)
            .into_iter()
            .map(|c| Freshness::ALL[usize::from(c)])
            .collect();
        let odd = (0..items.len()).find(|r| found[*r] != wanted[*r]);
        assert_eq!(
            odd.map(|r| (&items[r], found[r], wanted[r])),
            None,
            "edit {at}"
        );
        for (kind, there) in Freshness::ALL.iter().zip(kinds) {
            // Some templates are used by all items. Then nothing stays unchanged.
            assert!(
                found.contains(kind) == *there || *kind == Freshness::Fresh,
                "edit {at}: {kind:?}"
            );
        }
        let impact = usage.impact(&grammar, &overlay);
        let count = |kind| wanted.iter().filter(|f| **f == kind).count() as u64;
        assert_eq!(impact.composed, items.len() as u64);
        assert_eq!(
            (impact.stale.all(), impact.gone.all()),
            (count(Freshness::Stale), count(Freshness::Gone))
        );
        assert_eq!(
            impact.causes.is_empty(),
            impact.gone.all() == 0,
            "{:?}",
            impact.causes
        );
    }
    let impact = usage.impact(&grammar(&edits[2].0), &overlay);
    assert_eq!(
        impact.causes,
        [("animal `owl`".to_string(), impact.gone.all())]
    );
}

/// A cell of the map must open exactly the items it counts.
#[test]
fn a_cell_counts_the_items_of_its_filter() {
    let (grammar, items) = (grammar(&small()), composed());
    let (usage, overlay) = used(&items);
    for (rows, columns) in [
        ("subject", "animal"),
        ("animal", "background"),
        ("background", "type"),
    ] {
        let grid = usage
            .grid(&grammar, &overlay, (rows, columns), None)
            .unwrap();
        for (r, (row, _)) in grid.rows.iter().enumerate() {
            for (c, (column, _)) in grid.columns.iter().enumerate() {
                let mut filter = benchtop_model::Filter::default();
                for (property, value) in [(rows, row), (columns, column)] {
                    match property {
                        "subject" => filter.subjects.push(value.clone()),
                        "type" => filter
                            .kind
                            .extend(benchtop_model::QuestionKind::from_name(value)),
                        name => filter.shows.push((name.into(), value.clone())),
                    }
                }
                let kind = |row: &u32| {
                    filter.kind.is_empty() || filter.kind.contains(&items[*row as usize].kind)
                };
                let mut passing: Vec<u32> = (0..items.len() as u32).filter(kind).collect();
                usage.retain(&grammar, &mut passing, &filter);
                let count = grid.cells[r * grid.columns.len() + c].all();
                assert_eq!(
                    passing.len() as u64,
                    count,
                    "{rows} {row} x {columns} {column}"
                );
            }
        }
    }
}

#[test]
fn terms_of_one_vocabulary_are_alternatives_and_vocabularies_combine() {
    let (grammar, items) = (grammar(&small()), composed());
    let (usage, _) = used(&items);
    let pairs = |list: &[(&str, &str)]| {
        list.iter()
            .map(|(v, t)| (v.to_string(), t.to_string()))
            .collect::<Vec<_>>()
    };
    let passing = |terms: &[(&str, &str)]| {
        let mut rows: Vec<u32> = (0..items.len() as u32).collect();
        usage.retain(
            &grammar,
            &mut rows,
            &benchtop_model::Filter {
                terms: pairs(terms),
                ..Default::default()
            },
        );
        rows.into_iter().collect::<BTreeSet<u32>>()
    };
    let animals = &grammar.lists[grammar.list("animal").unwrap()].terms;
    let places = &grammar.lists[grammar.list("background").unwrap()].terms;
    let (a, b, place) = (
        ("animal", &*animals[0]),
        ("animal", &*animals[1]),
        ("background", &*places[0]),
    );
    assert!(!passing(&[a]).is_empty() && passing(&[a]) != passing(&[b]));
    assert_eq!(
        passing(&[a, b]),
        passing(&[a]).union(&passing(&[b])).copied().collect()
    );
    assert_eq!(
        passing(&[a, place]),
        passing(&[a])
            .intersection(&passing(&[place]))
            .copied()
            .collect()
    );
    assert_eq!(
        passing(&[a]),
        usage
            .rows_with(&grammar, &pairs(&[a]))
            .into_iter()
            .collect()
    );
    assert!(passing(&[("animal", "no such animal")]).is_empty());
}

#[test]
fn an_imported_item_has_its_right_option_and_style() {
    let mut item = composed()
        .into_iter()
        .find(|i| i.correct().is_some())
        .unwrap();
    item.provenance = None;
    (item.form, item.key) = (Form::Dysca, Key::Int(1));
    item.kind = QuestionKind::MultipleChoice;
    item.rotation = None;
    item.subtask = Some("animal".into());
    item.style = Some("comic".into());
    let at = item.correct().unwrap();
    item.options[at].text = "a \"grey\" owl".into();
    let long = Item {
        options: vec![benchtop_model::Choice {
            text: "x".repeat(201),
            role: Role::Correct,
        }],
        ..item.clone()
    };
    let bare = Item {
        subtask: None,
        style: None,
        options: Vec::new(),
        ..item.clone()
    };
    let (usage, overlay) = used(&[item, long, bare]);
    let grammar = grammar(&small());
    let uses = usage.terms(&grammar, &overlay, "animal");
    assert_eq!(uses.len(), 1);
    assert_eq!(
        (
            uses[0].term.as_str(),
            uses[0].items.all(),
            uses[0].answers.all()
        ),
        ("a \"grey\" owl", 1, 1)
    );
    assert_eq!(usage.terms(&grammar, &overlay, "style")[0].items.all(), 2);
    assert_eq!(usage.freshness(&grammar), [0, 0, 0]);
    assert_eq!(usage.impact(&grammar, &overlay).composed, 0);
}

#[test]
fn failing_terms_are_ordered_by_the_lower_bound() {
    let items = composed();
    let grammar = grammar(&small());
    let (usage, mut overlay) = used(&items);
    overlay.status.fill(Status::Accepted.code());
    let wolf = ("animal".to_string(), "wolf".to_string());
    for row in usage.rows_with(&grammar, std::slice::from_ref(&wolf)) {
        overlay.status[row as usize] = Status::Rejected.code();
    }
    let failing = usage.failing(&grammar, &overlay, 5);
    assert_eq!(
        (failing[0].vocabulary.as_str(), failing[0].term.as_str()),
        ("animal", "wolf")
    );
    assert!(failing[0].at_least > 0.7, "{}", failing[0].at_least);
    assert!(failing.windows(2).all(|w| w[0].at_least >= w[1].at_least));
    assert!(usage.failing(&grammar, &overlay, 100_000).is_empty());
}

#[test]
fn items_added_later_are_counted() {
    let items = composed();
    let grammar = grammar(&small());
    let (all, overlay) = used(&items);
    let (mut half, _) = used(&items[..items.len() / 2]);
    for item in &items[items.len() / 2..] {
        half.add(&serde_json::to_vec(item).unwrap()).unwrap();
    }
    assert_eq!(
        half.terms(&grammar, &overlay, "animal"),
        all.terms(&grammar, &overlay, "animal")
    );
    assert_eq!(
        half.add(b"{\"kind\":").unwrap_err().kind,
        ErrorKind::Corrupt
    );
    assert_eq!(
        half.len(),
        items.len(),
        "an unreadable item is not added in part"
    );
}

#[test]
fn cells_left_empty_by_rules_have_a_reason() {
    let rules = "[[not-with]]\nanimal = [\"owl\"]\nbackground = [\"by the sea\"]\nwhy = \"too wet\"\n\
                 [[hides]]\nstyle = [\"comic\"]\nhides = [\"animal\", \"color\", \"background\"]\n";
    let mut metadata = small();
    metadata.insert(MetaFile {
        name: "compatibility.toml".into(),
        text: rules.into(),
    });
    let (grammar, _) = CompiledMetadata::compile(&metadata);
    let (usage, overlay) = used(&composed());
    let excluded = |rows: &str, columns: &str| -> Vec<(String, String, String)> {
        let grid = usage
            .grid(&grammar, &overlay, (rows, columns), None)
            .unwrap();
        let wide = grid.columns.len();
        let of = |(at, why): &(u32, String)| {
            let (row, column) = (*at as usize / wide, *at as usize % wide);
            (
                grid.rows[row].0.clone(),
                grid.columns[column].0.clone(),
                why.clone(),
            )
        };
        grid.excluded.iter().map(of).collect()
    };
    let cells = excluded("background", "animal");
    assert_eq!(cells.len(), 1);
    assert_eq!(
        (cells[0].0.as_str(), cells[0].1.as_str()),
        ("by the sea", "owl")
    );
    assert!(cells[0].2.ends_with("too wet"));
    let hidden: Vec<_> = excluded("subtask", "style")
        .into_iter()
        .map(|(row, column, _)| (row, column))
        .collect();
    assert_eq!(
        hidden,
        ["animal", "background", "color"].map(|row| (row.to_string(), "comic".to_string()))
    );
    assert_eq!(excluded("type", "style"), []);
    let plain = usage
        .grid(
            &CompiledMetadata::compile(&small()).0,
            &overlay,
            ("subtask", "style"),
            None,
        )
        .unwrap();
    assert!(plain.excluded.is_empty() && plain.filled().0 > 0);
}
