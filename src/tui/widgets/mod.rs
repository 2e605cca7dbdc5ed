//! Parts that panes are made of.
