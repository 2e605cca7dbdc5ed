//! What a kind of scenario implements.

use serde_json::{Map, Value};

use super::layout::Layout;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_model::cancel::Cancel;
use benchtop_model::config::Config;
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Item, Result};
use benchtop_raster::decode::DecodedImage;

/// Parameters by name, in the order of the method.
pub type Parameters = Map<String, Value>;

/// A kind of scenario.
pub trait Scenario: Sync {
    /// Its name in the table of the model.
    fn name(&self) -> &'static str;

    /// The version of its code. It changes when the same parameters give other bytes.
    fn version(&self) -> String;

    /// What a picture belongs to.
    fn per(&self) -> Per {
        Per::Picture
    }

    /// The parameters that follow from an item, such as the word to write. For [`Per::Picture`], those
    /// of the first item of a picture count.
    ///
    /// # Errors
    /// Why the item is left out.
    fn parameters(
        &self,
        _item: &Item,
        _plan: &ScenarioPlan,
        _metadata: &CompiledMetadata,
    ) -> std::result::Result<Parameters, String> {
        Ok(Parameters::new())
    }

    /// Deals the other parameters.
    ///
    /// # Errors
    /// Wrong settings.
    fn dealer(&self, plan: &ScenarioPlan) -> Result<Box<dyn Dealer>>;

    /// What makes the pictures. A model is loaded here. `config` has the settings of the project, if there
    /// is one.
    ///
    /// # Errors
    /// A model that cannot be loaded.
    fn painter(&self, plan: &ScenarioPlan, config: Option<&Config>) -> Result<Box<dyn Painter>>;

    /// Makes pictures of about the same size for the estimate of a dry run, without loading a model.
    /// Called before a job starts, too, so that a missing model is reported at once.
    ///
    /// # Errors
    /// Missing files of a model.
    fn preview(&self, plan: &ScenarioPlan, config: Option<&Config>) -> Result<Box<dyn Painter>> {
        self.painter(plan, config)
    }

    /// The contact sheet of one picture: rows and columns of parameters. `parameters` are those that
    /// follow from the question, if the picture has one.
    ///
    /// # Errors
    /// Wrong settings.
    fn sheet(&self, plan: &ScenarioPlan, parameters: &Parameters) -> Result<Layout>;
}

/// What a derived picture belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// A picture. All questions about it share the result.
    Picture,
    /// A question.
    Question,
}

/// Deals parameters to pictures, so that each value occurs equally often.
pub trait Dealer {
    /// What source number `at` gets: one set of parameters for each of its pictures.
    fn at(&mut self, at: u64) -> Vec<Dealt>;
}

/// What was dealt to a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dealt {
    /// Tells the pictures of one source apart; empty for the only one.
    pub suffix: String,
    pub parameters: Parameters,
}

/// Makes pictures, on several threads at once.
pub trait Painter: Send + Sync {
    /// The altered picture, and what was found out about it, as further parameters. The same picture
    /// and parameters give the same result.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if it cannot be done to this picture;
    /// [`benchtop_model::ErrorKind::Cancelled`] if it takes several steps, and was canceled between two.
    fn paint(
        &self,
        picture: &DecodedImage,
        parameters: &Parameters,
        cancel: Cancel<'_>,
    ) -> Result<(DecodedImage, Parameters)>;

    /// How many pictures are begun before a pause takes effect and what was made is recorded.
    fn batch(&self) -> usize {
        4 * rayon::current_num_threads()
    }
}
