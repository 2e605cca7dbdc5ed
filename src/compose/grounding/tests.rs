use serde_json::json;

use super::*;

const PICTURE: (u32, u32) = (641, 427);

fn asked(count: usize) -> AskedBoxes {
    AskedBoxes {
        count,
        picture: PICTURE,
        notation: None,
    }
}

/// The kinds of the faults, and the boxes.
fn read(reply: &str, asked: &AskedBoxes) -> (Vec<&'static str>, Vec<[u32; 4]>) {
    let reading = read_boxes(reply, asked);
    let kinds = reading.faults.iter().map(|fault| fault.kind.name());
    let boxes = reading.entries.iter().map(|entry| entry.area.sides());
    (kinds.collect(), boxes.collect())
}

fn object(sides: [f64; 4]) -> serde_json::Value {
    json!({"name": "a ball", "box": sides})
}

#[test]
fn ten_objects_are_read_alone_in_a_fence_and_between_words() {
    let objects: Vec<_> = (0..10u32)
        .map(|n| json!({"name": format!("thing {n}"), "box": [40 + n, 300, 120 + n, 380]}))
        .collect();
    let whole = json!({"size": [641, 427], "objects": objects}).to_string();
    for reply in [
        whole.clone(),
        format!("Sure {{here}}:\n```json\n{whole}\n```\nI chose them because {{x}}."),
        format!("\u{4f60}\u{597d} {whole}"),
    ] {
        let reading = read_boxes(&reply, &asked(10));
        assert_eq!(reading.faults, [], "{reply}");
        assert_eq!(reading.entries.len(), 10);
        assert_eq!(reading.entries[3].name, "thing 3");
        assert_eq!(reading.entries[3].area.sides(), [43, 300, 123, 380]);
    }
    let list = serde_json::to_string(&objects).unwrap();
    let known = AskedBoxes {
        notation: Some(Notation::Pixels),
        ..asked(10)
    };
    assert!(read_boxes(&list, &known).is_complete(), "a list alone");
}

#[test]
fn every_notation_gives_the_same_pixels_or_is_refused() {
    let of = |fields: serde_json::Value| read(&fields.to_string(), &asked(1));
    let pixels = [[64, 85, 192, 256]];
    let shares = object([0.1, 0.2, 0.3, 0.6]);
    let thousandths = object([100.0, 200.0, 300.0, 600.0]);
    let none: Vec<&str> = Vec::new();
    // Inferred.
    assert_eq!(of(shares.clone()), (none.clone(), pixels.to_vec()));
    let beyond = object([100.0, 200.0, 300.0, 900.0]);
    assert_eq!(of(beyond), (none.clone(), vec![[64, 85, 192, 384]]));
    // Both are possible.
    let possible = object([100.0, 200.0, 300.0, 400.0]);
    assert_eq!(of(possible.clone()), (vec!["ambiguous"], vec![]));
    // Stated.
    let stated = |size: serde_json::Value, object: &serde_json::Value| {
        of(json!({"size": size, "objects": [object]}))
    };
    assert_eq!(
        stated(json!([641, 427]), &possible).1,
        [[100, 200, 300, 400]]
    );
    assert_eq!(stated(json!([1000, 1000]), &thousandths).1, pixels);
    assert_eq!(stated(json!([1, 1]), &shares).1, pixels);
    // The model saw the picture at half its size, rounded to a multiple of 28.
    let half = object([32.0, 42.5, 96.0, 128.0]);
    assert_eq!(stated(json!([320, 213]), &half).1, [[64, 85, 192, 257]]);
    for size in [
        json!([427, 641]),
        json!([0, 0]),
        json!("large"),
        json!([641]),
    ] {
        assert_eq!(
            stated(size.clone(), &possible),
            (vec!["size"], vec![]),
            "{size}"
        );
    }
    // Known of this grounder.
    let known = |notation| AskedBoxes {
        notation: Some(notation),
        ..asked(1)
    };
    let reply = possible.to_string();
    let read = |notation| read(&reply, &known(notation)).1;
    assert_eq!(read(Notation::Pixels), [[100, 200, 300, 400]]);
    assert_eq!(read(Notation::Thousandths), [[64, 85, 192, 171]]);
    assert!(read(Notation::Shares).is_empty(), "outside");
    let large = AskedBoxes {
        picture: (4000, 3000),
        ..asked(1)
    };
    let reply = object([1500.0, 100.0, 2500.0, 900.0]).to_string();
    assert_eq!(
        super::read_boxes(&reply, &large).entries[0].area.sides(),
        [1500, 100, 2500, 900]
    );
}

#[test]
fn bad_boxes_are_left_out_by_name() {
    let known = AskedBoxes {
        notation: Some(Notation::Pixels),
        ..asked(1)
    };
    for (kind, entry) in [
        ("degenerate", object([100.0, 100.0, 100.0, 200.0])),
        ("degenerate", object([200.0, 100.0, 100.0, 200.0])),
        ("outside", object([600.0, 100.0, 700.0, 200.0])),
        ("outside", object([-90.0, 100.0, 100.0, 200.0])),
        ("outside", object([100.0, 100.0, 1e300, 200.0])),
        ("too-small", object([100.0, 100.0, 115.0, 200.0])),
        ("too-small", object([100.4, 100.0, 100.6, 200.0])),
        ("too-large", object([0.0, 0.0, 641.0, 427.0])),
        ("too-large", object([0.0, 0.0, 500.0, 400.0])),
        ("box", json!({"name": "a", "box": [1, 2, 3]})),
        ("box", json!({"name": "a", "box": [1, 2, 3, "4"]})),
        ("box", json!({"name": "a", "box": [1, 2, 3, null]})),
        ("box", json!({"name": "a", "box": {"left": 1}})),
        (
            "order",
            json!({"name": "a", "box_2d": [100, 100, 200, 200]}),
        ),
        ("name", json!({"box": [100, 100, 200, 200]})),
        ("name", json!({"name": " ", "box": [100, 100, 200, 200]})),
        (
            "name",
            json!({"name": "a\u{1b}[2J", "box": [100, 100, 200, 200]}),
        ),
        (
            "name",
            json!({"name": "x".repeat(201), "box": [100, 100, 200, 200]}),
        ),
    ] {
        let reply = entry.to_string();
        assert_eq!(read(&reply, &known), (vec![kind], vec![]), "{reply}");
    }
    // Rounding over the edge is cut off.
    let edge = object([600.0, -3.0, 645.0, 100.0]).to_string();
    assert_eq!(read(&edge, &known), (vec![], vec![[600, 0, 641, 100]]));
    // The others are still there, and the fault has the place.
    let mixed = json!({"objects": [
        object([10.0, 10.0, 60.0, 60.0]),
        object([60.0, 60.0, 10.0, 10.0]),
        object([10.0, 10.0, 60.0, 60.0]),
        {"name": "a cup", "bbox": {"x0": 100, "y0": 100, "x1": 200, "y1": 200}},
    ]});
    let three = AskedBoxes { count: 4, ..known };
    let reading = read_boxes(&mixed.to_string(), &three);
    let places: Vec<_> = reading
        .faults
        .iter()
        .map(|f| (f.kind.name(), f.entry))
        .collect();
    assert_eq!(places, [("degenerate", Some(2)), ("twice", Some(3))]);
    assert_eq!(
        (reading.entries.len(), &*reading.entries[1].name),
        (2, "a cup")
    );
    assert_eq!(reading.faults_as_lines().lines().count(), 2);
}

#[test]
fn replies_without_what_was_asked_have_a_fault() {
    let known = AskedBoxes {
        notation: Some(Notation::Pixels),
        ..asked(2)
    };
    let one = object([10.0, 10.0, 60.0, 60.0]).to_string();
    let two = object([90.0, 10.0, 190.0, 60.0]).to_string();
    let three = object([90.0, 90.0, 190.0, 160.0]).to_string();
    for (reply, kinds, boxes) in [
        (String::new(), vec!["empty"], 0),
        (" \n".into(), vec!["empty"], 0),
        (
            "I cannot help with this picture.".into(),
            vec!["no-json"],
            0,
        ),
        ("a ball at [10, 10, 60, 60]".into(), vec!["no-json"], 0),
        (
            "{\"objects\": [{\"name\": \"a".into(),
            vec!["unfinished"],
            0,
        ),
        ("{\"answer\": \"none\"}".into(), vec!["no-entries"], 0),
        ("{\"objects\": []}".into(), vec!["no-entries"], 0),
        (
            "{\"objects\": [3, \"ball\"]}".into(),
            vec!["name", "name"],
            0,
        ),
        (format!("{{\"objects\": [{one}]}}"), vec!["count"], 1),
        (
            format!("{{\"objects\": [{one}, {{\"na"),
            vec!["unfinished", "count"],
            1,
        ),
        (format!("[{one}, {two}, {three}]"), vec!["count"], 2),
    ] {
        let (found, read) = read(&reply, &known);
        assert_eq!((found, read.len()), (kinds, boxes), "{reply}");
    }
}

#[test]
fn marks_are_read_in_order_or_refused() {
    let asked = AskedMarks { count: 3, marks: 9 };
    for (reply, kinds, marks) in [
        ("{\"removable\": [3, 1, 7]}", vec![], vec![3, 1, 7]),
        (
            "Marks {of course}: [3, \"1\", \"#7\"]",
            vec![],
            vec![3, 1, 7],
        ),
        (
            "[{\"mark\": 3, \"name\": \"cup\"}, {\"mark\": \"1\"}, {\"mark\": 7}]",
            vec![],
            vec![3, 1, 7],
        ),
        ("{\"marks\": [{\"id\": 9}, 8, 2]}", vec![], vec![9, 8, 2]),
        (
            "{\"removable\": [0, 10, -1]}",
            vec!["mark", "mark", "mark"],
            vec![],
        ),
        (
            "{\"removable\": [1.5, null, [2]]}",
            vec!["mark", "mark", "mark"],
            vec![],
        ),
        ("{\"removable\": [3, 3, 7]}", vec!["twice"], vec![3, 7]),
        ("{\"removable\": [3, 7]}", vec!["count"], vec![3, 7]),
        (
            "{\"removable\": [3, 7, 1, 2]}",
            vec!["count"],
            vec![3, 7, 1],
        ),
        ("{\"removable\": []}", vec!["no-entries"], vec![]),
        ("{\"removable\": [3, 7", vec!["unfinished"], vec![]),
        ("3, 1 and 7", vec!["no-json"], vec![]),
        ("", vec!["empty"], vec![]),
    ] {
        let reading = read_marks(reply, &asked);
        let found: Vec<&str> = reading.faults.iter().map(|f| f.kind.name()).collect();
        assert_eq!((found, reading.entries), (kinds, marks), "{reply}");
    }
}

#[test]
fn the_documentation_says_what_becomes_of_every_fault() {
    let documentation = include_str!("../../../docs/scenarios.md");
    for kind in FaultKind::ALL {
        let row = format!("| `{}` |", kind.name());
        assert!(documentation.contains(&row), "{row}");
    }
}

#[test]
fn no_reply_panics() {
    for reply in [
        "{".repeat(5000),
        "[".repeat(5000),
        format!("{{\"objects\": {}1{}}}", "[".repeat(100), "]".repeat(100)),
        "{\"size\": [1e308, 1e308], \"objects\": [{\"name\": \"a\", \"box\": [1e308, -1e308, 1, 1]}]}".into(),
        "{\"size\": [1e-300, 1e-300], \"name\": \"a\", \"box\": [0, 0, 1e300, 1e300]}".into(),
        "{\"mark\": {\"mark\": {\"mark\": 3}}}".into(),
    ] {
        let boxes = read_boxes(&reply, &asked(10));
        assert!(boxes.entries.is_empty() && !boxes.is_complete());
        let marks = read_marks(&reply, &AskedMarks { count: 5, marks: 9 });
        assert!(marks.entries.is_empty() && !marks.is_complete());
    }
}
