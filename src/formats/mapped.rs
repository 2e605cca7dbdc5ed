//! Reads the rows of a table as items and predictions, by a [`Mapping`].

use std::collections::HashMap;

use serde_json::Value;

use super::cells::{self, Inline};
use super::chat_turns::Turns;
use super::choices::{choices, kind, taken_apart, truths};
use super::records::Record;
use super::rows::Tally;
use super::{fields, roundtrip_column};
use benchtop_model::mapping::{AnswerIs, Mapping};
use benchtop_model::{
    Error, ImageRef, Item, Key, Prediction, Result, Rights, Rotation, ToolVerdict, Variant,
};

/// The `extra` field of a prediction with the score that the source tool gave it, from 0 to 1.
pub const RIGHT: &str = "$right";
/// The `extra` field of a prediction with its model, for files with several models.
pub const MODEL: &str = "$model";

const LOST: &str =
    "options without a text, lost by the source tool (pandas reads None, NA, and nan as missing)";
const UNANSWERED: &str =
    "rows without an answer (null or missing; an empty answer counts as an answer)";
const LATER: &str = "answers of later epochs or runs, skipped because the first one counts";
/// Columns that repeat the answer.
const REPEATED: [&str; 1] = ["log"];

/// Reads items from rows.
pub(super) struct ItemReader {
    mapping: Mapping,
    dataset: String,
    /// The picture names of earlier rows, if a cell may refer to another row.
    rows: Option<HashMap<String, Vec<String>>>,
    at: i64,
    turns: Turns,
    tally: Tally,
}

impl ItemReader {
    /// Reads rows of the data set `dataset`. With `rows`, a picture cell may refer to another row,
    /// as in VLMEvalKit.
    pub fn new(mapping: Mapping, dataset: String, rows: bool) -> ItemReader {
        ItemReader {
            mapping,
            dataset,
            rows: rows.then(HashMap::new),
            at: -1,
            turns: Turns::default(),
            tally: Tally::default(),
        }
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The item of a row, and its embedded pictures.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the column.
    pub fn item(&mut self, record: &Record) -> Result<(Item, Vec<Inline>)> {
        self.at += 1;
        let row = id(&self.mapping, record, self.at)?;
        let mut made = Item::blank(&self.dataset, row.clone());
        let mut carried = self.pictures(record, &mut made);
        let mut images = std::mem::take(&mut made.images);
        let rights = self.rights(record);
        for image in &mut images {
            image.rights.clone_from(&rights);
        }
        let made = self.asked(record, row.clone());
        let item = match roundtrip_column::read(record)? {
            Some(mark) => {
                roundtrip_column::apply(made, images, &mark, &self.dataset, &mut carried)?
            }
            None => Item { images, ..made? },
        };
        if let Some(rows) = &mut self.rows {
            rows.insert(
                row.to_string(),
                item.images.iter().map(|image| image.name.clone()).collect(),
            );
        }
        fields::check(&item)?;
        Ok((item, carried))
    }

    /// The item of a row without its pictures.
    ///
    /// # Errors
    /// See [`item`](Self::item).
    pub fn asked(&mut self, record: &Record, key: Key) -> Result<Item> {
        let mut item = Item::blank(&self.dataset, key);
        let of =
            |column: &Option<String>| column.as_deref().and_then(|c| cells::text(record.get(c)?));
        let filled = |column: &Option<String>| of(column).filter(|text| !text.is_empty());
        item.question = of(&self.mapping.question).unwrap_or_default();
        item.prompt = filled(&self.mapping.prompt);
        item.task = filled(&self.mapping.task);
        item.subtask = filled(&self.mapping.subtask);
        item.granularity = filled(&self.mapping.granularity);
        item.level = filled(&self.mapping.level);
        item.style = filled(&self.mapping.style);
        let answer = self
            .mapping
            .answer
            .as_deref()
            .and_then(|c| record.get(c))
            .cloned()
            .unwrap_or_default();
        item.answer = cells::text(&answer)
            .unwrap_or_else(|| cells::list(&answer).into_iter().next().unwrap_or_default());
        let mut options = self.options(record);
        if options.is_empty()
            && self.mapping.options.is_empty()
            && !["yes", "no"].contains(&item.answer.to_lowercase().as_str())
        {
            let (stem, found) = taken_apart(&item.question);
            if found.len() > 1 {
                item.instruction = Some(std::mem::replace(&mut item.question, stem));
                options = found;
            }
        }
        let (stated_kind, mut answer, mut answer_is) =
            (filled(&self.mapping.kind), answer, self.mapping.answer_is);
        if options.is_empty()
            && let Some((pair, right)) = truths(stated_kind.as_deref(), &item.answer)
        {
            options = pair.map(str::to_string).into();
            item.answer = pair[right].to_string();
            (answer, answer_is) = (Value::from(pair[right]), AnswerIs::Text);
        }
        let field = self
            .mapping
            .answer
            .clone()
            .unwrap_or_else(|| "answer".into());
        let refusal = self
            .mapping
            .refusal
            .as_deref()
            .and_then(|c| record.get(c))
            .filter(|v| !v.is_null());
        item.options = choices(options, &answer, answer_is, refusal).map_err(|p| p.field(field))?;
        self.tally.many(
            LOST,
            item.options.iter().filter(|o| o.text.is_empty()).count() as u64,
        );
        item.kind = kind(stated_kind.as_deref(), &item);
        item.rotation = self.rotation(record, &item);
        item.variant = filled(&self.mapping.variant).map(|name| Variant {
            name,
            ..Variant::default()
        });
        self.rest(record, &mut item.extra);
        Ok(item)
    }

    fn options(&self, record: &Record) -> Vec<String> {
        if let [column] = &self.mapping.options[..] {
            return record.get(column).map(cells::list).unwrap_or_default();
        }
        let of = |column: &String| record.get(column).and_then(cells::text).unwrap_or_default();
        let mut found: Vec<String> = self.mapping.options.iter().map(of).collect();
        let filled = found
            .iter()
            .rposition(|text| !text.is_empty())
            .map_or(0, |last| last + 1);
        found.truncate(filled);
        found
    }

    fn rotation(&mut self, record: &Record, item: &Item) -> Option<Rotation> {
        let set = cells::key(record.get(self.mapping.group.as_deref()?)?)?;
        self.turns.next(set, &item.key, item.options.len())
    }

    fn pictures(&self, record: &Record, item: &mut Item) -> Vec<Inline> {
        let mut carried = Vec::new();
        for (at, column) in self.mapping.images.iter().enumerate() {
            let Some(value) = record.get(column) else {
                continue;
            };
            let stem = match at {
                0 => item.id.clone(),
                _ => format!("{}-{column}", item.id),
            };
            for picture in cells::pictures(value, &stem) {
                // A cell may refer to the row that has the pictures.
                let there = self
                    .rows
                    .as_ref()
                    .filter(|_| picture.inline.is_none())
                    .and_then(|r| r.get(&picture.name));
                let names = there.cloned().unwrap_or_else(|| vec![picture.name]);
                item.images.extend(names.into_iter().map(ImageRef::named));
                carried.extend(picture.inline);
            }
        }
        carried
    }

    /// The rights to the pictures of a row.
    fn rights(&self, record: &Record) -> Option<Box<Rights>> {
        let of = |column: &Option<String>| {
            let text = cells::text(record.get(column.as_deref()?)?)?;
            Some(text.trim().to_string()).filter(|text| !text.is_empty())
        };
        let mapping = &self.mapping;
        let kinds = of(&mapping.sensitivity);
        Rights::of_texts(
            of(&mapping.picture_source),
            of(&mapping.license),
            kinds.as_deref(),
        )
    }

    /// Copies the columns that have no field in an item.
    fn rest(&self, record: &Record, extra: &mut Record) {
        let rest = unmapped(&self.mapping, record);
        extra.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
    }
}

/// The columns of a row that have a value and no meaning.
fn unmapped<'r>(
    mapping: &'r Mapping,
    record: &'r Record,
) -> impl Iterator<Item = (&'r String, &'r Value)> {
    let used: Vec<&str> = mapping
        .named()
        .map(|(_, column)| column)
        .chain(REPEATED)
        .collect();
    record.iter().filter(move |(name, value)| {
        let is_empty = value.is_null() || value.as_str() == Some("");
        !is_empty
            && !used.contains(&name.as_str())
            && !name.starts_with('$')
            && *name != roundtrip_column::COLUMN
    })
}

fn id(mapping: &Mapping, record: &Record, at: i64) -> Result<Key> {
    let Some(column) = mapping.id.as_deref() else {
        return Ok(Key::Int(at));
    };
    record
        .get(column)
        .and_then(cells::key)
        .ok_or_else(|| Error::input("the row has no id").field(column))
}

/// Reads predictions from rows.
pub(super) struct PredictionReader {
    mapping: Mapping,
    /// The tool's verdicts from another of its files.
    verdicts: HashMap<Key, ToolVerdict>,
    epoch: Option<String>,
    at: i64,
    tally: Tally,
}

impl PredictionReader {
    /// Reads rows; `verdicts` are those that the tool stores in another file.
    pub fn new(mapping: Mapping, verdicts: HashMap<Key, ToolVerdict>) -> PredictionReader {
        PredictionReader {
            mapping,
            verdicts,
            epoch: None,
            at: -1,
            tally: Tally::default(),
        }
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The prediction of a row; `None` if it has none.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the column.
    pub fn prediction(&mut self, record: Record) -> Result<Option<Prediction>> {
        self.at += 1;
        let row = id(&self.mapping, &record, self.at)?;
        let key = roundtrip_column::key(roundtrip_column::read(&record)?.as_ref(), row.clone());
        let of =
            |column: &Option<String>| column.as_deref().and_then(|c| cells::text(record.get(c)?));
        if let Some(epoch) = of(&self.mapping.epoch)
            && *self.epoch.get_or_insert_with(|| epoch.clone()) != epoch
        {
            self.tally.add(LATER);
            return Ok(None);
        }
        let Some(output) = of(&self.mapping.output) else {
            self.tally.add(UNANSWERED);
            return Ok(None);
        };
        let from_tool = verdict(&self.mapping, &record);
        let kept = self.verdicts.get(&row).cloned().unwrap_or_default();
        let mut prediction = Prediction {
            key,
            output,
            rule: from_tool.extracted.or(kept.extracted),
            judge: None,
            extra: Record::new(),
        };
        if let Some(right) = from_tool
            .right
            .or(kept.right)
            .and_then(serde_json::Number::from_f64)
        {
            prediction.extra.insert(RIGHT.into(), Value::Number(right));
        }
        if let Some(model) = of(&self.mapping.model).filter(|model| !model.is_empty()) {
            prediction.extra.insert(MODEL.into(), model.into());
        }
        let mut mapping = self.mapping.clone();
        // Kept, so that a question text that differs from the data set's is reported.
        let question = mapping.question.take();
        for (name, value) in unmapped(&mapping, &record) {
            let name = match Some(name) == question.as_ref() {
                true => "question",
                false => name,
            };
            prediction.extra.insert(name.into(), value.clone());
        }
        Ok(Some(prediction))
    }
}

/// The source tool's verdict on the answer in a row.
pub(super) fn verdict(mapping: &Mapping, record: &Record) -> ToolVerdict {
    let of = |column: &Option<String>| record.get(column.as_deref()?);
    let right = of(&mapping.right).and_then(|value| match value {
        Value::Bool(right) => Some(f64::from(u8::from(*right))),
        Value::Number(n) => n.as_f64(),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" | "c" => Some(1.0),
            "false" | "no" | "i" => Some(0.0),
            other => other.parse().ok(),
        },
        _ => None,
    });
    let extracted = of(&mapping.extracted)
        .and_then(cells::text)
        .filter(|text| !text.is_empty());
    ToolVerdict {
        right: right.filter(|n| n.is_finite()),
        extracted,
    }
}

/// The source tool's verdict on this answer, if its file has one. A reading by the tool's judge
/// precedes one by its rule.
pub fn tool_verdict(prediction: &Prediction) -> ToolVerdict {
    let extracted = prediction
        .judge
        .as_ref()
        .or(prediction.rule.as_ref())
        .cloned();
    ToolVerdict {
        right: prediction.extra.get(RIGHT).and_then(Value::as_f64),
        extracted,
    }
}
