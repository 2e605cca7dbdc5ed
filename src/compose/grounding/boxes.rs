//! Objects with boxes.

use benchtop_model::PixelBox;
use benchtop_model::json_objects::{Pairs, objects};
use serde_json::Value;

use super::Reading;
use super::fault::{Fault, FaultKind};
use super::notation::{Notation, scale};

/// Fields that have the list of objects.
const LISTS: [&str; 3] = ["objects", "candidates", "boxes"];
/// Fields that name an object.
const NAMES: [&str; 4] = ["name", "object", "label", "description"];
/// Fields with a box, left, top, right, and bottom.
const BOXES: [&str; 3] = ["box", "bbox", "bbox_2d"];
/// Field with a box whose numbers begin with the top.
const OTHER_ORDER: &str = "box_2d";
/// Most characters of a name.
const NAME_CHARS: usize = 200;
/// The shortest side of a box, in pixels.
const LEAST: u32 = 8;
/// The shortest side of a box, as a part of the picture's.
const LEAST_PART: u32 = 32;
/// The largest share of the picture that a box covers.
const MOST_SHARE: f64 = 0.5;
/// How far a box may exceed the picture, as a share of its side. It is cut off.
const OVERHANG: f64 = 0.02;

/// What a grounder was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedBoxes {
    /// Number of objects. VLB asks for ten.
    pub count: usize,
    /// Width and height of the picture in pixels.
    pub picture: (u32, u32),
    /// The notation that this grounder is known to use; `None` to infer it.
    pub notation: Option<Notation>,
}

/// An object and its box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub name: String,
    pub area: PixelBox,
}

/// An object of a reply as it stands there.
struct Entry {
    name: Option<String>,
    /// `None` if there are no four numbers.
    sides: Option<[f64; 4]>,
    is_other_order: bool,
}

/// Reads objects with boxes, such as `{"size": [640, 480], "objects": [{"name": "a red ball", "box":
/// [40, 300, 120, 380]}]}`, from a reply with words around it.
pub fn read_boxes(reply: &str, asked: &AskedBoxes) -> Reading<Candidate> {
    if reply.trim().is_empty() {
        return Reading::nothing(FaultKind::Empty, "the reply is empty");
    }
    let (found, outside) = objects(reply);
    if found.is_empty() {
        let kind = match outside.contains('{') {
            true => FaultKind::Unfinished,
            false => FaultKind::NoJson,
        };
        return Reading::nothing(kind, "the reply has no complete JSON object");
    }
    let mut entries = Vec::new();
    let mut stated = None;
    for Pairs(fields) in &found {
        stated = stated.or_else(|| get(fields, &["size"]).cloned());
        match get(fields, &LISTS).and_then(Value::as_array) {
            Some(list) => entries.extend(list.iter().map(|value| {
                let fields = value.as_object().into_iter().flatten();
                entry(
                    &fields
                        .map(|(n, v)| (n.clone(), v.clone()))
                        .collect::<Vec<_>>(),
                )
            })),
            None if fields.iter().any(|(name, _)| is_of_entry(name)) => entries.push(entry(fields)),
            None => {}
        }
    }
    if entries.is_empty() {
        return Reading::nothing(FaultKind::NoEntries, "the JSON has no objects with boxes");
    }
    let boxes: Vec<[f64; 4]> = entries.iter().filter_map(|entry| entry.sides).collect();
    let scale = match scale(asked.picture, stated.as_ref(), asked.notation, &boxes) {
        Ok(scale) => scale,
        Err(fault) => {
            return Reading {
                entries: Vec::new(),
                faults: vec![fault],
            };
        }
    };
    let mut reading = Reading {
        entries: Vec::new(),
        faults: Vec::new(),
    };
    for (at, entry) in entries.iter().enumerate() {
        match candidate(entry, scale, asked.picture) {
            Ok(new) if reading.entries.contains(&new) => {
                let what = format!("\"{}\" is there twice with this box", new.name);
                let fault = Fault::of_entry(at, FaultKind::Twice, what);
                reading.faults.push(fault);
            }
            Ok(new) => reading.entries.push(new),
            Err((kind, what)) => reading.faults.push(Fault::of_entry(at, kind, what)),
        }
    }
    // An opening brace between the objects began the list or an object that is not complete.
    if entries.len() < asked.count && outside.contains('{') {
        let what = "the JSON ends before it is complete";
        let fault = Fault::of_reply(FaultKind::Unfinished, what);
        reading.faults.push(fault);
    }
    reading.count(entries.len(), asked.count);
    reading
}

/// The first field with one of these names.
fn get<'f>(fields: &'f [(String, Value)], names: &[&str]) -> Option<&'f Value> {
    let of = |name: &&str| fields.iter().find(|(field, _)| field == name);
    names.iter().find_map(of).map(|(_, value)| value)
}

fn is_of_entry(name: &str) -> bool {
    BOXES.contains(&name) || name == OTHER_ORDER
}

fn entry(fields: &[(String, Value)]) -> Entry {
    let name = get(fields, &NAMES).and_then(Value::as_str);
    Entry {
        name: name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")),
        sides: get(fields, &BOXES).and_then(sides),
        is_other_order: get(fields, &BOXES).is_none() && get(fields, &[OTHER_ORDER]).is_some(),
    }
}

/// A list of four numbers, or an object with `x0`, `y0`, `x1`, and `y1`.
fn sides(value: &Value) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = match value {
        Value::Array(list) => list.iter().map(Value::as_f64).collect::<Option<_>>()?,
        Value::Object(map) => ["x0", "y0", "x1", "y1"]
            .iter()
            .map(|name| map.get(*name)?.as_f64())
            .collect::<Option<_>>()?,
        _ => return None,
    };
    numbers.try_into().ok()
}

/// The object in pixels of the picture.
fn candidate(
    entry: &Entry,
    scale: (f64, f64),
    picture: (u32, u32),
) -> Result<Candidate, (FaultKind, String)> {
    let wrong = |kind, what: &str| Err((kind, what.to_string()));
    let name = match entry.name.as_deref() {
        Some(name) if !name.is_empty() && name.chars().count() <= NAME_CHARS => name,
        _ => return wrong(FaultKind::Name, "no name of 1 to 200 characters"),
    };
    if name.chars().any(char::is_control) {
        return wrong(FaultKind::Name, "the name has control characters");
    }
    if entry.is_other_order {
        let what = "`box_2d` begins with the top; use `box` with left, top, right, bottom";
        return wrong(FaultKind::Order, what);
    }
    let Some(sides) = entry.sides else {
        let what = "no box of four numbers: left, top, right, bottom";
        return wrong(FaultKind::Box, what);
    };
    let (width, height) = (f64::from(picture.0), f64::from(picture.1));
    let [x0, y0, x1, y1] = sides;
    let shares = [x0 / scale.0, y0 / scale.1, x1 / scale.0, y1 / scale.1];
    if x0 >= x1 || y0 >= y1 {
        return wrong(FaultKind::Degenerate, "the box is empty or turned over");
    }
    if shares
        .iter()
        .any(|share| !(-OVERHANG..=1.0 + OVERHANG).contains(share))
    {
        return wrong(FaultKind::Outside, "the box reaches outside of the picture");
    }
    let [left, top, right, bottom] = shares.map(|share| share.clamp(0.0, 1.0));
    let edge = |share: f64, side: f64| (share * side).round() as u32;
    let sides = [
        edge(left, width),
        edge(top, height),
        edge(right, width),
        edge(bottom, height),
    ];
    let least = |side: u32| LEAST.max(side.div_ceil(LEAST_PART));
    let area = PixelBox::new(sides).filter(|area| {
        let (wide, high) = area.size();
        wide >= least(picture.0) && high >= least(picture.1)
    });
    let Some(area) = area else {
        let (wide, high) = (least(picture.0), least(picture.1));
        let what = format!("the box is smaller than {wide}x{high} pixels");
        return Err((FaultKind::TooSmall, what));
    };
    if area.share(picture) > MOST_SHARE {
        let what = "the box covers more than half of the picture";
        return wrong(FaultKind::TooLarge, what);
    }
    Ok(Candidate {
        name: name.to_string(),
        area,
    })
}
