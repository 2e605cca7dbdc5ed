//! From a picture file to what a pane can show, off the drawing thread.
