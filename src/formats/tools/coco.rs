//! COCO captions: every picture becomes a free-form question with its captions as references.
//!
//! Source: cocodataset.org, "Data format". Ids are numbers or texts.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;

use serde_json::Value;

use super::{list_or_null, row};
use crate::cells;
use crate::format::Format;
use crate::head::{Detection, Head};
use crate::input::open;
use crate::records::Record;
use crate::rows::object::Object;
use crate::rows::{Rows, Tally};
use crate::third_party::Mapped;
use benchtop_model::{Error, Result};

/// The question, which COCO does not have.
const QUESTION: &str = "Describe the image.";
const BOXES: &str = "annotations without a caption (boxes, masks), skipped";
const CUT_OFF: &str = "captions of unlisted pictures, skipped";

/// Captioned pictures.
pub static CAPTIONS: Format = Format {
    name: "coco-captions",
    title: "COCO captions",
    recognized_by: "`annotations` with `caption`",
    detect: |head| {
        let first = match head {
            Head::Members(members) => members.first_of("annotations"),
            _ => None,
        };
        match first {
            Some(first) if !first.contains_key("image_id") => Detection::No,
            Some(first) if first.contains_key("caption") => Detection::Sure,
            Some(_) => Detection::refused(
                "COCO annotations without captions (boxes, masks) have no questions",
                "import COCO captions, or put your own questions in a table",
            ),
            None => Detection::No,
        }
    },
    rows: Some(|path, _| rows(path).map(Mapped::flat)),
    ..Format::QUESTIONS
};

struct CaptionRows {
    ready: VecDeque<(u64, Record)>,
    tally: Tally,
}

impl Rows for CaptionRows {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        Ok(self.ready.pop_front())
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }
}

/// The captioned pictures as rows. Names and captions are held in memory, because either list may
/// come first.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with the line, or if the file has no captions.
fn rows(path: &Path) -> Result<Box<dyn Rows>> {
    let mut object = Object::new(open(path)?)?;
    let mut tally = Tally::default();
    let mut names: HashMap<String, Value> = HashMap::new();
    // In the order of their first captions.
    let mut captions: BTreeMap<u64, (String, u64, Vec<Value>)> = BTreeMap::new();
    let mut order: HashMap<String, u64> = HashMap::new();
    while let Some(name) = object.next_name()? {
        match name.as_str() {
            "images" if object.enter(b'[')? => {
                while let Some((_, image)) = object.element(&mut tally)? {
                    if let (Some(id), Some(file)) = (
                        image.get("id").and_then(cells::text),
                        image.get("file_name"),
                    ) {
                        names.insert(id, file.clone());
                    }
                }
            }
            "annotations" if object.enter(b'[')? => {
                while let Some((line, annotation)) = object.element(&mut tally)? {
                    let of = |name: &str| annotation.get(name);
                    let (Some(image), Some(caption)) =
                        (of("image_id").and_then(cells::text), of("caption"))
                    else {
                        tally.add(BOXES);
                        continue;
                    };
                    let next = order.len() as u64;
                    let at = *order.entry(image.clone()).or_insert(next);
                    captions
                        .entry(at)
                        .or_insert((image, line, Vec::new()))
                        .2
                        .push(caption.clone());
                }
            }
            _ => object.skip()?,
        }
    }
    if captions.is_empty() {
        return Err(Error::input(
            "the COCO annotations have no captions, so there are no questions",
        )
        .file(path)
        .help("import captions; boxes and masks are not supported"));
    }
    let mut ready = VecDeque::new();
    for (id, line, mut list) in captions.into_values() {
        let Some(file) = names.get(&id) else {
            tally.many(CUT_OFF, list.len() as u64);
            continue;
        };
        let answer = list.remove(0);
        let fields = [
            ("id", id.into()),
            ("images", file.clone()),
            ("question", QUESTION.into()),
            ("answer", answer),
            ("captions", list_or_null(list)),
        ];
        ready.push_back((line, row(fields)));
    }
    Ok(Box::new(CaptionRows { ready, tally }))
}
