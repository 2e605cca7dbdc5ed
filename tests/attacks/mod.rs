//! A project that somebody else made, or that the machine took away: what must not happen then.

mod links;
mod space;
