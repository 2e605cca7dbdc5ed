//! `benchtop export` in the formats of other tools.

use std::collections::{BTreeMap, HashMap};

use super::{Args, items, lines};
use crate::context::Context;
use crate::out;
use benchtop_model::{Error, Filter, Item, Key, Result};
use benchtop_pipeline::export::Tables;
use benchtop_pipeline::export::tools::{Surveys, Tools};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{AnswerSet, request};

/// A model's answers by data set (if the answer set names one) and key.
type Outputs = HashMap<(Option<String>, Key), String>;

pub(super) fn run(context: &Context, args: &Args, tables: &'static Tables) -> Result<u8> {
    let usage = |what: &str, help: &str| Err(Error::usage(what).help(help));
    let Some(dir) = &args.out else {
        return usage("this format needs a folder", "name it with --out DIR");
    };
    if args.images {
        return usage("this format always includes the pictures", "omit --images");
    }
    let filter = Filter::parse(args.filter.as_deref().unwrap_or_default())?;
    let client = context.client()?;
    super::check(&client, &filter, args.drafts)?;
    let each = |take: &mut dyn FnMut(Item) -> Result<()>| {
        items::each_item(&client, filter.clone(), |_, item| take(item))
    };
    let mut surveys = Surveys::default();
    each(&mut |item| {
        surveys.add(&item);
        Ok(())
    })?;
    let mut tools = Tools::new(tables, dir, &client.welcome().root, surveys);
    each(&mut |item| tools.push(&item))?;
    let mut unused = 0;
    if args.with_predictions {
        for (model, sets) in models(&client)? {
            let mut outputs = outputs(&client, &sets)?;
            let mut answers = tools.answers(&model);
            each(&mut |item| {
                let own = outputs.remove(&(Some(item.dataset.clone()), item.key.clone()));
                let output = own.or_else(|| outputs.remove(&(None, item.key.clone())));
                answers.push(&item, output.as_deref())
            })?;
            answers.finish()?;
            unused += outputs.len() as u64;
        }
    }
    let aside = tools.aside().clone();
    let written = tools.finish()?;
    out::tell(format_args!("wrote {}", out::count(written.items, "item")));
    if args.with_predictions {
        out::tell(format_args!(
            "wrote {}",
            out::count(written.answers, "answer")
        ));
    }
    if unused > 0 {
        out::tell(format_args!(
            "left out {} to items that were not exported",
            out::count(unused, "answer")
        ));
    }
    if written.without > 0 {
        let then = tables.without_picture;
        out::tell(format_args!(
            "wrote {} without a picture{then}",
            out::count(written.without, "item")
        ));
    }
    Ok(super::report_aside(&aside))
}

/// The answer sets of each model, with their numbers.
fn models(client: &Client) -> Result<BTreeMap<String, Vec<(u32, AnswerSet)>>> {
    let sets = client.ask(request::AnswerSets)?;
    let mut models: BTreeMap<String, Vec<(u32, AnswerSet)>> = BTreeMap::new();
    for (at, set) in sets.into_iter().enumerate() {
        models
            .entry(set.model.clone())
            .or_default()
            .push((at as u32, set));
    }
    Ok(models)
}

/// The answers of the sets. The first of several answers to one question counts.
fn outputs(client: &Client, sets: &[(u32, AnswerSet)]) -> Result<Outputs> {
    let mut outputs = Outputs::new();
    for (at, set) in sets {
        let mut failed = None;
        lines(client, *at, &mut |row| match row {
            Ok(row) => drop(
                outputs
                    .entry((set.dataset.clone(), row.key))
                    .or_insert(row.output),
            ),
            Err(problem) => drop(failed.get_or_insert(problem)),
        })?;
        if let Some(problem) = failed {
            return Err(problem);
        }
    }
    Ok(outputs)
}
