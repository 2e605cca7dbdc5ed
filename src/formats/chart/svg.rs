//! Writes a scene as SVG.

use std::fmt::Write as _;
use std::io::Write;

use super::scene::{Anchor, Color, Scene, Shape};
use crate::python_json::{raw, xml};
use benchtop_model::Result;

fn hex(Color(r, g, b): Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

pub(super) fn write(scene: &Scene, out: &mut dyn Write) -> Result<()> {
    let (w, h) = (scene.width, scene.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.1} {h:.1}\" \
         font-family=\"monospace\" font-size=\"15\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for shape in &scene.shapes {
        // Writing to a string cannot fail.
        let _ = match shape {
            Shape::Rect {
                x,
                y,
                width,
                height,
                color,
            } => writeln!(
                text,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
                hex(*color)
            ),
            Shape::Text {
                x,
                y,
                anchor,
                color,
                text: said,
                up,
            } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::End => "end",
                    Anchor::Middle => "middle",
                };
                let turned = if *up {
                    format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"")
                } else {
                    String::new()
                };
                writeln!(
                    text,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{}\" text-anchor=\"{anchor}\" dominant-baseline=\"central\"{turned}>{}</text>",
                    hex(*color),
                    xml(said)
                )
            }
        };
    }
    text.push_str("</svg>\n");
    raw(out, text.as_bytes())
}
