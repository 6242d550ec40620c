//! Has functions with the same machine code linked as one, where the linker can do that.
//!
//! Generic code for types of the same form comes out the same, and with it the tables for
//! unwinding. Rust promises no function an address of its own, and the C in the program compares
//! none of those that could meet. Where the linker cannot, the program is larger.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const FOLD: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Traces of builds for tests name the functions that ran.
    let is_optimised = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    let is_linux = env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|name| name == "linux");
    if is_optimised && is_linux && links_with(FOLD).unwrap_or(false) {
        println!("cargo::rustc-link-arg-bins={FOLD}");
    }
}

/// Whether a program of nothing links with this argument, as this one will be.
fn links_with(argument: &str) -> Option<bool> {
    let folder = PathBuf::from(env::var_os("OUT_DIR")?);
    let source = folder.join("nothing.rs");
    fs::write(&source, "fn main() {}\n").ok()?;
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.arg(&source).arg("-o").arg(folder.join("nothing"));
    rustc.arg("--target").arg(env::var_os("TARGET")?);
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={}", linker.to_str()?));
    }
    rustc.arg("-C").arg(format!("link-arg={argument}"));
    let status = rustc.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    Some(status.success())
}
