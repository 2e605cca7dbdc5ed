//! Beginning an evaluation.

use std::sync::Arc;

use super::{JobRuntime, wake};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use crate::{answers, trust};
use benchtop_model::config::Judge;
use benchtop_model::config::judge::{Endpoint, Price};
use benchtop_model::evaluation::{BegunRun, MOST_SHUFFLES, NewRun, Orders, base_label, worded};
use benchtop_model::generated_image::check_drafts;
use benchtop_model::job::JobStatus;
use benchtop_model::{Error, ErrorKind, Filter, Item, Result};
use benchtop_pipeline::evaluate::ask::Wordings;
use benchtop_pipeline::evaluate::{ask, orders};
use benchtop_store::manifest::Holds;
use benchtop_store::runs::{self, Counts, Run};
use benchtop_store::trust::JobKind;

/// Items between two looks at cancellation.
const STEP: usize = 1024;

/// The servers of a run as the table that the chat client reads.
///
/// # Errors
/// [`ErrorKind::Usage`] for an address or a variable that is none.
pub(super) fn table(new: &NewRun) -> Result<Judge> {
    let one = |server: &benchtop_model::evaluation::Server| {
        let mut value = serde_json::json!({
            "url": server.url, "concurrency": server.concurrency, "timeout_s": server.timeout_s,
        });
        if let Some(name) = &server.key_env {
            value["key_env"] = name.as_str().into();
        }
        serde_json::from_value::<Endpoint>(value)
            .map_err(|e| Error::new(ErrorKind::Usage, e.to_string()).field("endpoint"))
    };
    Ok(Judge {
        model: Some(new.model.clone()),
        tries: new.tries,
        max_tokens: new.max_tokens,
        seed: 0,
        price_in: Price(new.prices.0),
        price_out: Price(new.prices.1),
        endpoints: new.servers.iter().map(one).collect::<Result<_>>()?,
    })
}

/// Begins an evaluation in the name of `by`, or says what it would ask; `wanted` says whether to go on.
///
/// # Errors
/// [`ErrorKind::Usage`] for wishes that mean nothing, [`ErrorKind::NotFound`] for an instruction that is not there,
/// [`ErrorKind::Conflict`] when there is nothing to ask or its name is taken, [`ErrorKind::Denied`] for servers that nobody has agreed
/// to, [`ErrorKind::Cancelled`], and the operating system's.
pub fn begin(
    shared: &Arc<OwnerContext>,
    by: &str,
    new: &NewRun,
    wanted: &dyn Fn() -> bool,
) -> Result<BegunRun> {
    check(new)?;
    let to = trust::of_run(new)?;
    if !new.dry {
        trust::check(shared, &to)?;
    }
    let filter = Filter::parse(&new.filter)?;
    let sight = AnnotatorView::of(shared, by);
    sight.chooses(&filter)?;
    let wordings = Wordings::of(&shared.project, &new.wording)?;
    // Addresses and keys are looked at now and not when its turn comes; nothing is sent.
    let device = (shared.evaluations.maker)(new)?.abilities().name.clone();
    let items = shared.items.catalog().len() as u32;
    let chosen: Vec<u32> = if filter.is_empty() {
        (1..=items).collect()
    } else {
        answers::numbers(&sight, &filter)?
    };
    let numbers = orders::sample(&chosen, new.sample, new.seed);
    let mut begun = BegunRun {
        items: numbers.len() as u64,
        ..BegunRun::default()
    };
    // Only what hangs on the items makes it worth reading them all.
    let (read, known): (&[u32], u64) = match (new.blind, new.orders) {
        (true, Orders::AsIs) => (&[], numbers.len() as u64),
        _ => (&numbers, 0),
    };
    begun.asks = known;
    for (at, number) in read.iter().enumerate() {
        if at % STEP == 0 && !wanted() {
            return Err(Error::new(
                ErrorKind::Cancelled,
                "nobody waits for this any more",
            ));
        }
        let item = item(shared, *number)?;
        begun.asks += u64::from(orders::count(
            new.orders,
            item.options.len(),
            item.rotation.is_some(),
        ));
        let is_short =
            !new.blind && ask::files(shared.project.root(), &item).len() < item.images.len();
        begun.without += u64::from(is_short);
    }
    let what = if new.blind {
        "questions"
    } else {
        "questions with their pictures"
    };
    begun.waits = trust::waits(shared, false, &to, (begun.asks, what));
    if begun.asks == 0 {
        return Err(
            Error::new(ErrorKind::Conflict, "there is no question to ask")
                .help("no item passes the filter"),
        );
    }
    if !new.blind {
        begun.drafts =
            shared
                .desk
                .drafts(shared, numbers.iter().map(|number| number - 1), wanted)?;
        check_drafts(begun.drafts, (begun.items, "items"), new.drafts || new.dry)?;
    }
    let _one = shared.evaluations.numbering();
    let last = shared.desk.last(shared)?;
    let mut inner = shared.evaluations.inner();
    begun.label = label(shared, new, &|label| {
        inner.runs.values().any(|live| live.run.label == label)
    })?;
    if new.dry {
        return Ok(begun);
    }
    let mut run = Run {
        v: 1,
        id: inner
            .runs
            .keys()
            .max()
            .copied()
            .unwrap_or_default()
            .max(last)
            + 1,
        label: begun.label.clone(),
        by: by.into(),
        created: now(),
        new: new.clone(),
        instruction: wordings.described(),
        items,
        asks: begun.asks,
        turn: inner
            .runs
            .values()
            .map(|live| live.run.turn + 1)
            .max()
            .unwrap_or_default(),
        standing: JobStatus::Queued,
        reason: None,
        counts: Counts::default(),
        token: None,
        drafts: begun.drafts,
    };
    let is_all = numbers.len() == items as usize;
    run.token = trust::begin(
        shared,
        JobKind::Run,
        run.id,
        trust::digest_of_run(&run, &numbers),
    );
    runs::create(
        shared.project.root(),
        &run,
        (!is_all).then_some(numbers.as_slice()),
    )?;
    let id = run.id;
    let mut live = JobRuntime::new(run);
    live.device = device;
    inner.runs.insert(id, live);
    inner.tell(shared, id, true);
    wake(shared, &mut inner);
    begun.job = inner.state_of(id);
    Ok(begun)
}

/// An item with the pictures that were made for it.
pub(super) fn item(shared: &OwnerContext, number: u32) -> Result<Item> {
    let json = answers::line(shared, number.saturating_sub(1))?;
    serde_json::from_str(&json).map_err(|e| {
        Error::new(
            ErrorKind::Corrupt,
            format!("item #{number} cannot be read: {e}"),
        )
    })
}

/// Whether wishes mean something.
///
/// # Errors
/// [`ErrorKind::Usage`] with the first that does not.
pub(super) fn check(new: &NewRun) -> Result<()> {
    let wrong = |field: &str, what: String| Err(Error::new(ErrorKind::Usage, what).field(field));
    let is_name = |name: &str| {
        !name.trim().is_empty() && !name.chars().any(char::is_control) && name.len() <= 200
    };
    if !is_name(&new.model) || !new.name.as_deref().is_none_or(is_name) {
        return wrong("model", "a name is one line and not empty".into());
    }
    if matches!(new.orders, Orders::Shuffles(n) if !(1..=MOST_SHUFFLES).contains(&n)) {
        return wrong(
            "shuffles",
            format!("1 to {MOST_SHUFFLES} shuffles of a question"),
        );
    }
    if new.servers.is_empty() {
        return wrong("endpoint", "no server is named".into());
    }
    if !(1..=1 << 20).contains(&new.max_tokens) || !(1..=100).contains(&new.tries) {
        return wrong(
            "max_tokens",
            "1 to 1048576 tokens of an answer, 1 to 100 tries".into(),
        );
    }
    if new.sample == Some(0) {
        return wrong("sample", "at least 1".into());
    }
    Ok(())
}

/// What the answers go by: a name that no other answers have, so that two runs of a model are never taken for one.
fn label(shared: &OwnerContext, new: &NewRun, is_run: &dyn Fn(&str) -> bool) -> Result<String> {
    let catalog = shared.items.catalog();
    let models: Vec<&str> = catalog
        .answers()
        .iter()
        .filter_map(|a| {
            if let Holds::Predictions { model, .. } = &a.part.holds {
                Some(model.as_str())
            } else {
                None
            }
        })
        .collect();
    let taken = |label: &str| {
        let of_it = |model: &&str| {
            let rest = model.strip_prefix(label);
            rest.is_some_and(|r| {
                r.is_empty() || r.starts_with(" (shuffle ") || r.starts_with(" (rotation ")
            })
        };
        is_run(label) || models.iter().any(of_it)
    };
    if let Some(base) = new.name.as_deref().map(str::trim) {
        let label = base_label(base, new.blind, 1);
        return match taken(&label) {
            false => Ok(label),
            true => Err(Error::new(
                ErrorKind::Conflict,
                format!("there are answers of `{label}` already"),
            )
            .field("name")
            .help("leave the name away to have the runs counted, or give another one")),
        };
    }
    let base = worded(new.model.trim(), &new.wording);
    let free = (1..)
        .map(|n| base_label(&base, new.blind, n))
        .find(|label| !taken(label));
    free.ok_or_else(|| Error::new(ErrorKind::Conflict, "no name is free"))
}
