//! Connects the board to the program.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::action::Action;
use crate::item::{Loaded, NoPicture, Picture, ViewState, picture_of, sides};
use crate::pane::Target;
use crate::panes::board::{self, BoardEffect};
use crate::preview::View;
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::analysis::Analysis;
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::wire::{AnyReply, Request, request};

impl App {
    pub(super) fn go_board(&mut self) {
        self.at = PaneId::Board;
        let effects = self.board.start();
        self.board_effects(effects);
    }

    /// Reloads the board at once if it is on screen, after its inputs changed.
    pub(super) fn refresh_board(&mut self) {
        if self.at == PaneId::Board {
            let effects = self.board.reload();
            self.board_effects(effects);
        } else {
            self.board.outdated();
        }
    }

    /// Reloads the board if new verdicts affect it.
    pub(super) fn refresh_curated_board(&mut self) {
        if self.at == PaneId::Board {
            let effects = self.board.on_verdicts();
            self.board_effects(effects);
        }
    }

    /// Applies the filter while it is typed. Errors appear next to it.
    pub(super) fn board_filtered(&mut self, words: &str) {
        match self.board.filter(words) {
            Ok(effects) => self.board_effects(effects),
            Err(problem) => match &mut self.overlay {
                Some(Overlay::Prompt(_, prompt)) => prompt.refuse(problem.what),
                _ => self.say(Toast::from(&problem)),
            },
        }
    }

    pub(super) fn board_effects(&mut self, effects: Vec<BoardEffect>) {
        for effect in effects {
            match effect {
                BoardEffect::Ask(want, ask) => self.link.ask(Pending::Board(Box::new(want)), ask),
                BoardEffect::Cancel(given_up) => {
                    self.link
                        .cancel(|want| matches!(want, Pending::Board(want) if **want == given_up));
                }
                BoardEffect::AskChoice {
                    purpose,
                    title,
                    lines,
                } => {
                    self.overlay = Some(Overlay::Menu(
                        MenuFor::Board(purpose),
                        crate::pane::menu(title, lines),
                    ));
                }
                BoardEffect::AskFilter(words) => {
                    let prompt = Prompt::new("score only", words.clone(), self.history.clone());
                    self.overlay = Some(Overlay::Prompt(PromptFor::Board(words), prompt));
                }
                BoardEffect::Items(words) => self.show_items(&words, PaneId::Board),
                BoardEffect::Item(number) => {
                    self.show(PaneId::Review, Target::Item(number), PaneId::Board);
                    let back = self.keymap.press(Action::Back);
                    self.say(Toast::info(format!("{back} returns to the answers")));
                }
                BoardEffect::Copy { text, rows } => self.copy(&text, &format!("{rows} rows")),
                BoardEffect::AskRegex { column, on } => self.ask_regex(column, on),
                BoardEffect::AskColumn(names) => self.ask_column(names),
                BoardEffect::AskCopy(what) => self.ask_copy(what),
                BoardEffect::Say(said) | BoardEffect::Refuse(said) => self.say(Toast::info(said)),
                BoardEffect::Leave => self.go_review(),
            }
        }
        self.dirty = true;
    }

    pub(super) fn board_answered(&mut self, want: board::ReplyFor, answer: Result<AnyReply>) {
        use board::ReplyFor as W;
        let board = &mut self.board;
        let taken: Result<Vec<BoardEffect>> = match want {
            W::Board(ask) => Ok(board.on_board(&ask, answer.and_then(request::Board::reply))),
            W::Rounds => Ok(board.on_rounds(answer.and_then(request::Rounds::reply))),
            W::Whole(ask) => {
                board.on_full_board(&ask, answer.and_then(request::Board::reply));
                Ok(vec![])
            }
            W::Ranks(ask, column) => answer.and_then(request::Ranks::reply).map(|ranks| {
                board.on_ranks(&ask, column, ranks);
                vec![]
            }),
            W::Sure(ask, model, column) => {
                answer.and_then(request::CellInterval::reply).map(|sure| {
                    board.on_interval(&ask, model, column, sure);
                    vec![]
                })
            }
            W::Compared(ask) => answer.and_then(request::Compare::reply).map(|compared| {
                board.on_comparison(&ask, compared);
                vec![]
            }),
            W::Behind(ask, model, column) => {
                answer.and_then(request::Drilldown::reply).map(|page| {
                    board.on_drilldown(&ask, (&model, &column), page);
                    vec![]
                })
            }
            W::Answered(ask, model, replaces) => answer
                .and_then(request::ModelAnswers::reply)
                .map(|found| board.on_item_answers(&ask, &model, replaces, found)),
            W::Item(number) => {
                board.on_item(number, answer.and_then(request::Item::reply));
                Ok(vec![])
            }
            W::Stable(ask, column) => {
                let found = answer
                    .and_then(request::Analyse::reply)
                    .and_then(Analysis::stable);
                board.on_stability(&ask, &column, found);
                Ok(vec![])
            }
            W::Disagreements { ask, other, show } => {
                answer.and_then(request::Disagreements::reply).map(|found| {
                    board.on_disagreements(&ask, other.as_deref(), show, found);
                    vec![]
                })
            }
        };
        let effects = match taken {
            Ok(effects) => effects,
            Err(problem) if problem.kind == ErrorKind::Cancelled => vec![],
            Err(problem) => {
                self.say(Toast::from(&problem));
                vec![]
            }
        };
        self.board_effects(effects);
    }

    /// Draws the pane and prepares the picture next to an answer, if there is room.
    pub(super) fn draw_board(&mut self, area: Rect, buf: &mut Buffer) {
        let wanted = self
            .board
            .picture_slot(area)
            .map(|(place, item)| match item {
                None => Picture::Loading,
                Some(Err(why)) => Picture::None(why.to_string()),
                Some(Ok(loaded)) => self.picture_in(loaded, place),
            });
        wanted
            .into_iter()
            .for_each(|picture| self.board.set_picture(picture));
        self.board.draw(area, &self.keymap, buf, &self.setting.look);
    }

    /// Prepares the picture of an item, or both of a pair.
    fn picture_in(&self, loaded: &Loaded, place: Rect) -> Picture {
        let sides = sides(loaded, &self.paired_items(), &self.welcome.root);
        let view = View {
            part: ViewState::default().part(sides.as_ref(), false),
            ..self.cells_in(place)
        };
        if let Some(mut sides) = sides {
            return self.one_of(&mut sides, view);
        }
        match picture_of(&loaded.item, &self.welcome.root) {
            Ok((key, path)) => self
                .previews
                .want(&key, &path, view)
                .map_or(Picture::Loading, Picture::Ready),
            Err(NoPicture { why, .. }) => Picture::None(why),
        }
    }
}
