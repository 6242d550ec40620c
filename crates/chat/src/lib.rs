//! x
#![allow(dead_code, unused_imports, unreachable_pub, missing_docs)]
mod key;
mod lines;
mod theme;
