//! Agreement of annotators against scikit-learn, statsmodels, krippendorff, irrCAC and numpy: `data/agreement/`, written by
//! `make_agreement.py`.

use benchtop::model::cancel::Cancel;
use std::collections::BTreeMap;
use std::path::PathBuf;

use benchtop::metrics::agreement::Agreement;
use benchtop::model::agreement::{
    AgreementReport, Bootstrap, Estimate, FleissItems, Measures, Scale, Undefined,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    categories: u8,
    positive: u8,
    ratings: Vec<(u32, u16, u8)>,
    all: Expected,
    pairs: Vec<Expected>,
    #[serde(default)]
    bootstrap: BTreeMap<String, Spread>,
    published: Option<Published>,
}

/// What others compute; null is "not defined".
#[derive(Deserialize)]
struct Expected {
    #[serde(default)]
    a: u16,
    #[serde(default)]
    b: u16,
    items: u64,
    doubles: u64,
    unknown: u64,
    table: Option<Vec<u64>>,
    fleiss_items: Option<FleissItems>,
    by_category: Vec<Option<f64>>,
    #[serde(flatten)]
    values: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Spread {
    standard_error: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Published {
    measure: String,
    value: f64,
    digits: i32,
}

const NAMES: [&str; 7] = [
    "raw",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "positive_agreement",
    "negative_agreement",
];

fn named<'a>(measures: &'a Measures, name: &str) -> &'a Estimate {
    match name {
        "raw" => &measures.raw,
        "cohen_kappa" => &measures.cohen_kappa,
        "fleiss_kappa" => &measures.fleiss_kappa,
        "krippendorff_alpha" => &measures.krippendorff_alpha,
        "gwet_ac1" => &measures.gwet_ac1,
        "positive_agreement" => &measures.positive_agreement,
        "negative_agreement" => &measures.negative_agreement,
        other => panic!("no measure {other}"),
    }
}

fn cases() -> BTreeMap<String, Case> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/parity/data/agreement");
    let files = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        (
            name,
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap(),
        )
    };
    files.map(read).collect()
}

fn of(case: &Case) -> Agreement {
    let scale = Scale::new(case.categories, case.positive).unwrap();
    Agreement::of(scale, case.ratings.iter().copied()).unwrap()
}

fn same(got: Result<f64, Undefined>, expected: Option<f64>, what: &str) {
    match (got, expected) {
        (Ok(got), Some(expected)) => assert!(
            (got - expected).abs() < 1e-12,
            "{what}: {got} for {expected}"
        ),
        (Err(_), None) => {}
        (got, expected) => panic!("{what}: {got:?} for {expected:?}"),
    }
}

fn compare(got: &Measures, expected: &Expected, what: &str) {
    assert_eq!(
        (got.items, got.doubles, got.unknown),
        (expected.items, expected.doubles, expected.unknown),
        "{what}"
    );
    assert_eq!(got.fleiss_items, expected.fleiss_items, "{what}");
    for name in NAMES {
        same(
            named(got, name).value,
            expected.values[name].as_f64(),
            &format!("{what}, {name}"),
        );
    }
    assert_eq!(got.by_category.len(), expected.by_category.len());
    for (got, expected) in got.by_category.iter().zip(&expected.by_category) {
        same(got.value, *expected, &format!("{what}, one category"));
    }
    if let Some(table) = &expected.table {
        assert_eq!(got.table.counts, *table, "{what}");
    }
}

#[test]
fn agreement_measures_equal_the_packages() {
    let cases = cases();
    assert!(cases.len() >= 15, "{} fixtures", cases.len());
    for (name, case) in &cases {
        let report = of(case).counts().report();
        compare(&report.all, &case.all, name);
        assert_eq!(report.pairs.len(), case.pairs.len(), "{name}");
        for (got, expected) in report.pairs.iter().zip(&case.pairs) {
            assert_eq!((got.a, got.b), (expected.a, expected.b));
            compare(
                &got.measures,
                expected,
                &format!("{name}, {} and {}", got.a, got.b),
            );
        }
        if let Some(published) = &case.published {
            let power = 10f64.powi(published.digits);
            let value = named(&report.all, &published.measure).value.unwrap();
            assert_eq!((value * power).round() / power, published.value, "{name}");
        }
    }
}

#[test]
fn undefined_measures_have_reasons() {
    let cases = cases();
    let report = |name: &str| of(&cases[name]).counts().report();
    let why = |report: &AgreementReport, name: &str| named(&report.all, name).value.unwrap_err();
    for name in ["raw", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"] {
        assert_eq!(why(&report("nothing"), name), Undefined::NoItems);
        assert_eq!(why(&report("no_doubles"), name), Undefined::NoDoubles);
    }
    for name in ["fleiss_kappa", "krippendorff_alpha", "gwet_ac1"] {
        assert_eq!(why(&report("one_item_same"), name), Undefined::OneItem);
        assert_eq!(why(&report("one_item_other"), name), Undefined::OneItem);
    }
    let one = report("one_category");
    assert_eq!(why(&one, "krippendorff_alpha"), Undefined::OneCategory(0));
    assert_eq!(why(&one, "fleiss_kappa"), Undefined::OneCategory(0));
    assert_eq!(why(&one, "negative_agreement"), Undefined::Unused(1));
    assert_eq!(
        one.pairs[0].measures.cohen_kappa.value,
        Err(Undefined::OneCategory(0))
    );
    // AC1 knows that there was another category to choose.
    assert_eq!(
        (one.all.raw.value, one.all.gwet_ac1.value),
        (Ok(1.), Ok(1.))
    );
    // A second category where nobody else rated makes no kappa.
    assert_eq!(
        why(&report("one_category_of_two"), "krippendorff_alpha"),
        Undefined::OneCategory(1)
    );
    assert_eq!(
        why(&report("wide_scale"), "positive_agreement"),
        Undefined::NotTwoCategories(5)
    );
    assert_eq!(
        why(&report("two_people"), "cohen_kappa"),
        Undefined::PairsOnly
    );
}

/// Two bootstraps never draw the same items. 4,000 and 20,000 draws are within 5 % of each other's standard error, and
/// their 95 % points within a quarter of it (a few of these measures take few values).
#[test]
fn intervals_equal_numpy() {
    let mut compared = 0;
    for (name, case) in cases()
        .iter()
        .filter(|(_, case)| !case.bootstrap.is_empty())
    {
        let plan = Bootstrap {
            draws: 20_000,
            seed: 3,
        };
        let report = of(case).counts().bootstrapped(plan, Cancel::NEVER).unwrap();
        for (measure, expected) in &case.bootstrap {
            let of = if measure == "cohen_kappa" {
                &report.pairs[0].measures
            } else {
                &report.all
            };
            let got = named(of, measure).interval.unwrap();
            let error = expected.standard_error;
            assert!(
                (got.standard_error / error - 1.).abs() < 0.05,
                "{name}, {measure}: {got:?}"
            );
            assert!(
                (got.low - expected.low).abs() < error / 4.,
                "{name}, {measure}: {got:?} {}",
                expected.low
            );
            assert!(
                (got.high - expected.high).abs() < error / 4.,
                "{name}, {measure}: {got:?} {}",
                expected.high
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 15);
}
