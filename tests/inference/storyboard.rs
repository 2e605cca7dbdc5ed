//! The storyboard meets the contract of all generators.

use benchtop::inference::ImageGenerator as _;
use benchtop::inference::storyboard::Storyboard;
use benchtop::model::generation::Settings;

use super::conformance::conforms;

#[test]
fn the_storyboard_conforms() {
    let mut storyboard = Storyboard::new();
    let settings = Settings {
        width: 96,
        height: 64,
        ..storyboard.capabilities().recommended.clone()
    };
    conforms(&mut storyboard, &settings);
}
