//! `benchtop edit`: changes the question, options, or answer of one item. The edit is a revision,
//! so earlier verdicts no longer count.

use serde_json::json;

use super::import;
use crate::context::Context;
use crate::out;
use benchtop_model::edit::Edit;
use benchtop_model::{Choice, Error, ErrorKind, Item, Result, Role, clean};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{EditedItem, request};

#[derive(clap::Args)]
#[command(
    after_help = "Earlier verdicts on an edited item no longer count. `benchtop undo` undoes an edit.\n\nExamples:\n  benchtop edit 12 --question 'What animal is this?' --dry-run\n  benchtop edit demo/3 --option 'B=a red fox' --answer B --note 'ambiguous option'\n  benchtop edit 12 --restore"
)]
pub struct Args {
    /// Id or number of the item
    #[arg(value_name = "ITEM")]
    item: String,
    /// New question, without the options
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
    /// New text of an option; the letter after the last adds an option (repeatable)
    #[arg(long = "option", value_name = "LETTER=TEXT", value_parser = option)]
    options: Vec<(String, String)>,
    /// Remove an option (repeatable)
    #[arg(long, value_name = "LETTER")]
    remove: Vec<String>,
    /// New right answer: letter or text of an option, yes, no, or a reference text
    #[arg(long, value_name = "ANSWER")]
    answer: Option<String>,
    /// New instruction, the full text given to a model [default: updated with the other changes]
    #[arg(long, value_name = "TEXT")]
    instruction: Option<String>,
    /// Note that explains the edit
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Restore the original text
    #[arg(long, conflicts_with_all = ["question", "options", "remove", "answer", "instruction"])]
    restore: bool,
    /// Show what would change, without changing it
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

fn option(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((letter, text)) if !letter.trim().is_empty() => {
            Ok((letter.trim().to_uppercase(), text.into()))
        }
        _ => Err("expected LETTER=TEXT, such as B=a red fox".into()),
    }
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let (number, item) = find(&client, &args.item)?;
    let edit = Edit {
        number,
        expected: None,
        question: args.question.clone(),
        options: options(&item, args)?,
        answer: args.answer.clone(),
        instruction: args.instruction.clone(),
        note: args.note.clone(),
        restore: args.restore,
        preview: args.dry_run,
    };
    let edited = import::waited(&client, request::Edit(Box::new(edit)), !args.json)?;
    let (before, after) = (parse(&edited.before)?, parse(&edited.after)?);
    let side = |item: &Item| json!({"question": item.question, "options": item.options, "answer": item.answer, "instruction": item.instruction});
    let value = json!({
        "dry_run": args.dry_run, "number": number, "item": after.id, "before": side(&before), "after": side(&after),
        "voided": edited.voided, "notes": edited.notes,
    });
    out::report(args.json, &value, || {
        text(number, &edited, (&before, &after), args.dry_run)
    })
}

fn find(client: &Client, name: &str) -> Result<(u32, Item)> {
    let none = || Error::not_found(format!("no item `{name}`"));
    let by_id = client.ask(request::NumberOf(name.into()))?;
    let number = by_id
        .or_else(|| name.trim_start_matches('#').parse().ok())
        .ok_or_else(none)?;
    let view = client.ask(request::Item(number))?;
    Ok((number, parse(&view.json)?))
}

fn parse(json: &str) -> Result<Item> {
    serde_json::from_str(json)
        .map_err(|e| Error::new(ErrorKind::Corrupt, format!("cannot read the item: {e}")))
}

/// The item's options with the changes of the arguments. `None` if nothing changes.
fn options(item: &Item, args: &Args) -> Result<Option<Vec<Choice>>> {
    if args.options.is_empty() && args.remove.is_empty() {
        return Ok(None);
    }
    let mut list: Vec<Option<Choice>> = item.options.iter().cloned().map(Some).collect();
    for (letter, text) in &args.options {
        let at = (0..=list.len()).find(|at| Item::letter(*at) == *letter);
        match at {
            Some(at) if at < list.len() => {
                if let Some(choice) = &mut list[at] {
                    choice.text.clone_from(text);
                }
            }
            Some(_) => list.push(Some(Choice {
                text: text.clone(),
                role: Role::Distractor,
            })),
            None => return Err(no_option(letter, list.len())),
        }
    }
    for letter in &args.remove {
        let at = (0..list.len()).find(|at| Item::letter(*at) == letter.to_uppercase());
        match at.and_then(|at| list.get_mut(at)) {
            Some(choice) => *choice = None,
            None => return Err(no_option(letter, list.len())),
        }
    }
    Ok(Some(list.into_iter().flatten().collect()))
}

fn no_option(letter: &str, options: usize) -> Error {
    Error::input(format!("no option {letter}"))
        .field("option")
        .help(format!("the item has {}", out::count(options, "option")))
}

fn text(number: u32, edited: &EditedItem, (before, after): (&Item, &Item), dry: bool) -> String {
    let mut lines = format!(
        "#{number} {}{}\n",
        clean::line(&after.id),
        if dry { " (dry run)" } else { "" }
    );
    let mut line = |what: &str, old: &str, new: &str| {
        if old != new {
            let (old, new) = (clean::line(old), clean::line(new));
            lines.push_str(&format!(
                "  {what}: {old}\n  {:>width$}  {new}\n",
                "->",
                width = what.len()
            ));
        }
    };
    line("question", &before.question, &after.question);
    let option = |item: &Item, at: usize| {
        item.options
            .get(at)
            .map_or(String::new(), |o| o.text.clone())
    };
    for at in 0..before.options.len().max(after.options.len()) {
        line(
            &format!("option {}", Item::letter(at)),
            &option(before, at),
            &option(after, at),
        );
    }
    line("answer", &before.answer, &after.answer);
    if edited.voided > 0 {
        let verb = if dry { "would void" } else { "voided" };
        let verdicts = out::count(edited.voided, "verdict");
        lines.push_str(&format!("  {verb} {verdicts} on the earlier text\n"));
    }
    let notes = edited.notes.iter();
    lines.extend(notes.map(|note| format!("  {}\n", clean::line(note))));
    lines
}
