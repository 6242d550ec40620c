//! The screen of `foveal chat` as it is, driven at a terminal in memory with a scripted model:
//! pictures of it, and how long it takes.
//!
//! ```text
//! cargo build --release -p foveal
//! cargo run -p foveal --example screen -- pictures docs/picture --program target/release/foveal
//! cargo run --release -p foveal --example screen -- figures --program target/release/foveal
//! ```

mod figures;
mod pictures;
mod stream;
mod svg;
mod terminal;

use std::path::PathBuf;

use clap::Parser;

#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
    /// The program.
    #[arg(long, global = true, default_value = "target/release/foveal")]
    program: PathBuf,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Writes pictures of the screen into a folder, as SVG.
    Pictures {
        /// The folder.
        folder: PathBuf,
    },
    /// Measures start, first token, keys while much streams, and going on with a long session.
    Figures,
}

fn main() -> anyhow::Result<()> {
    let Arguments { what, program } = Arguments::parse();
    let program = program.canonicalize()?;
    match what {
        What::Pictures { folder } => pictures::write(&program, &folder),
        What::Figures => figures::print(&program),
    }
}
