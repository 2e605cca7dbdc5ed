//! `benchtop export` in the forms that other tools load.

use std::collections::{BTreeMap, HashMap};

use super::{Args, item, items, lines};
use crate::context::Context;
use crate::out;
use benchtop_model::{Error, ErrorKind, Filter, Item, Key, Result};
use benchtop_pipeline::export::tools::{Surveys, Tool, Tools, takes_answers};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{AnswerSet, request};

/// What a model answered: by data set, where the answers say which, and key.
type Outputs = HashMap<(Option<String>, Key), String>;

/// Runs it.
///
/// # Errors
/// A picture that cannot be read, and the operating system's.
pub(super) fn run(context: &Context, args: &Args, tool: Tool) -> Result<u8> {
    let usage = |what: &str, help: &str| Err(Error::new(ErrorKind::Usage, what).help(help));
    let Some(dir) = &args.out else {
        return usage("this format is a folder", "name it with --out DIR");
    };
    if args.images {
        return usage("this format has its pictures with it", "leave --images out");
    }
    if args.with_predictions {
        takes_answers(tool)?;
    }
    let filter = Filter::parse(&args.filter)?;
    let client = context.client()?;
    super::check(&client, &filter, args.drafts)?;
    let each = |take: &mut dyn FnMut(Item) -> Result<()>| {
        items::each(
            &client,
            filter.clone(),
            Vec::new(),
            &mut |number, _, json| take(item(number, json)?),
        )
    };
    let mut surveys = Surveys::default();
    each(&mut |item| {
        surveys.look(&item);
        Ok(())
    })?;
    let mut tools = Tools::new(tool, dir, &client.welcome().root, surveys);
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
    out::tell(format_args!("{} items written", written.items));
    if args.with_predictions {
        out::tell(format_args!("{} answers written", written.answers));
    }
    if unused > 0 {
        out::tell(format_args!(
            "{unused} answers are to other questions and were left out"
        ));
    }
    if written.without > 0 {
        let then = if tool == Tool::VlmEvalKit {
            "; VLMEvalKit passes them over"
        } else {
            ""
        };
        out::tell(format_args!(
            "{} items are without a picture{then}",
            written.without
        ));
    }
    Ok(super::told_aside(&aside))
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

/// What the sets hold; of several answers to one question the first.
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
