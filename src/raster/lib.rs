//! Pixels of pictures.
//!
//! | file | what it does |
//! |---|---|
//! | [`corrupt`] | corruptions of pictures, as ImageNet-C defines them |
//! | [`decode`] | decodes pictures within limits |
//! | [`edit`] | masks, canvases for painters, pasting back, and outpainting |
//! | [`letters`] | words of an outline font, as coverage |
//! | [`pillow`] | resizes and converts to the bytes of Pillow |
//! | [`print_attack`] | words that are written on pictures |
//! | [`scale`] | picture sizes and resizing |
//! | [`sheet`] | contact sheets with labels, as PNG |
//! | [`storyboard`] | cards that are drawn from the terms of a task, and drafts of edits |

pub mod corrupt;
pub mod decode;
pub mod edit;
pub mod letters;
pub mod pillow;
pub mod print_attack;
pub mod scale;
pub mod sheet;
pub mod storyboard;
