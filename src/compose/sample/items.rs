//! The questions of the sample, most of them certainly right and a few wrong on purpose.

use super::scene::{Scene, Shape, ShapeColor, one_of};
use benchtop_model::{Choice, ImageRef, Item, Key, QuestionKind, Role};

/// Letters used in pictures and options.
pub(super) const LETTERS: [char; 11] = ['A', 'E', 'F', 'H', 'K', 'L', 'M', 'N', 'T', 'X', 'Z'];
/// One in this many items has a planted defect.
const PLANTED_EVERY: usize = 8;
/// Positions of the marked option, in turn.
const POSITIONS: [usize; 4] = [2, 0, 3, 1];

/// A question without its place in the set.
struct Ask {
    key: &'static str,
    subtask: &'static str,
    question: String,
    answer: Answer,
}

enum Answer {
    /// The right text and three wrong ones.
    Choice(String, Vec<String>),
    /// Whether the statement is true.
    Truth(bool),
    /// Whether the answer is yes.
    Yes(bool),
    /// A reference text, and one that does not match the picture.
    Text(String, String),
}

/// Counts over the whole set, so that positions and defects are spread evenly.
#[derive(Default)]
pub(super) struct Counter {
    items: usize,
    choices: usize,
    planted: usize,
}

/// The items about `scene`, the picture at index `place`.
pub(super) fn about(
    scene: &Scene,
    place: usize,
    image: &ImageRef,
    counter: &mut Counter,
) -> Vec<Item> {
    asks(scene, place)
        .into_iter()
        .map(|ask| item(ask, scene, place, image, counter))
        .collect()
}

fn asks(scene: &Scene, place: usize) -> Vec<Ask> {
    let even = place.is_multiple_of(2);
    match *scene {
        Scene::One(shape, color) => {
            let mut asks = vec![
                color_of(
                    format!("What is the color of the {}?", shape.name()),
                    color,
                    place,
                ),
                Ask {
                    key: "shape",
                    subtask: "shape",
                    question: "Which shape is in the picture?".into(),
                    answer: named(shape.name(), Shape::ALL.map(Shape::name), place),
                },
            ];
            if even {
                asks.push(Ask {
                    key: "describe",
                    subtask: "description",
                    question: "Please describe the picture: which shape it shows, and its color."
                        .into(),
                    answer: Answer::Text(
                        scene.describe(),
                        one_of(other_shape(shape, place), color),
                    ),
                });
            }
            asks
        }
        Scene::Two(left, right) => vec![
            Ask {
                key: "position",
                subtask: "position",
                question: format!(
                    "Is the {} to the left of the {}?",
                    phrase(left, right, even),
                    phrase(left, right, !even)
                ),
                answer: Answer::Yes(even),
            },
            Ask {
                key: "side",
                subtask: "position",
                question: format!(
                    "The {} is on the right side of the picture.",
                    phrase(left, right, place % 4 > 1)
                ),
                answer: Answer::Truth(place % 4 <= 1),
            },
            color_of(
                "What is the color of the shape on the right?".into(),
                right.1,
                place,
            ),
        ],
        Scene::Many(n, shape, color) => vec![
            Ask {
                key: "count",
                subtask: "count",
                question: format!("How many {} are in the picture?", shape.plural()),
                answer: named(
                    &n.to_string(),
                    ["1", "2", "3", "4", "5", "6", "7", "8"],
                    (n as usize + 5) % 8,
                ),
            },
            Ask {
                key: "more",
                subtask: "count",
                question: format!(
                    "Are there {} or more {} in the picture?",
                    if even { n + 1 } else { n },
                    shape.plural()
                ),
                answer: Answer::Yes(!even),
            },
            color_of(
                format!("What is the color of the {}?", shape.plural()),
                color,
                place,
            ),
        ],
        Scene::Letter(letter, color) => {
            let letters = LETTERS.map(|l| l.to_string());
            let other = LETTERS[(place * 3) % LETTERS.len()];
            let other = if other == letter { 'X' } else { other };
            vec![
                Ask {
                    key: "letter",
                    subtask: "letter",
                    question: "Which letter is in the picture?".into(),
                    answer: named(
                        &letter.to_string(),
                        letters.each_ref().map(String::as_str),
                        place,
                    ),
                },
                Ask {
                    key: "is",
                    subtask: "letter",
                    question: format!(
                        "The letter in the picture is {}.",
                        if even { letter } else { other }
                    ),
                    answer: Answer::Truth(even),
                },
                color_of(
                    "What is the color of the disc behind the letter?".into(),
                    color,
                    place,
                ),
            ]
        }
    }
}

fn phrase(left: (Shape, ShapeColor), right: (Shape, ShapeColor), of_left: bool) -> String {
    let (shape, color) = if of_left { left } else { right };
    format!("{} {}", color.name(), shape.name())
}

fn color_of(question: String, color: ShapeColor, place: usize) -> Ask {
    let answer = named(color.name(), ShapeColor::ALL.map(ShapeColor::name), place);
    Ask {
        key: "color",
        subtask: "color",
        question,
        answer,
    }
}

fn other_shape(shape: Shape, place: usize) -> Shape {
    let at = place % Shape::ALL.len();
    let shapes = Shape::ALL.iter().cycle().skip(at).take(Shape::ALL.len());
    shapes.copied().find(|s| *s != shape).unwrap_or(shape)
}

/// `right` and the next three other names of `all`, starting at `turn`.
fn named<const N: usize>(right: &str, all: [&str; N], turn: usize) -> Answer {
    let others = all
        .iter()
        .cycle()
        .skip(turn % N)
        .take(N)
        .filter(|name| **name != right);
    Answer::Choice(
        right.into(),
        others.take(3).map(|name| (*name).to_string()).collect(),
    )
}

fn item(ask: Ask, scene: &Scene, place: usize, image: &ImageRef, counter: &mut Counter) -> Item {
    let plant = counter.items % PLANTED_EVERY == PLANTED_EVERY / 2;
    counter.items += 1;
    let mut planted = plant.then_some("wrong answer");
    let choice = |text: &str, right: bool| Choice {
        text: text.into(),
        role: Role::of(right),
    };
    let (kind, options, answer) = match ask.answer {
        Answer::Choice(right, mut wrong) => {
            let marked = POSITIONS[counter.choices % POSITIONS.len()];
            counter.choices += 1;
            let mut position = marked;
            if plant && counter.planted.is_multiple_of(2) {
                wrong[2] = wrong[0].clone();
                planted = Some("same option twice");
            } else if plant {
                position = (marked + 1) % 4;
            }
            let mut texts = wrong;
            texts.insert(position, right);
            let options: Vec<_> = texts
                .iter()
                .enumerate()
                .map(|(i, text)| choice(text, i == marked))
                .collect();
            (QuestionKind::MultipleChoice, options, texts[marked].clone())
        }
        Answer::Truth(holds) => {
            let marked = holds != plant;
            let options = vec![choice("True", marked), choice("False", !marked)];
            (
                QuestionKind::TrueFalse,
                options,
                if marked { "True" } else { "False" }.to_string(),
            )
        }
        Answer::Yes(yes) => (
            QuestionKind::YesNo,
            Vec::new(),
            if yes != plant { "yes" } else { "no" }.to_string(),
        ),
        Answer::Text(right, wrong) => (
            QuestionKind::FreeForm,
            Vec::new(),
            if plant { wrong } else { right },
        ),
    };
    counter.planted += usize::from(plant);
    let key = format!("{}-{:02}-{}", scene.sort(), place + 1, ask.key);
    let mut extra = serde_json::Map::new();
    extra.insert("sample".into(), true.into());
    if let Some(defect) = planted {
        extra.insert("planted".into(), defect.into());
    }
    Item {
        images: vec![image.clone()],
        prompt: Some(format!(
            "{}, flat shapes, soft plain background",
            scene.describe()
        )),
        question: ask.question,
        kind,
        options,
        answer,
        task: Some("sample".into()),
        subtask: Some(ask.subtask.into()),
        style: Some("flat shapes".into()),
        extra,
        ..Item::blank(super::DATASET, Key::Text(key))
    }
}
