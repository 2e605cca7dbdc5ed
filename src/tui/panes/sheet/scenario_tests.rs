//! What a scenario made, in rows, without an owner.

use serde_json::{Value, json};

use super::SheetPane;
use super::tests::{asked, load, look, pane_of, rec, view};
use crate::action::Action;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{drawn_in, lines, only, request as of, said};
use crate::pane::{Effect, Pane, PaneId, Target};
use benchtop_model::filter::TextField;
use benchtop_model::{Field, Filter};
use benchtop_protocol::wire::{AnyRequest, ItemView, Lines, request};

const SIZE: (u16, u16) = (80, 20);

/// The item as a scenario made it, with these parameters.
fn derived(number: u32, method: &str, key: &str, parameters: &Value) -> ItemView {
    let mut made = view(number, true);
    let mut item: Value = serde_json::from_str(&made.json).unwrap();
    let dataset = format!("d-{method}");
    item["id"] = json!(format!("{dataset}/{key}"));
    item["dataset"] = json!(dataset);
    item["key"] = json!(key);
    item["variant"] = json!({"name": method, "of": "d/7"});
    item["derivation"] = json!({
        "method": method, "source": {"id": "d/7", "digest": "0"}, "parameters": parameters,
    });
    made.json = item.to_string();
    made
}

fn corrupted(number: u32, name: &str, severity: u64) -> ItemView {
    let parameters = json!({"corruption": name, "severity": severity, "seed": 1});
    derived(
        number,
        "corruption",
        &format!("7~{name}-{severity}"),
        &parameters,
    )
}

fn filter(effect: &Effect) -> &Filter {
    match of(effect) {
        AnyRequest::Numbers(request::Numbers(filter, _)) => filter,
        other => panic!("{other:?}"),
    }
}

fn values(effect: &Effect, field: Field) -> Vec<String> {
    let values = filter(effect).values.iter();
    let of = values.filter(|(own, _)| *own == field);
    of.flat_map(|(_, values)| values.clone()).collect()
}

/// The exact ids that a filter selects.
fn ids(effect: &Effect) -> Vec<String> {
    let [is] = filter(effect).contains.as_slice() else {
        panic!("{effect:?}")
    };
    assert_eq!(is.field, TextField::Id);
    is.needles.clone()
}

fn page(views: &[ItemView]) -> Lines {
    Lines {
        json: views
            .iter()
            .map(|view| format!("{}\n", view.json))
            .collect(),
        statuses: views.iter().map(|view| view.status).collect(),
        next: None,
    }
}

/// Asks for the rows of an item that the sheet does not show.
fn open(rec: &Recorder, pane: &mut SheetPane, own: ItemView) -> Vec<Effect> {
    drawn_in(rec, pane, SIZE, &look());
    let target = Target::Scenario(own.number);
    let ask = only(rec.call(pane, |pane, cx| pane.show(target, PaneId::Sheet, cx)));
    rec.reply::<request::Item>(pane, ask, Ok(own))
}

/// Answers the question for the parameters of these items, and those for the items.
fn arrange(rec: &Recorder, pane: &mut SheetPane, ask: Effect, made: &[ItemView]) {
    let AnyRequest::Items(request::Items(numbers)) = of(&ask) else {
        panic!("{ask:?}")
    };
    let wanted: Vec<u32> = made.iter().map(|view| view.number).collect();
    assert_eq!(numbers, &wanted);
    let effects = rec.reply::<request::Items>(pane, ask, Ok(page(made)));
    load(rec, pane, effects, &[]);
}

#[test]
fn the_grid_of_a_source_has_a_row_for_each_corruption_and_verdicts_as_elsewhere() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    rec.act(&mut pane, Action::SheetRight);
    let made = [
        corrupted(41, "spatter", 5),
        corrupted(42, "gaussian-noise", 1),
        corrupted(43, "gaussian-noise", 5),
    ];
    let ask = only(open(&rec, &mut pane, made[0].clone()));
    let ids = ids(&ask);
    assert_eq!(ids.len(), 56);
    assert!(
        ids.contains(&"d-corruption/7~jpeg-3".to_string()),
        "{ids:?}"
    );
    let ask = only(rec.reply::<request::Numbers>(&mut pane, ask, Ok(vec![41, 42, 43])));
    arrange(&rec, &mut pane, ask, &made);
    let text = drawn_in(&rec, &mut pane, SIZE, &look());
    let at = |word: &str| {
        let found = text
            .lines()
            .position(|line| line.trim_start().starts_with(word));
        found.unwrap_or_else(|| panic!("{word}\n{text}"))
    };
    assert!(at("gaussian-noise") < at("spatter"), "{text}");
    assert!(
        text.contains("none") && text.contains("spatter 5"),
        "{text}"
    );
    assert_eq!(pane.cells(), [Some(42), Some(43), None, Some(41)]);
    assert_eq!(pane.number(), Some(41), "the cursor is on the item");
    // A place without a picture gets no verdict; all pictures get one each.
    rec.act(&mut pane, Action::SheetLeft);
    assert_eq!(pane.number(), None);
    said(&rec.act(&mut pane, Action::SheetAccept));
    rec.act(&mut pane, Action::SheetUp);
    let effect = only(rec.act(&mut pane, Action::SheetFlag));
    assert_eq!(asked(&effect), [42]);
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    assert_eq!(asked(&effect), [42, 43, 41]);
    // Back shows what was there before.
    rec.act(&mut pane, Action::Back);
    assert_eq!(pane.number(), Some(2));
    assert!(!drawn_in(&rec, &mut pane, SIZE, &look()).contains("spatter"));
}

#[test]
fn a_dealt_data_set_has_an_example_each_with_the_item_where_it_fits() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let attack = |number, size: &str, color: &str| {
        let parameters = json!({"word": "dog", "size": size, "color": color});
        derived(number, "print-attack", &number.to_string(), &parameters)
    };
    let own = attack(53, "4.7", "red");
    let ask = only(open(&rec, &mut pane, own.clone()));
    let ask = only(rec.reply::<request::Numbers>(&mut pane, ask, Ok(vec![53])));
    assert_eq!(values(&ask, Field::Dataset), ["d-print-attack"]);
    assert_eq!(values(&ask, Field::Variant), ["print-attack"]);
    let found = vec![51, 52, 53];
    let ask = only(rec.reply::<request::Numbers>(&mut pane, ask, Ok(found)));
    let made = [own, attack(51, "4.7", "red"), attack(52, "10.9", "blue")];
    arrange(&rec, &mut pane, ask, &made);
    let text = drawn_in(&rec, &mut pane, SIZE, &look());
    assert_eq!(pane.cells(), [Some(53), Some(52), Some(51), Some(52)]);
    assert_eq!(pane.number(), Some(53));
    for part in [
        "size", "color", "#53 4.7", "#52 10.9", "#51 red", "#52 blue",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // An item in two places gets one verdict.
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    assert_eq!(asked(&effect), [53, 52, 51]);
    let mut painted: Vec<u32> = pane.painted().iter().map(|p| p.number).collect();
    painted.sort_unstable();
    assert_eq!(painted, [51, 52, 53]);
}

#[test]
fn a_source_asks_for_the_scenario_and_says_if_there_is_none() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let before = pane.cells();
    let ask = only(rec.act(&mut pane, Action::SheetScenario));
    let mut menu = only(rec.reply::<request::Item>(&mut pane, ask, Ok(view(1, true))));
    let (_, choices) = lines(&menu);
    assert_eq!(
        choices,
        [
            ("corruption", "d-corruption"),
            ("print-attack", "d-print-attack")
        ]
    );
    let ask = only(rec.choose(&mut pane, &mut menu, 1));
    assert!(ids(&ask).contains(&"d-print-attack/1".to_string()));
    let ask = only(rec.reply::<request::Numbers>(&mut pane, ask, Ok(vec![])));
    assert_eq!(values(&ask, Field::Dataset), ["d-print-attack"]);
    let done = rec.reply::<request::Numbers>(&mut pane, ask, Ok(vec![]));
    assert!(said(&done).text.contains("d-print-attack"));
    assert_eq!(pane.cells(), before);
}

#[test]
fn back_returns_to_the_review_that_opened_the_rows() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let show = |pane: &mut SheetPane, cx: &mut crate::pane::Context<'_>| {
        pane.show(Target::Scenario(41), PaneId::Review, cx);
    };
    let ask = only(rec.call(&mut pane, show));
    let made = [corrupted(41, "jpeg", 1), corrupted(42, "jpeg", 2)];
    let ask = only(rec.reply::<request::Item>(&mut pane, ask, Ok(made[0].clone())));
    let ask = only(rec.reply::<request::Numbers>(&mut pane, ask, Ok(vec![41, 42])));
    arrange(&rec, &mut pane, ask, &made);
    drawn_in(&rec, &mut pane, SIZE, &look());
    // Whatever size the pictures have, the columns stay.
    for action in [Action::SmallerPictures, Action::LargerPictures] {
        rec.act(&mut pane, action);
        assert_eq!(pane.grid().columns, 2);
    }
    assert!(matches!(
        &rec.act(&mut pane, Action::SheetOpen)[..],
        [Effect::Open(Target::Item(41))]
    ));
    let effects = rec.act(&mut pane, Action::Back);
    let is_back = |effect: &Effect| matches!(effect, Effect::Open(Target::Back(PaneId::Review)));
    assert!(effects.iter().any(is_back), "{effects:?}");
}

#[test]
fn a_search_looks_at_all_items_and_back_shows_what_it_found() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let of = |number: u32| match number {
        590.. => corrupted(number, "spatter", 5),
        _ => corrupted(number, "jpeg", 1),
    };
    // What the pane asks for, and the reply.
    let step = |pane: &mut SheetPane, ask: Effect| {
        let AnyRequest::Items(request::Items(numbers)) = crate::pane::testing::request(&ask) else {
            panic!("{ask:?}")
        };
        let views: Vec<ItemView> = numbers.iter().map(|number| of(*number)).collect();
        rec.reply::<request::Items>(pane, ask, Ok(page(&views)))
    };
    let begin = |pane: &mut SheetPane| {
        let ask = only(open(&rec, pane, of(7)));
        let ask = only(rec.reply::<request::Numbers>(pane, ask, Ok(vec![7])));
        only(rec.reply::<request::Numbers>(pane, ask, Ok((1..=600).collect())))
    };
    let ask_in = |effects: Vec<Effect>| {
        let is_ask = |effect: &Effect| matches!(effect, Effect::Ask(_));
        effects.into_iter().find(is_ask).unwrap()
    };
    let mut ask = begin(&mut pane);
    for _ in 0..2 {
        ask = ask_in(step(&mut pane, ask));
    }
    let effects = step(&mut pane, ask);
    load(&rec, &mut pane, effects, &[]);
    assert_eq!(pane.cells().len(), 4, "the late combination is found");
    assert!(pane.cells().contains(&Some(590)) && pane.cells().contains(&Some(7)));
    rec.act(&mut pane, Action::Back);
    // Back in a search shows what was found, and how many items were looked at.
    let ask = begin(&mut pane);
    step(&mut pane, ask);
    let effects = rec.act(&mut pane, Action::Back);
    load(&rec, &mut pane, effects, &[]);
    assert_eq!(pane.cells(), [Some(7)]);
    let title = pane.queue.title();
    assert!(title.contains("256") && title.contains("600"), "{title}");
}
