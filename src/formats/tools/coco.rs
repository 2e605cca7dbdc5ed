//! COCO captions: every picture is a free-form question, its captions the references.
//!
//! Source: cocodataset.org, "Data format". Ids are numbers or texts.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;

use serde_json::Value;

use super::row;
use crate::cells;
use crate::input::open;
use crate::records::Record;
use crate::rows::object::Object;
use crate::rows::{Rows, Tally};
use benchtop_model::{Error, Result};

/// What is asked: COCO has no question.
const QUESTION: &str = "Describe the image.";
const BOXES: &str = "annotations without a caption (boxes, masks), which ask nothing";
const CUT_OFF: &str = "captions of pictures that are not listed";

struct Captions {
    ready: VecDeque<(u64, Record)>,
    tally: Tally,
}

impl Rows for Captions {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        Ok(self.ready.pop_front())
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }
}

/// The pictures with captions as rows. Names and captions are held, as either list may come first.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with the line, and for a file without any caption.
pub fn rows(path: &Path) -> Result<Box<dyn Rows>> {
    let mut object = Object::new(open(path)?)?;
    let mut tally = Tally::default();
    let mut names: HashMap<String, Value> = HashMap::new();
    // By the order of their first captions.
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
        return Err(
            Error::input("COCO annotations without any caption: there is nothing to ask")
                .file(path)
                .help("captions are read; boxes and masks are not"),
        );
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
            (
                "captions",
                if list.is_empty() {
                    Value::Null
                } else {
                    list.into()
                },
            ),
        ];
        ready.push_back((line, row(fields)));
    }
    Ok(Box::new(Captions { ready, tally }))
}
