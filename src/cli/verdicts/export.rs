//! Lists and exports verdicts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::path::Path;

use super::Args;
use super::mapping::words;
use crate::comments;
use crate::context::Context;
use crate::out;
use crate::out::done;
use benchtop_files::picture_file::PictureFile;
use benchtop_formats::verdicts::label_studio::{TaskExtra, TaskWriter};
use benchtop_formats::verdicts::{csv, jsonl};
use benchtop_model::verdict_interchange::{ExchangedComment, ExchangedVerdict, VerdictForm};
use benchtop_model::{Error, ErrorKind, Filter, ImageRef, Item, Result, clean};
use benchtop_pipeline::export::{Renames, create};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{Lines, request};
use benchtop_raster::decode::decode;

pub(super) fn run(context: &Context, args: &Args) -> Result<u8> {
    let form = args
        .format
        .map(VerdictForm::from)
        .or(args.json.then_some(VerdictForm::Jsonl));
    let client = context.client()?;
    let mut renames = Renames::default();
    let mut out: Box<dyn Write> = match &args.out {
        Some(path) => Box::new(create(path, &mut renames)?),
        // Text and CSV on standard output are cleaned for the terminal. JSON escapes instead, and
        // files keep everything.
        None if matches!(form, None | Some(VerdictForm::Csv)) => {
            Box::new(BufWriter::new(out::lines()))
        }
        None => Box::new(BufWriter::new(out::data())),
    };
    let round = args.round.as_deref();
    match form {
        None => each(&client, round, &mut |page| {
            page.iter().try_for_each(|(number, verdict)| {
                done(out.write_all(text(*number, verdict).as_bytes()))
            })
        })?,
        Some(VerdictForm::Jsonl) => each(&client, round, &mut |page| {
            page.iter()
                .try_for_each(|(number, verdict)| jsonl::write(*number, verdict, &mut out))
        })?,
        Some(VerdictForm::Csv) => {
            csv::write_names(&mut out)?;
            each(&client, round, &mut |page| {
                page.iter()
                    .try_for_each(|(number, verdict)| csv::write(*number, verdict, &mut out))
            })?;
        }
        Some(VerdictForm::LabelStudio) => out = tasks(&client, args, out)?,
    }
    done(out.flush())?;
    drop(out);
    renames.finish()?;
    Ok(0)
}

/// A verdict as a tab-separated line.
fn text(number: u32, verdict: &ExchangedVerdict) -> String {
    let j = &verdict.judgement;
    let (reasons, note) = (j.reasons.join(", "), j.note.as_deref().unwrap_or_default());
    let [item, who, reasons, note] = [&verdict.item, &verdict.who, &reasons, note].map(clean::line);
    format!(
        "#{number}\t{item}\t{}\t{who}\t{reasons}\t{note}\n",
        j.verdict.name()
    )
}

/// Receives a page of verdicts with the numbers of their items.
type Take<'t> = &'t mut dyn FnMut(&[(u32, ExchangedVerdict)]) -> Result<()>;

/// Calls `take` with every page of the effective verdicts. Verdicts on one item are on the same
/// page.
fn each(client: &Client, round: Option<&str>, take: Take<'_>) -> Result<()> {
    let mut from = Some(1);
    while let Some(number) = from {
        let ask = request::Verdicts {
            round: round.map(str::to_string),
            from: number,
        };
        let page = client.ask(ask)?;
        take(&page.list)?;
        from = page.next;
    }
    Ok(())
}

/// Writes Label Studio tasks to `out`, and returns it.
fn tasks(client: &Client, args: &Args, out: Box<dyn Write>) -> Result<Box<dyn Write>> {
    let words = words(&args.map, &[]);
    let mut writer =
        TaskWriter::new(out, &words, &args.picture_prefix).with_reasons(&client.welcome().reasons);
    let comments = commented(client)?;
    let mut write = |tasks: Vec<(u32, &[(u32, ExchangedVerdict)])>| {
        let mut items = Items::new(client, tasks.iter().map(|(number, _)| *number).collect());
        for (number, verdicts) in tasks {
            let list = verdicts.iter().map(|(_, verdict)| verdict.clone());
            let list: Vec<ExchangedVerdict> = list.collect();
            let item = items.next()?;
            let extra = TaskExtra {
                comments: comments.get(&number).cloned().unwrap_or_default(),
                sizes: sizes(&client.welcome().root, &item, &list),
            };
            writer.push(number, &item, &list, &extra)?;
        }
        Ok(())
    };
    // An item that has comments and no verdict is a task too, unless a round is asked for.
    let mut bare: BTreeSet<u32> = match args.round {
        Some(_) => BTreeSet::new(),
        None => comments.keys().copied().collect(),
    };
    each(client, args.round.as_deref(), &mut |page| {
        let mut tasks = Vec::new();
        for verdicts in page.chunk_by(|a, b| a.0 == b.0) {
            let number = verdicts[0].0;
            bare.remove(&number);
            let after = bare.split_off(&number);
            let before = std::mem::replace(&mut bare, after);
            tasks.extend(before.into_iter().map(|number| (number, &[][..])));
            tasks.push((number, verdicts));
        }
        write(tasks)
    })?;
    write(bare.into_iter().map(|number| (number, &[][..])).collect())?;
    writer.finish()
}

/// The comments on each item.
fn commented(client: &Client) -> Result<BTreeMap<u32, Vec<ExchangedComment>>> {
    let mut all = BTreeMap::new();
    comments::each(client, &Filter::default(), |number, id, thread| {
        comments::tell_left_out(number, thread);
        let comments = thread.comments.iter();
        let comments = comments.map(|shown| ExchangedComment::of(id, &shown.comment));
        all.insert(number, comments.collect());
        Ok(())
    })?;
    Ok(all)
}

/// The sizes of the pictures that the verdicts mark, as far as their files can be read.
fn sizes(root: &Path, item: &Item, verdicts: &[ExchangedVerdict]) -> Vec<Option<(u32, u32)>> {
    let marks = || verdicts.iter().flat_map(|verdict| &verdict.judgement.marks);
    let size = |(at, image): (usize, &ImageRef)| {
        marks().find(|mark| mark.picture as usize == at + 1)?;
        let bytes = PictureFile::of(root, image)?.read().ok()?;
        decode(&bytes).ok().map(|picture| picture.size())
    };
    item.images.iter().enumerate().map(size).collect()
}

/// Fetches items by number, in that order, as many per request as fit a frame.
struct Items<'c> {
    client: &'c Client,
    numbers: Vec<u32>,
    ready: std::vec::IntoIter<Item>,
    asked: usize,
}

impl<'c> Items<'c> {
    fn new(client: &'c Client, numbers: Vec<u32>) -> Items<'c> {
        Items {
            client,
            numbers,
            ready: Vec::new().into_iter(),
            asked: 0,
        }
    }

    fn next(&mut self) -> Result<Item> {
        loop {
            if let Some(item) = self.ready.next() {
                return Ok(item);
            }
            let rest = self.numbers.get(self.asked..).unwrap_or_default();
            let Lines { json, .. } = self.client.ask(request::Items(rest.to_vec()))?;
            let corrupt = |e| Error::new(ErrorKind::Corrupt, format!("cannot read an item: {e}"));
            let items = json
                .lines()
                .map(|line| serde_json::from_str(line).map_err(corrupt));
            let items = items.collect::<Result<Vec<Item>>>()?;
            if items.is_empty() {
                return Err(Error::new(
                    ErrorKind::Corrupt,
                    "an item with verdicts is missing",
                ));
            }
            self.asked += items.len();
            self.ready = items.into_iter();
        }
    }
}
