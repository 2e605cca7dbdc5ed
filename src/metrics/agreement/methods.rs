//! Writes the paragraph about agreement for the methods section of a paper.

use benchtop_model::agreement::{AgreementReport, Estimate, Measures, Undefined};

/// Describes in English what was rated, how far annotators agree, and how that was computed, with
/// sources by name and year.
///
/// `categories` are the names of the categories, in order. A category without a name is called by
/// its number. Undefined measures and missing intervals are reported with the reason.
pub fn methods_paragraph(report: &AgreementReport, categories: &[&str]) -> String {
    let name = |c: usize| {
        categories
            .get(c)
            .map_or_else(|| format!("category {c}"), |name| format!("\"{name}\""))
    };
    let names: Vec<String> = (0..usize::from(report.scale.categories))
        .map(name)
        .collect();
    let all = &report.all;
    let ratings: u64 = report.raters.iter().map(|r| r.ratings).sum();
    let active = report.raters.iter().filter(|r| r.ratings > 0).count() as u64;
    let mut text = format!(
        "{} rated {} as {}, giving {}; {} rated by two or more of them.",
        counted(active, "annotator"),
        counted(all.items, "item"),
        list(&names, "or"),
        counted(ratings, "rating"),
        if all.doubles == 1 {
            "1 item was".into()
        } else {
            format!("{} items were", grouped(all.doubles))
        },
    );
    let mut say = |what: String| {
        text.push(' ');
        text.push_str(&what);
    };
    if all.doubles > 0 {
        say("Agreement is computed over these items.".into());
        measures(report, categories, &mut say);
        specific(all, (&names, categories), &mut say);
    } else {
        say("Agreement is not defined: no item was rated by two people.".into());
    }
    match report.bootstrap {
        Some(plan) => say(format!(
            "Intervals in square brackets are 95 % percentile bootstrap intervals (Efron & Tibshirani, 1993) from {}, in which \
             rated items were resampled with replacement (seed {}).",
            counted(u64::from(plan.draws), "draw"),
            plan.seed
        )),
        None => say("No intervals were computed.".into()),
    }
    let missing = "and not as agreement";
    say(match all.unknown {
        0 => "No answer was \"unknown\" (skipped, flagged, unsure or not judged).".into(),
        1 => format!(
            "1 answer was \"unknown\" (skipped, flagged, unsure or not judged); it was treated as a missing rating {missing}."
        ),
        n => format!(
            "{} answers were \"unknown\" (skipped, flagged, unsure or not judged); they were treated as missing ratings {missing}.",
            grouped(n)
        ),
    });
    text
}

fn measures(report: &AgreementReport, categories: &[&str], say: &mut dyn FnMut(String)) {
    let all = &report.all;
    let two = match report.pairs.as_slice() {
        [pair] => Some(&pair.measures),
        _ => None,
    };
    let most = all.fleiss_items.map_or(2, |items| items.ratings);
    let of = if most == 2
        && all
            .fleiss_items
            .is_some_and(|items| items.items == all.doubles)
    {
        "The two ratings of an item were the same in"
    } else {
        "Two ratings of an item, averaged over items, were the same in"
    };
    say(format!("{of} {}.", percent(&all.raw, categories)));
    let mut kappas = Vec::new();
    let mut add = |name: &str, source: &str, estimate: &Estimate| {
        kappas.push(coefficient(name, source, estimate, categories));
    };
    if let Some(pair) = two {
        add("Cohen's kappa", "Cohen, 1960", &pair.cohen_kappa);
    }
    if let Some(items) = all
        .fleiss_items
        .filter(|items| two.is_none() || items.ratings > 2)
    {
        let over = match items.items {
            1 => "the 1 item".to_string(),
            n => format!("the {} items", grouped(n)),
        };
        let name = format!(
            "Fleiss' kappa over {over} with exactly {} ratings",
            items.ratings
        );
        add(&name, "Fleiss, 1971", &all.fleiss_kappa);
    }
    let (name, alpha) = ("Krippendorff's alpha (nominal)", &all.krippendorff_alpha);
    add(name, "Krippendorff, 2011", alpha);
    // Items with a single rating still show how common a category is.
    let more = if all.items > all.doubles {
        "; its chance term includes items with one rating"
    } else {
        ""
    };
    add("Gwet's AC1", &format!("Gwet, 2008{more}"), &all.gwet_ac1);
    let defined: Vec<String> = kappas
        .iter()
        .filter_map(|k| k.as_ref().ok().cloned())
        .collect();
    if !defined.is_empty() {
        say(format!(
            "Corrected for chance, agreement was {}.",
            list(&defined, "and")
        ));
    }
    kappas.into_iter().filter_map(Result::err).for_each(say);
}

/// "name value [interval] (source)", or a sentence with the reason why it is undefined.
fn coefficient(
    name: &str,
    source: &str,
    estimate: &Estimate,
    categories: &[&str],
) -> Result<String, String> {
    match estimate.value {
        Ok(value) => {
            let interval = match estimate.interval {
                Ok(found) => format!(" [{}, {}]", decimals(found.low), decimals(found.high)),
                Err(why) => no_interval(why, categories),
            };
            Ok(format!("{name} = {}{interval} ({source})", decimals(value)))
        }
        Err(why) => Err(format!(
            "{name} ({source}) is not defined: {}.",
            why.describe(categories)
        )),
    }
}

fn specific(
    all: &Measures,
    (names, categories): (&[String], &[&str]),
    say: &mut dyn FnMut(String),
) {
    let (mut defined, mut not) = (Vec::new(), Vec::new());
    for (estimate, name) in all.by_category.iter().zip(names) {
        match estimate.value {
            Ok(_) => defined.push(format!("{} for {name}", percent(estimate, categories))),
            Err(Undefined::Unused(_)) => not.push(name.clone()),
            Err(_) => {}
        }
    }
    if !defined.is_empty() {
        let source = "Cicchetti & Feinstein, 1990";
        say(format!(
            "Specific agreement ({source}) was {}.",
            list(&defined, "and")
        ));
    }
    if !not.is_empty() {
        say(format!("On these items nobody used {}.", list(&not, "or")));
    }
}

fn percent(estimate: &Estimate, categories: &[&str]) -> String {
    let value = match estimate.value {
        Ok(value) => format!("{:.1} %", value * 100.),
        Err(why) => return format!("a share that is not defined ({})", why.describe(categories)),
    };
    match estimate.interval {
        Ok(found) => format!(
            "{value} [{:.1}, {:.1}]",
            found.low * 100.,
            found.high * 100.
        ),
        Err(why) => value + &no_interval(why, categories),
    }
}

/// Without draws, the paragraph states this once for all; other reasons are stated here.
fn no_interval(why: Undefined, categories: &[&str]) -> String {
    match why {
        Undefined::NotDrawn => String::new(),
        why => format!(" (no interval: {})", why.describe(categories)),
    }
}

/// Formats with two decimals and never as -0.00.
pub(super) fn decimals(value: f64) -> String {
    let text = format!("{value:.2}");
    if text == "-0.00" { "0.00".into() } else { text }
}

pub(super) fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// Formats with commas between thousands.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn list(parts: &[String], last: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., end] if parts.len() == 2 => format!("{} {last} {end}", some.concat()),
        [some @ .., end] => format!("{}, {last} {end}", some.join(", ")),
    }
}
