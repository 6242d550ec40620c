//! Compiles a copy of tree-sitter's runtime that counts its work. The copy defines the same
//! functions as the original and is linked in its place, because this crate comes before
//! `tree-sitter`, on which it depends.

mod runtime_source;

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::runtime_source::RuntimeError;

/// The reason why the original runtime is linked.
#[derive(Debug, thiserror::Error)]
enum CopyError {
    #[error("`tree-sitter` does not say where its headers are")]
    Unknown,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error(transparent)]
    Compile(#[from] cc::Error),
}

fn main() {
    println!("cargo::rerun-if-changed=build");
    if let Err(error) = compile_runtime() {
        println!("cargo::warning=the work of the parser is not counted: {error}");
    }
}

/// Writes and compiles the copy.
fn compile_runtime() -> Result<(), CopyError> {
    // The build script of `tree-sitter` exports the place of its headers.
    let headers = env::var_os("DEP_TREE_SITTER_INCLUDE").map(PathBuf::from);
    let root = headers.as_deref().and_then(Path::parent).ok_or(CopyError::Unknown)?;
    let from = root.join("src");
    println!("cargo::rerun-if-changed={}", from.display());
    let to = PathBuf::from(env::var_os("OUT_DIR").ok_or(CopyError::Unknown)?).join("runtime");
    fs::create_dir_all(&to)?;
    let source = |file: &str| fs::read_to_string(from.join(file));
    for (file, changes) in runtime_source::PATCHES {
        let source = source(file)?.replace("\r\n", "\n");
        fs::write(to.join(file), runtime_source::add_work_counting(file, changes, &source)?)?;
    }
    // The changed files lie beside it, and are found before the originals.
    let all = to.join(runtime_source::MAIN_SOURCE);
    fs::write(&all, format!("#include \"counted.h\"\n{}", source(runtime_source::MAIN_SOURCE)?))?;
    let mut build = cc::Build::new();
    for name in ["_DEFAULT_SOURCE", "_BSD_SOURCE", "_DARWIN_C_SOURCE"] {
        build.define(name, None);
    }
    build
        .std("c11")
        .flag_if_supported("-fvisibility=hidden")
        .define("_POSIX_C_SOURCE", "200112L")
        .includes([from.clone(), from.join("wasm"), root.join("include"), "build".into()])
        .file(&all)
        .opt_level(2)
        .warnings(false)
        .try_compile("counted-tree-sitter")?;
    Ok(())
}
