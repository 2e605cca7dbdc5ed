//! The scenes of the sample's pictures.

/// A shape with an unambiguous name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
    Star,
    Hexagon,
    Ring,
    Heart,
    Cross,
    Diamond,
}

/// A color with an unambiguous name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShapeColor {
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Pink,
    Brown,
}

/// A scene.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scene {
    /// One large shape.
    One(Shape, ShapeColor),
    /// Two shapes side by side.
    Two((Shape, ShapeColor), (Shape, ShapeColor)),
    /// Several equal shapes.
    Many(u32, Shape, ShapeColor),
    /// A white letter on a disc.
    Letter(char, ShapeColor),
}

benchtop_model::named!(Shape {
    Circle: "circle",
    Square: "square",
    Triangle: "triangle",
    Star: "star",
    Hexagon: "hexagon",
    Ring: "ring",
    Heart: "heart",
    Cross: "cross",
    Diamond: "diamond",
});

impl Shape {
    pub(super) fn plural(self) -> String {
        if self == Self::Cross {
            "crosses".into()
        } else {
            format!("{}s", self.name())
        }
    }
}

benchtop_model::named!(ShapeColor {
    Red: "red",
    Orange: "orange",
    Yellow: "yellow",
    Green: "green",
    Blue: "blue",
    Purple: "purple",
    Pink: "pink",
    Brown: "brown",
});

impl ShapeColor {
    pub(super) fn rgb(self) -> [u8; 3] {
        match self {
            Self::Red => [212, 32, 39],
            Self::Orange => [245, 124, 0],
            Self::Yellow => [250, 208, 20],
            Self::Green => [33, 145, 72],
            Self::Blue => [33, 94, 224],
            Self::Purple => [118, 52, 186],
            Self::Pink => [244, 114, 178],
            Self::Brown => [116, 70, 36],
        }
    }
}

/// The shape with its article: `a red star`, `an orange ring`.
pub(super) fn one_of(shape: Shape, color: ShapeColor) -> String {
    let article = if color == ShapeColor::Orange {
        "an"
    } else {
        "a"
    };
    format!("{article} {} {}", color.name(), shape.name())
}

impl Scene {
    /// The scenes in review order.
    pub(super) const ALL: [Scene; 24] = {
        use Scene::*;
        use Shape::*;
        use ShapeColor::*;
        [
            One(Star, Red),
            Two((Circle, Blue), (Square, Yellow)),
            Letter('K', Purple),
            Many(3, Heart, Pink),
            One(Hexagon, Green),
            Two((Triangle, Orange), (Ring, Purple)),
            One(Ring, Blue),
            Letter('Z', Brown),
            Many(5, Square, Orange),
            One(Triangle, Yellow),
            Two((Star, Green), (Heart, Red)),
            One(Cross, Purple),
            Letter('E', Blue),
            Many(2, Diamond, Brown),
            Two((Hexagon, Pink), (Cross, Blue)),
            One(Heart, Orange),
            Letter('M', Red),
            Many(6, Circle, Green),
            One(Diamond, Pink),
            Two((Ring, Red), (Triangle, Green)),
            Letter('H', Green),
            One(Square, Brown),
            Many(4, Star, Blue),
            Two((Diamond, Purple), (Circle, Orange)),
        ]
    };

    /// The kind of scene: the start of its file name and of its item keys.
    pub(super) fn sort(&self) -> &'static str {
        match self {
            Scene::One(..) => "shape",
            Scene::Two(..) => "pair",
            Scene::Many(..) => "count",
            Scene::Letter(..) => "letter",
        }
    }

    /// A description of the picture.
    pub(super) fn describe(&self) -> String {
        match *self {
            Scene::One(shape, color) => one_of(shape, color),
            Scene::Two(left, right) => {
                format!(
                    "{} on the left, {} on the right",
                    one_of(left.0, left.1),
                    one_of(right.0, right.1)
                )
            }
            Scene::Many(n, shape, color) => format!("{n} {} {}", color.name(), shape.plural()),
            Scene::Letter(letter, color) => {
                let disc = one_of(Shape::Circle, color).replace("circle", "disc");
                format!("the white capital letter {letter} on {disc}")
            }
        }
    }
}
