//! Writes one task per item, with its verdicts as annotations.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::{ANSWER, BLOCK, COMMENTS, Circumstances, NOTE, REASONS, TAGS, VERDICT, regions};
use crate::python_json::raw;
use crate::verdicts::comment_line::CommentLine;
use benchtop_model::config::Reason;
use benchtop_model::history::stamp;
use benchtop_model::verdict_interchange::{
    ExchangedComment, ExchangedVerdict, NameMapping, judgement_digest,
};
use benchtop_model::{Error, ImageRef, Item, Result, taxonomy};

/// Writes tasks as one array, one by one.
pub struct TaskWriter<'w, W: Write> {
    out: W,
    words: &'w NameMapping,
    pictures_at: &'w str,
    /// Whether the reasons have levels, so that their control is a taxonomy.
    levels: bool,
    first: bool,
}

/// What a task shows besides its item and the verdicts.
#[derive(Clone, Debug, Default)]
pub struct TaskExtra {
    pub comments: Vec<ExchangedComment>,
    /// Width and height of the item's pictures in pixels, as far as they are known.
    pub sizes: Vec<Option<(u32, u32)>>,
}

impl<'w, W: Write> TaskWriter<'w, W> {
    /// Creates a writer to `out`. `words` maps the annotators' names. `pictures_at` is the prefix
    /// of all picture paths.
    pub fn new(out: W, words: &'w NameMapping, pictures_at: &'w str) -> TaskWriter<'w, W> {
        TaskWriter {
            out,
            words,
            pictures_at,
            levels: false,
            first: true,
        }
    }

    /// Writes reasons for the control that [`super::config::config`] makes of this list.
    pub fn with_reasons(self, reasons: &[Reason]) -> TaskWriter<'w, W> {
        TaskWriter {
            levels: has_levels(reasons),
            ..self
        }
    }

    /// Writes the task of item `number` with its verdicts.
    pub fn push(
        &mut self,
        number: u32,
        item: &Item,
        verdicts: &[ExchangedVerdict],
        extra: &TaskExtra,
    ) -> Result<()> {
        raw(&mut self.out, if self.first { b"[\n" } else { b",\n" })?;
        self.first = false;
        let task = json!({
            "data": self.data(number, item, verdicts, extra)?,
            "annotations": verdicts.iter().map(|v| self.annotation(v, extra)).collect::<Vec<_>>(),
        });
        let cannot = |e| Error::input(format!("cannot write the task as JSON: {e}"));
        raw(&mut self.out, &serde_json::to_vec(&task).map_err(cannot)?)
    }

    /// Ends the array and returns the output.
    ///
    /// # Errors
    /// See [`push`](Self::push).
    pub fn finish(mut self) -> Result<W> {
        raw(&mut self.out, if self.first { b"[]\n" } else { b"\n]\n" })?;
        self.out
            .flush()
            .map_err(|e| crate::python_json::failed(&e))?;
        Ok(self.out)
    }

    fn data(
        &self,
        number: u32,
        item: &Item,
        verdicts: &[ExchangedVerdict],
        extra: &TaskExtra,
    ) -> Result<Map<String, Value>> {
        let pictures: Vec<Value> = item
            .images
            .iter()
            .map(|image| self.picture(image).into())
            .collect();
        let option = |(at, choice): (usize, &benchtop_model::Choice)| {
            format!("{}. {}", Item::letter(at), choice.text)
        };
        let options: Vec<String> = item.options.iter().enumerate().map(option).collect();
        let mut data = Map::new();
        data.insert("item".into(), item.id.as_str().into());
        data.insert("number".into(), number.into());
        // The labeling config shows `image`, so Label Studio requires it in every task.
        data.insert(
            "image".into(),
            pictures.first().cloned().unwrap_or_else(|| "".into()),
        );
        if pictures.len() > 1 {
            data.insert("images".into(), pictures.into());
        }
        data.insert("question".into(), item.question.as_str().into());
        data.insert("options".into(), options.join("\n").into());
        data.insert("key".into(), item.answer.as_str().into());
        data.insert("kind".into(), item.kind.name().into());
        if let Some(subtask) = &item.subtask {
            data.insert("subtask".into(), subtask.as_str().into());
        }
        // The labeling config shows it, so Label Studio requires it in every task.
        let line = |comment: &ExchangedComment| format!("{}: {}", comment.who, comment.text);
        let shown: Vec<String> = extra.comments.iter().map(line).collect();
        data.insert("comments".into(), shown.join("\n").into());
        let block: Vec<Circumstances> = verdicts.iter().map(circumstances).collect();
        let cannot = |e| Error::input(format!("cannot write the verdict as JSON: {e}"));
        data.insert(BLOCK.into(), serde_json::to_value(block).map_err(cannot)?);
        if !extra.comments.is_empty() {
            // The task names the item.
            let line = |comment: &ExchangedComment| CommentLine {
                item: String::new(),
                ..CommentLine::of(None, comment)
            };
            let lines: Vec<CommentLine> = extra.comments.iter().map(line).collect();
            data.insert(
                COMMENTS.into(),
                serde_json::to_value(lines).map_err(cannot)?,
            );
        }
        Ok(data)
    }

    fn picture(&self, image: &ImageRef) -> String {
        let path = image.stored().or_else(|| image.link.clone());
        let path = path.map_or_else(
            || image.name.clone(),
            |path| path.to_string_lossy().into_owned(),
        );
        format!("{}{path}", self.pictures_at)
    }

    fn annotation(&self, verdict: &ExchangedVerdict, extra: &TaskExtra) -> Value {
        let j = &verdict.judgement;
        let mut result = vec![choices(verdict, VERDICT, vec![j.verdict.name().into()])];
        if !j.reasons.is_empty() {
            result.push(match self.levels {
                true => region(verdict, REASONS, "taxonomy", regions::taxonomy(&j.reasons)),
                false => choices(verdict, REASONS, j.reasons.clone()),
            });
        }
        if !j.tags.is_empty() {
            result.push(region(
                verdict,
                TAGS,
                "taxonomy",
                regions::taxonomy(&j.tags),
            ));
        }
        result.extend(j.marks.iter().enumerate().map(|(at, mark)| {
            let size = extra
                .sizes
                .get(mark.picture as usize - 1)
                .copied()
                .flatten();
            let id = region_id(verdict, &format!("mark-{}", at + 1));
            regions::region(id, mark, size)
        }));
        result.extend(j.note.as_deref().map(|note| textarea(verdict, NOTE, note)));
        result.extend(
            j.answer
                .as_deref()
                .map(|answer| textarea(verdict, ANSWER, answer)),
        );
        json!({
            "unique_id": verdict.uuid,
            "completed_by": {"email": self.words.external_name(&verdict.who)},
            "was_cancelled": false,
            "ground_truth": false,
            "created_at": verdict.at.map(stamp),
            "updated_at": verdict.at.map(stamp),
            "lead_time": j.ms.map(|ms| f64::from(ms) / 1000.0),
            "result": result,
        })
    }
}

fn circumstances(verdict: &ExchangedVerdict) -> Circumstances {
    let j = &verdict.judgement;
    let asked = j.round.as_ref();
    Circumstances {
        uuid: verdict.uuid,
        who: verdict.who.clone(),
        at: verdict.at.map(stamp),
        rev: verdict.rev,
        ms: j.ms,
        seen: j.seen,
        pictures: j.pictures.clone(),
        round: asked.map(|a| a.round.clone()),
        part: asked.map(|a| a.part),
        guidelines: asked.and_then(|a| a.guidelines.clone()),
        revealed: asked.is_some_and(|a| a.revealed),
        on: verdict.on.clone(),
        said: judgement_digest(j),
    }
}

/// Whether a list has keys with levels.
pub(super) fn has_levels(list: &[Reason]) -> bool {
    list.iter()
        .any(|reason| taxonomy::parent(&reason.key).is_some())
}

/// Unique within the task and reproducible. The end of a receipt is its random part.
fn region_id(verdict: &ExchangedVerdict, name: &str) -> String {
    format!("{}-{name}", &verdict.uuid.simple().to_string()[24..])
}

fn region(verdict: &ExchangedVerdict, name: &str, kind: &str, value: Value) -> Value {
    let id = region_id(verdict, name);
    json!({"id": id, "from_name": name, "to_name": "question", "type": kind, "origin": "manual", "value": value})
}

fn choices(verdict: &ExchangedVerdict, name: &str, list: Vec<String>) -> Value {
    region(verdict, name, "choices", json!({"choices": list}))
}

fn textarea(verdict: &ExchangedVerdict, name: &str, text: &str) -> Value {
    region(verdict, name, "textarea", json!({"text": [text]}))
}
