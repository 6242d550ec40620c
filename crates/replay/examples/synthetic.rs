//! Prints a generated session as ATIF, for measuring on one of a given size:
//! `cargo run --release -p foveal-replay --example synthetic -- TOKENS > FILE`.

use std::io::Write;

use anyhow::Context;
use foveal_pricing::tokens::Tokens;
use foveal_testkit::{long_conversation, render_atif};

fn main() -> anyhow::Result<()> {
    let tokens = std::env::args().nth(1).context("the argument is a number of tokens")?;
    let conversation = long_conversation(Tokens(tokens.parse()?));
    std::io::stdout().lock().write_all(render_atif(&conversation).as_bytes())?;
    Ok(())
}
