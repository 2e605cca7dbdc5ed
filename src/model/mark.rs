//! Marks: points and boxes on the pictures of an item, with optional labels.
//!
//! Coordinates are fractions of the picture, from its top left corner: `0` is the left or upper
//! edge, `1` the right or lower one. They do not depend on the size of the file.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::error::{Error, Result};

/// Most marks of one comment or verdict.
pub const MOST_MARKS: usize = 100;
/// Most characters of a label.
pub const LABEL_CHARS: usize = 200;
/// Parts of a whole: coordinates are kept to a millionth.
const WHOLE: u32 = 1_000_000;

/// A fraction of a picture's width or height, from 0 to 1, kept to a millionth.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(into = "f64", try_from = "f64")]
pub struct Fraction(u32);

impl Fraction {
    pub const ZERO: Fraction = Fraction(0);
    pub const ONE: Fraction = Fraction(WHOLE);

    /// The nearest fraction; values outside of 0 to 1 are moved to the nearer end.
    pub fn near(value: f64) -> Fraction {
        // A float that is not a number becomes 0.
        Fraction((value.clamp(0.0, 1.0) * f64::from(WHOLE)).round() as u32)
    }

    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }

    /// The sum, at most 1.
    pub fn plus(self, other: Fraction) -> Fraction {
        Fraction((self.0 + other.0).min(WHOLE))
    }

    /// The difference, at least 0.
    pub fn minus(self, other: Fraction) -> Fraction {
        Fraction(self.0.saturating_sub(other.0))
    }
}

impl From<Fraction> for f64 {
    fn from(fraction: Fraction) -> f64 {
        fraction.value()
    }
}

impl TryFrom<f64> for Fraction {
    type Error = String;

    fn try_from(value: f64) -> std::result::Result<Fraction, String> {
        if (0.0..=1.0).contains(&value) {
            Ok(Fraction::near(value))
        } else {
            Err(format!("{value} is not a fraction from 0 to 1"))
        }
    }
}

/// The form of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shape {
    Point {
        x: Fraction,
        y: Fraction,
    },
    /// A rectangle by its upper left corner and its size.
    Box {
        x: Fraction,
        y: Fraction,
        width: Fraction,
        height: Fraction,
    },
}

/// A mark on a picture.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "MarkRecord")]
pub struct Mark {
    /// Number of the picture among those of the item, from 1.
    pub picture: u32,
    pub shape: Shape,
    pub label: Option<String>,
}

/// A mark in files: `{"picture":1,"box":[x,y,width,height],"label":"hand"}`. Exactly one of `point`
/// and `box` is set.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkRecord {
    #[serde(default = "first")]
    picture: u32,
    #[serde(default)]
    point: Option<[Fraction; 2]>,
    #[serde(default, rename = "box")]
    area: Option<[Fraction; 4]>,
    #[serde(default)]
    label: Option<String>,
}

fn first() -> u32 {
    1
}

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let record = MarkRecord::from(self);
        // On the wire, every field has its place.
        if !to.is_human_readable() {
            return record.serialize(to);
        }
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("picture", &record.picture)?;
        if let Some(point) = &record.point {
            map.serialize_entry("point", point)?;
        }
        if let Some(area) = &record.area {
            map.serialize_entry("box", area)?;
        }
        if let Some(label) = &record.label {
            map.serialize_entry("label", label)?;
        }
        map.end()
    }
}

impl From<&Mark> for MarkRecord {
    fn from(mark: &Mark) -> MarkRecord {
        let (point, area) = match mark.shape {
            Shape::Point { x, y } => (Some([x, y]), None),
            Shape::Box {
                x,
                y,
                width,
                height,
            } => (None, Some([x, y, width, height])),
        };
        MarkRecord {
            picture: mark.picture,
            point,
            area,
            label: mark.label.clone(),
        }
    }
}

impl TryFrom<MarkRecord> for Mark {
    type Error = String;

    fn try_from(record: MarkRecord) -> std::result::Result<Mark, String> {
        let shape = match (record.point, record.area) {
            (Some([x, y]), None) => Shape::Point { x, y },
            (None, Some([x, y, width, height])) => Shape::Box {
                x,
                y,
                width,
                height,
            },
            _ => return Err("exactly one of `point` and `box` must be set".into()),
        };
        let mark = Mark {
            picture: record.picture,
            shape,
            label: record.label,
        };
        mark.check().map(|()| mark)
    }
}

impl Mark {
    pub fn point(picture: u32, x: f64, y: f64) -> Mark {
        let (x, y) = (Fraction::near(x), Fraction::near(y));
        Mark {
            picture,
            shape: Shape::Point { x, y },
            label: None,
        }
    }

    /// A box by two opposite corners, in any order.
    pub fn area(picture: u32, a: (f64, f64), b: (f64, f64)) -> Mark {
        let near = |value: f64| Fraction::near(value);
        let (x, y) = (near(a.0.min(b.0)), near(a.1.min(b.1)));
        let (right, bottom) = (near(a.0.max(b.0)), near(a.1.max(b.1)));
        Mark {
            picture,
            shape: Shape::Box {
                x,
                y,
                width: right.minus(x),
                height: bottom.minus(y),
            },
            label: None,
        }
    }

    pub fn labeled(self, label: Option<String>) -> Mark {
        Mark { label, ..self }
    }

    /// Left, top, right, and bottom.
    pub fn bounds(&self) -> [f64; 4] {
        match self.shape {
            Shape::Point { x, y } => [x.value(), y.value(), x.value(), y.value()],
            Shape::Box {
                x,
                y,
                width,
                height,
            } => [
                x.value(),
                y.value(),
                x.plus(width).value(),
                y.plus(height).value(),
            ],
        }
    }

    /// What is wrong with the mark.
    fn check(&self) -> std::result::Result<(), String> {
        if self.picture == 0 {
            return Err("pictures are numbered from 1".into());
        }
        if let Shape::Box {
            x,
            y,
            width,
            height,
        } = self.shape
        {
            let past = |start: Fraction, size: Fraction| start.0 + size.0 > WHOLE;
            // Two rounded halves may exceed the whole by one.
            if past(x, width.minus(Fraction(1))) || past(y, height.minus(Fraction(1))) {
                return Err("the box ends outside of the picture".into());
            }
        }
        match &self.label {
            Some(label) if label.trim().is_empty() => Err("the label is empty".into()),
            Some(label) if label.chars().count() > LABEL_CHARS => {
                Err(format!("the label is longer than {LABEL_CHARS} characters"))
            }
            Some(label) if label.chars().any(char::is_control) => {
                Err("the label must be one line without control characters".into())
            }
            _ => Ok(()),
        }
    }

    /// Parses `[PICTURE:]X,Y[=LABEL]` or `[PICTURE:]X,Y,WIDTH,HEIGHT[=LABEL]`.
    ///
    /// # Errors
    /// [`super::ErrorKind::Usage`] if the text is no mark.
    pub fn parse(text: &str) -> Result<Mark> {
        let wrong = |what: String| {
            Error::usage(format!("`{text}` is not a mark: {what}")).help(
                "a point is PICTURE:X,Y=LABEL, a box PICTURE:X,Y,WIDTH,HEIGHT=LABEL, with fractions \
                 of the picture such as 0.25; picture 1 and the label may be left out",
            )
        };
        let (place, label) = match text.split_once('=') {
            Some((place, label)) => (place, Some(label.trim().to_string())),
            None => (text, None),
        };
        let (picture, numbers) = match place.split_once(':') {
            Some((picture, numbers)) => {
                let number = picture.trim().parse();
                let picture = number.map_err(|_| wrong(format!("`{picture}` is no number")))?;
                (picture, numbers)
            }
            None => (1, place),
        };
        let fraction = |word: &str| {
            let value: f64 = word
                .trim()
                .parse()
                .map_err(|_| wrong(format!("`{word}` is no number")))?;
            Fraction::try_from(value).map_err(wrong)
        };
        let numbers: Vec<Fraction> = numbers.split(',').map(fraction).collect::<Result<_>>()?;
        let shape = match numbers[..] {
            [x, y] => Shape::Point { x, y },
            [x, y, width, height] => Shape::Box {
                x,
                y,
                width,
                height,
            },
            _ => return Err(wrong("it takes two or four numbers".into())),
        };
        let mark = Mark {
            picture,
            shape,
            label,
        };
        mark.check().map_err(wrong)?;
        Ok(mark)
    }
}

/// The form that [`Mark::parse`] reads.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape {
            Shape::Point { x, y } => write!(f, "{}:{},{}", self.picture, x.value(), y.value())?,
            Shape::Box {
                x,
                y,
                width,
                height,
            } => {
                let [x, y, width, height] = [x, y, width, height].map(Fraction::value);
                write!(f, "{}:{x},{y},{width},{height}", self.picture)?;
            }
        }
        match &self.label {
            Some(label) => write!(f, "={label}"),
            None => Ok(()),
        }
    }
}

/// Checks marks on an item with `pictures` pictures.
///
/// # Errors
/// [`super::ErrorKind::Input`] if there are too many, if one is malformed, or if the item does not
/// have its picture.
pub fn check(marks: &[Mark], pictures: usize) -> Result<()> {
    if marks.len() > MOST_MARKS {
        return Err(Error::input(format!("more than {MOST_MARKS} marks")).field("marks"));
    }
    for mark in marks {
        mark.check().map_err(|p| Error::input(p).field("marks"))?;
        if mark.picture as usize > pictures {
            let what = format!("the item has no picture {}", mark.picture);
            let help = match pictures {
                0 => "it has no pictures".to_string(),
                _ => format!("its pictures have the numbers 1 to {pictures}"),
            };
            return Err(Error::input(what).field("marks").help(help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_read_and_written() {
        let hand = Mark::area(2, (0.75, 0.5), (0.5, 0.25)).labeled(Some("left hand".into()));
        assert_eq!(hand.to_string(), "2:0.5,0.25,0.25,0.25=left hand");
        assert_eq!(Mark::parse(&hand.to_string()).unwrap(), hand);
        assert_eq!(
            serde_json::to_string(&hand).unwrap(),
            r#"{"picture":2,"box":[0.5,0.25,0.25,0.25],"label":"left hand"}"#
        );
        let point = Mark::parse("0.1,1").unwrap();
        assert_eq!(point, Mark::point(1, 0.1, 1.0));
        let read: Mark = serde_json::from_str(r#"{"point":[0.1,1]}"#).unwrap();
        assert_eq!(read, point);
        assert_eq!(hand.bounds(), [0.5, 0.25, 0.75, 0.5]);
    }

    #[test]
    fn invalid_marks_are_refused() {
        for text in [
            "",
            "x,1",
            "0.1",
            "0.1,0.2,0.3",
            "1.1,0",
            "-0.1,0",
            "nan,0",
            "0:0.1,0.1",
            "0.5,0.5,0.6,0.1",
            "0.5,0.5=",
            "0.5,0.5=a\u{1b}b",
        ] {
            let problem = Mark::parse(text).unwrap_err();
            assert_eq!(problem.kind, crate::ErrorKind::Usage, "{text}");
        }
        for json in [
            "{}",
            r#"{"point":[0,0],"box":[0,0,1,1]}"#,
            r#"{"point":[0,2]}"#,
            r#"{"picture":0,"point":[0,0]}"#,
            r#"{"point":[0,0],"color":"red"}"#,
        ] {
            assert!(serde_json::from_str::<Mark>(json).is_err(), "{json}");
        }
        let second = [Mark::point(2, 0.0, 0.0)];
        assert!(check(&second, 2).is_ok());
        let problem = check(&second, 1).unwrap_err();
        assert_eq!(problem.place.field.as_deref(), Some("marks"));
        assert!(check(&vec![Mark::point(1, 0.0, 0.0); MOST_MARKS + 1], 1).is_err());
    }

    proptest! {
        #[test]
        fn every_mark_survives_text_and_json(
            picture in 1u32..9, a in (0.0..=1.0, 0.0..=1.0), b in (0.0..=1.0, 0.0..=1.0), point: bool,
            label in proptest::option::of("[a-z=:,]{1,8}"),
        ) {
            let mark = match point {
                true => Mark::point(picture, a.0, a.1),
                false => Mark::area(picture, a, b),
            };
            let mark = mark.labeled(label);
            prop_assert_eq!(&Mark::parse(&mark.to_string()).unwrap(), &mark);
            let json = serde_json::to_string(&mark).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Mark>(&json).unwrap(), &mark);
            prop_assert!(mark.bounds().iter().all(|at| (0.0..=1.0).contains(at)));
        }
    }
}
