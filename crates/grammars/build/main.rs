//! Writes and compiles a copy of each large generated parser whose tables are packed, and one of
//! the parser's runtime that counts its work.

mod numbers;
mod packing;
mod parser_source;
mod runtime_source;

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use self::parser_source::SourceError;
use self::runtime_source::RuntimeError;

/// Package, and the folder in it that has the generated `parser.c`.
const PARSERS: &[(&str, &str)] = &[
    ("tree-sitter-bash", "src"),
    ("tree-sitter-c", "src"),
    ("tree-sitter-c-sharp", "src"),
    ("tree-sitter-cpp", "src"),
    ("tree-sitter-go", "src"),
    ("tree-sitter-java", "src"),
    ("tree-sitter-javascript", "src"),
    ("tree-sitter-kotlin-ng", "src"),
    ("tree-sitter-md", "tree-sitter-markdown/src"),
    ("tree-sitter-php", "php/src"),
    ("tree-sitter-python", "src"),
    ("tree-sitter-ruby", "src"),
    ("tree-sitter-rust", "src"),
    ("tree-sitter-sequel", "src"),
    ("tree-sitter-swift", "src"),
    ("tree-sitter-typescript", "typescript/src"),
    ("tree-sitter-typescript", "tsx/src"),
    ("tree-sitter-yaml", "src"),
    ("tree-sitter-zig", "src"),
];

/// Why a parser or the runtime is linked as it comes.
#[derive(Debug, thiserror::Error)]
enum PackError {
    #[error("neither `cargo metadata` nor the registry's folder says where it is")]
    Unknown,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error(transparent)]
    Compile(#[from] cc::Error),
}

fn main() {
    println!("cargo::rerun-if-changed=build");
    let metadata = metadata().unwrap_or_default();
    let made: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = PARSERS
            .iter()
            .map(|(package, folder)| {
                let metadata = &metadata;
                (*package, scope.spawn(move || written(metadata, package, folder)))
            })
            .collect();
        threads.into_iter().map(|(package, thread)| (package, thread.join())).collect()
    });
    let mut packed = Vec::new();
    for (package, made) in made {
        let written = made.unwrap_or(Err(PackError::Unknown));
        match written.and_then(|copy| compile(&copy).map(|()| copy.name)) {
            Ok(name) => packed.push(name),
            Err(error) => {
                println!("cargo::warning=the tables of {package} are not packed: {error}");
            }
        }
    }
    compile_unpacking();
    let counted = compile_runtime(&metadata);
    if let Err(error) = &counted {
        println!("cargo::warning=the parser's work is not counted: {error}");
    }
    let told = [("packed.rs", format!("&{packed:?}")), ("counted.rs", counted.is_ok().to_string())];
    for (name, text) in told {
        let to = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join(name);
        fs::write(to, text).expect("Cargo gives a folder to write to");
    }
}

/// Compiles what all copies of parsers call.
fn compile_unpacking() {
    let mut build = cc::Build::new();
    build.std("c11").file("build/unpack.c").opt_level(2).warnings(false);
    build.compile("foveal-unpack");
}

/// Writes and compiles the copy of the runtime.
fn compile_runtime(metadata: &str) -> Result<(), PackError> {
    const PACKAGE: &str = "tree-sitter";
    let root = root_of(metadata, PACKAGE).or_else(|| downloaded(PACKAGE));
    let root = root.ok_or(PackError::Unknown)?;
    let from = root.join("src");
    println!("cargo::rerun-if-changed={}", from.display());
    let to = PathBuf::from(env::var_os("OUT_DIR").ok_or(PackError::Unknown)?).join("runtime");
    fs::create_dir_all(&to)?;
    let source = |file: &str| fs::read_to_string(from.join(file));
    for (file, changes) in runtime_source::CHANGED {
        let source = source(file)?.replace("\r\n", "\n");
        fs::write(to.join(file), runtime_source::counted(file, changes, &source)?)?;
    }
    // The files that are changed stand beside it, and come before the others.
    let all = to.join(runtime_source::ALL);
    fs::write(&all, format!("#include \"counted.h\"\n{}", source(runtime_source::ALL)?))?;
    let headers = [from.clone(), from.join("wasm"), root.join("include"), "build".into()];
    let mut build = cc::Build::new();
    for name in ["_DEFAULT_SOURCE", "_BSD_SOURCE", "_DARWIN_C_SOURCE"] {
        build.define(name, None);
    }
    build
        .std("c11")
        .flag_if_supported("-fvisibility=hidden")
        .define("_POSIX_C_SOURCE", "200112L")
        .includes(headers)
        .file(&all)
        .opt_level(2)
        .warnings(false)
        .try_compile("counted-tree-sitter")?;
    Ok(())
}

/// A copy to compile.
struct Copy {
    /// Its name, without an ending.
    name: String,
    file: PathBuf,
    /// Where the headers are that it includes.
    headers: PathBuf,
}

/// Writes the copy of one parser.
fn written(metadata: &str, package: &str, folder: &str) -> Result<Copy, PackError> {
    let root = root_of(metadata, package).or_else(|| downloaded(package));
    let headers = root.ok_or(PackError::Unknown)?.join(folder);
    let source = headers.join("parser.c");
    println!("cargo::rerun-if-changed={}", source.display());
    let packed = parser_source::packed(&fs::read_to_string(&source)?.replace("\r\n", "\n"))?;
    let name = format!("packed-{package}-{}", folder.replace('/', "-"));
    let to = PathBuf::from(env::var_os("OUT_DIR").ok_or(PackError::Unknown)?);
    let file = to.join(format!("{name}.c"));
    fs::write(&file, packed)?;
    Ok(Copy { name, file, headers })
}

fn compile(copy: &Copy) -> Result<(), PackError> {
    cc::Build::new()
        .std("c11")
        .include(&copy.headers)
        .include("build")
        .file(&copy.file)
        // Also in builds for tests, which parse as much as others.
        .opt_level(2)
        .warnings(false)
        .try_compile(&copy.name)?;
    Ok(())
}

/// Where Cargo put the package from a registry, in the version of the lock file. `cargo metadata`
/// says nothing where a package of another platform, or one for tests, was never downloaded.
fn downloaded(package: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let lock = fs::read_to_string(folder.join("../../Cargo.lock")).ok()?;
    let lock = lock.replace("\r\n", "\n");
    let (_, about) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    let (version, _) = about.split_once('"')?;
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?.flatten();
    let mut roots = registries.map(|one| one.path().join(format!("{package}-{version}")));
    roots.find(|root| root.is_dir())
}

/// What Cargo says of all packages, as JSON.
fn metadata() -> Option<String> {
    let mut cargo = Command::new(env::var_os("CARGO")?);
    cargo.args(["metadata", "--format-version=1", "--frozen"]);
    String::from_utf8(cargo.output().ok()?.stdout).ok()
}

/// The folder of a package: that of its manifest, as `metadata` names it.
fn root_of(metadata: &str, package: &str) -> Option<PathBuf> {
    let named = format!("\"name\":\"{package}\",\"version\":");
    let (_, about) = metadata.split_once(&named)?;
    let (_, about) = about.split_once("\"manifest_path\":\"")?;
    let (path, _) = about.split_once('"')?;
    Path::new(&path.replace("\\\\", "\\")).parent().map(Path::to_path_buf)
}
