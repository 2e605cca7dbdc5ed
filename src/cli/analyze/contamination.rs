//! Contamination as text.

use crate::agreement::table::{Words, plain};
use crate::out::{count, notes};
use benchtop_model::analysis::contamination::{Contaminations, Rates};
use benchtop_model::clean;
use benchtop_model::scoring::queries::Share;

/// A table with the originals and the variants, and beside each variant the originals of its items.
pub(super) fn text(found: &Contaminations) -> String {
    let mut out = format!(
        "contamination at cosine {} or more, captions ruled on by {}\n\n",
        found.threshold,
        clean::line(&found.model)
    );
    let head = ["items", "image", "image-text of image", "image-text of all"];
    let mut rows = Vec::new();
    for row in &found.rows {
        let name = row
            .variant
            .as_deref()
            .map_or("originals".into(), clean::line);
        if let Some(rates) = &row.originals {
            rows.push(line(format!("originals of {name}"), rates));
        }
        rows.push(line(name.into_owned(), &row.rates));
    }
    out.push_str(&plain(&Words::new(&head, rows)));
    let mut said = Vec::new();
    for row in &found.rows {
        let name = row
            .variant
            .as_deref()
            .map_or("originals".into(), clean::line);
        let Rates {
            without_caption,
            without_ruling,
            not_compared,
            ..
        } = row.rates;
        let mut say = |n: u64, what: &str| {
            if n > 0 {
                said.push(format!("{name}: {} {what}", count(n, "item")));
            }
        };
        say(row.unmodified, "where the original stands in, not counted");
        say(
            without_caption,
            "near to a reference picture without a caption",
        );
        say(without_ruling, "without a readable ruling of the judge");
        say(not_compared, "not compared, not counted");
    }
    out + &notes(&said)
}

fn line(name: String, rates: &Rates) -> Vec<String> {
    let Rates {
        image,
        text_of_near,
        text_of_all,
        ..
    } = rates;
    let shares = [image, text_of_near, text_of_all].map(percent);
    std::iter::once(name).chain(shares).collect()
}

/// The share in percent, its counts, and its interval.
fn percent(share: &Share) -> String {
    let Share { k, n, low, high } = share;
    if *n == 0 {
        return "-".into();
    }
    let [rate, low, high] = [share.share(), *low, *high].map(|share| 100.0 * share);
    format!("{rate:.2} {k}/{n} [{low:.2}, {high:.2}]")
}
