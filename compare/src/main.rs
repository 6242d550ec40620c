//! What others need for the work that foveal's index does, on the same folder and questions.
//!
//! ```text
//! cargo run --release -- tools FOLDER     universal-ctags, readtags and ripgrep
//! cargo run --release -- words FOLDER     tantivy over the same parts
//! cargo run --release -- vectors FOLDER   HNSW (instant-distance) over the same vectors
//! ```
//!
//! Each prints a table; times are of this machine as it is. All that is written is in a
//! folder of temporary files that is removed at the end.

#[path = "../../crates/index/examples/measuring/mod.rs"]
mod measuring;
mod table;
mod tools;
mod tree;
mod vectors;
mod words;

use std::path::Path;

use anyhow::bail;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder] = arguments.as_slice() else {
        bail!("usage: foveal-compare tools|words|vectors FOLDER");
    };
    let compare = match what.as_str() {
        "tools" => tools::compare,
        "words" => words::compare,
        "vectors" => vectors::compare,
        _ => bail!("unknown comparison `{what}`: tools, words or vectors"),
    };
    compare(Path::new(folder))
}
