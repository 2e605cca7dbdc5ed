//! The coverage grid, failing terms, and discarding their items.

use serde_json::json;

use crate::support::Bench;

#[test]
fn the_grid_counts_every_item_once_and_failing_terms_are_found_and_discarded() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "600", "--seed", "5"]).ok();
    let cells = bench.run(["coverage", "--json"]).lines();
    let all: u64 = cells.iter().map(|c| c["items"].as_u64().unwrap()).sum();
    assert_eq!(all, 600);
    assert!(
        cells
            .iter()
            .all(|c| c["row"]["property"] == "subject" && c["column"]["property"] == "style")
    );
    let table = bench.run(["coverage", "--columns", "type"]).ok();
    assert!(
        table.starts_with("\t") && table.lines().next().unwrap().ends_with("\ttotal"),
        "{table}"
    );
    bench.run(["coverage", "--rows", "moons"]).refused(1);

    // Every item with one color is bad.
    let red: Vec<u64> = bench
        .run(["items", "--json"])
        .lines()
        .iter()
        .filter(|i| i["provenance"]["terms"]["color"] == "red")
        .map(|i| i["number"].as_u64().unwrap())
        .collect();
    let lines: String = red
        .iter()
        .map(|n| format!("{{\"item\":{n},\"verdict\":\"reject\"}}\n"))
        .collect();
    bench.feed(["decide"], &lines).ok();
    let worst = bench
        .run(["coverage", "--failing", "3", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&worst["vocabulary"], &worst["term"]),
        (&json!("color"), &json!("red"))
    );
    assert!(worst["rejected_at_least"].as_f64().unwrap() > 0.3);

    let dry = bench
        .run(["discard", "color:blue", "--dry-run", "--json"])
        .lines()
        .remove(0);
    let done = bench
        .run(["discard", "color:blue", "--json"])
        .lines()
        .remove(0);
    let blue = done["rejected"].as_u64().unwrap();
    assert!(blue > 0 && dry["rejected"] == blue && dry["dry_run"] == true);
    let rejected = |bench: &Bench| {
        bench
            .run(["items", "--json", "--filter", "status:rejected"])
            .lines()
            .len() as u64
    };
    assert_eq!(rejected(&bench), red.len() as u64 + blue);
    bench.run(["undo", "--count", &blue.to_string()]).ok();
    assert_eq!(rejected(&bench), red.len() as u64);
    bench.run(["discard", "blue"]).refused(2);
}
