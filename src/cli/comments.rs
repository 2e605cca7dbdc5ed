//! `benchtop comments`: lists comments on items, and writes, changes, and resolves them.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::context::Context;
use crate::out;
use crate::out::{done, json_line};
use benchtop_formats::verdicts::{comments_csv, jsonl};
use benchtop_model::history::stamp;
use benchtop_model::verdict_interchange::ExchangedComment;
use benchtop_model::{CommentAct, Error, Filter, Mark, Result, clean};
use benchtop_pipeline::export::{Renames, create};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{CommentOn, ShownComment, Thread, request};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "A mark is PICTURE:X,Y=LABEL for a point or PICTURE:X,Y,WIDTH,HEIGHT=LABEL for a box, with fractions of the picture from its top left corner. Picture 1 and the label may be left out.\n\nExamples:\n  benchtop comments --filter comments:open\n  benchtop comments --format csv --out comments.csv\n  benchtop comments add 12 'six fingers' --mark 0.4,0.5,0.2,0.3=hand\n  benchtop comments reply 12 0192f0c4-... 'the left one'\n  benchtop comments resolve 12 0192f0c4-..."
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Filter, such as 'comments:open subtask:animal'
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Print JSON lines, which also say what is earlier
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Format that `verdicts import` reads back [default: text]
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Output file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One JSON object per line
    Jsonl,
    /// CSV (RFC 4180) with a header
    Csv,
}

#[derive(clap::Args)]
struct Of {
    /// Id or number of the item
    #[arg(value_name = "ITEM")]
    item: String,
    /// Uuid of the comment
    #[arg(value_name = "COMMENT")]
    comment: String,
}

#[derive(Subcommand)]
enum What {
    /// Write a comment on an item
    Add {
        /// Id or number of the item
        #[arg(value_name = "ITEM")]
        item: String,
        /// Text of the comment; may be empty with a mark
        text: String,
        /// Mark a point or a box on a picture (repeatable)
        #[arg(long = "mark", value_name = "MARK")]
        marks: Vec<String>,
    },
    /// Reply to a comment
    Reply {
        #[command(flatten)]
        of: Of,
        /// Text of the reply
        text: String,
        /// Mark a point or a box on a picture (repeatable)
        #[arg(long = "mark", value_name = "MARK")]
        marks: Vec<String>,
    },
    /// Change a comment of yours; its marks stay unless new ones are given
    Edit {
        #[command(flatten)]
        of: Of,
        /// New text of the comment
        text: String,
        /// Mark a point or a box on a picture (repeatable)
        #[arg(long = "mark", value_name = "MARK")]
        marks: Vec<String>,
        /// Remove the marks
        #[arg(long, conflicts_with = "marks")]
        no_marks: bool,
    },
    /// Delete a comment of yours
    Delete(Of),
    /// Mark a comment as resolved
    Resolve(Of),
    /// Mark a comment as open again
    Reopen(Of),
}

impl Of {
    /// The comment.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Usage`] if it is no uuid.
    fn comment(&self) -> Result<Uuid> {
        let wrong = |_| {
            Error::usage(format!("`{}` is not the uuid of a comment", self.comment))
                .help("`benchtop comments` lists them")
        };
        self.comment.parse().map_err(wrong)
    }
}

fn parsed(marks: &[String]) -> Result<Vec<Mark>> {
    marks.iter().map(|mark| Mark::parse(mark)).collect()
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let client = context.client()?;
    let Some(what) = &args.what else {
        return list(&client, args);
    };
    let (item, act) = match what {
        What::Add { item, text, marks } => {
            let (text, marks, reply_to) = (text.clone(), parsed(marks)?, None);
            let act = CommentAct::Write {
                text,
                reply_to,
                marks,
            };
            (item, act)
        }
        What::Reply { of, text, marks } => {
            let (text, marks) = (text.clone(), parsed(marks)?);
            let reply_to = Some(of.comment()?);
            let act = CommentAct::Write {
                text,
                reply_to,
                marks,
            };
            (&of.item, act)
        }
        What::Edit {
            of,
            text,
            marks,
            no_marks,
        } => {
            let marks = match marks.is_empty() && !no_marks {
                true => marks_of(&client, of)?,
                false => parsed(marks)?,
            };
            let (of, item) = (of.comment()?, &of.item);
            let text = text.clone();
            (item, CommentAct::Edit { of, text, marks })
        }
        What::Delete(of) => (&of.item, CommentAct::Delete { of: of.comment()? }),
        What::Resolve(of) | What::Reopen(of) => {
            let (resolved, item) = (matches!(what, What::Resolve(_)), &of.item);
            let of = of.comment()?;
            (item, CommentAct::Resolve { of, resolved })
        }
    };
    let number = number_of(&client, item)?;
    save(&client, number, act)
}

/// Saves an event in the thread of an item, and prints its receipt.
///
/// # Errors
/// What the owner refuses.
pub(crate) fn save(client: &Client, number: u32, act: CommentAct) -> Result<u8> {
    let event = CommentOn {
        uuid: Uuid::now_v7(),
        number,
        act,
    };
    let receipt = client.ask(request::Comment(Box::new(event)))?;
    let line = json!({
        "saved": true, "number": receipt.number, "rev": receipt.rev, "uuid": receipt.uuid,
    });
    out::print(&out::json_text(&line))?;
    Ok(0)
}

/// The number of an item that is named by its id or number.
fn number_of(client: &Client, name: &str) -> Result<u32> {
    let by_id = client.ask(request::NumberOf(name.into()))?;
    by_id
        .or_else(|| name.trim_start_matches('#').parse().ok())
        .ok_or_else(|| Error::not_found(format!("no item `{name}`")))
}

fn marks_of(client: &Client, of: &Of) -> Result<Vec<Mark>> {
    let (number, uuid) = (number_of(client, &of.item)?, of.comment()?);
    let thread = client.ask(request::Thread(number))?;
    let mut comments = thread.comments.into_iter().map(|shown| shown.comment);
    let found = comments.find(|comment| comment.uuid == uuid);
    Ok(found.map(|comment| comment.marks).unwrap_or_default())
}

/// Calls `take` with the comments on each item that matches the filter.
pub fn each(
    client: &Client,
    filter: &Filter,
    mut take: impl FnMut(u32, &str, &Thread) -> Result<()>,
) -> Result<()> {
    let mut from = Some(1);
    while let Some(number) = from {
        let ask = request::Comments {
            filter: filter.clone(),
            from: number,
        };
        let page = client.ask(ask)?;
        for (number, id, thread) in &page.list {
            take(*number, id, thread)?;
        }
        from = page.next;
    }
    Ok(())
}

/// Says that comments were left out.
pub fn tell_left_out(number: u32, thread: &Thread) {
    if thread.left_out > 0 {
        let older = out::count(thread.left_out, "older comment");
        out::tell(format!("#{number}: {older} not listed"));
    }
}

fn list(client: &Client, args: &Args) -> Result<u8> {
    let filter = Filter::parse(args.filter.as_deref().unwrap_or_default())?;
    let mut renames = Renames::default();
    let mut out: Box<dyn Write> = match &args.out {
        Some(path) => Box::new(create(path, &mut renames)?),
        // Text and CSV on standard output are cleaned for the terminal. JSON escapes instead, and
        // files keep everything.
        None if args.format == Some(Form::Jsonl) => Box::new(BufWriter::new(out::data())),
        None => Box::new(BufWriter::new(out::lines())),
    };
    if args.format == Some(Form::Csv) {
        comments_csv::write_names(&mut out)?;
    }
    each(client, &filter, |number, id, thread| {
        for shown in &thread.comments {
            let exchanged = ExchangedComment::of(id, &shown.comment);
            match args.format {
                _ if args.json => json_line(&mut out, &value(number, id, shown))?,
                Some(Form::Jsonl) => jsonl::write_comment(number, &exchanged, &mut out)?,
                Some(Form::Csv) => comments_csv::write(number, &exchanged, &mut out)?,
                None => done(out.write_all(text(number, id, shown).as_bytes()))?,
            }
        }
        tell_left_out(number, thread);
        Ok(())
    })?;
    done(out.flush())?;
    drop(out);
    renames.finish()?;
    Ok(0)
}

/// A comment as JSON.
pub fn value(number: u32, item: &str, shown: &ShownComment) -> Value {
    let comment = &shown.comment;
    json!({
        "number": number, "item": item, "uuid": comment.uuid, "rev": comment.rev, "at": stamp(comment.at),
        "who": comment.who, "text": comment.text, "reply_to": comment.reply_to, "marks": comment.marks,
        "edited": comment.edited.map(stamp), "resolved": comment.resolved, "on": comment.on, "imported": comment.imported,
        "earlier": shown.is_earlier,
    })
}

/// A comment as a tab-separated line.
fn text(number: u32, item: &str, shown: &ShownComment) -> String {
    let comment = &shown.comment;
    let marks: Vec<String> = comment.marks.iter().map(ToString::to_string).collect();
    let marks = marks.join(" ");
    let state = match (&comment.resolved, comment.reply_to) {
        (Some(who), _) => format!("resolved by {who}"),
        (None, Some(_)) => "reply".to_string(),
        (None, None) => "open".to_string(),
    };
    let state = match comment.imported {
        true => format!("{state}, imported"),
        false => state,
    };
    let parts = [item, &comment.who, &state, &comment.text, &marks];
    let [item, who, state, text, marks] = parts.map(clean::line);
    let (at, uuid) = (stamp(comment.at), comment.uuid);
    let mut line = format!("#{number}\t{item}\t{uuid}\t{at}\t{who}\t{state}\t{text}");
    if !marks.is_empty() {
        let _ = write!(line, "\t{marks}");
    }
    line + "\n"
}
