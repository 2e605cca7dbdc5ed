//! The only code that touches the tty.
