//! Keys in, screen out.

mod adjudicate;
mod agreement;
mod ahead;
mod ascii;
mod board;
mod by_hand;
mod bytes;
mod company;
mod empty;
mod filters;
mod first;
mod generate;
mod keys;
mod looks;
mod note;
mod odd;
mod pair;
mod queue;
mod receipts;
mod repaint;
mod round;
mod sheet;
mod small;
pub mod support;
mod themes;
mod unseen;
mod workshop;
