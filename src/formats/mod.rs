//! Floor 2: interchange formats, one file each, read and write, streaming.
