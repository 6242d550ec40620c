//! Programming languages by file extension.

/// Languages with their extensions.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("Bash", &["sh", "bash", "zsh"]),
    ("C", &["c", "h"]),
    ("C#", &["cs"]),
    ("C++", &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp"]),
    ("Clojure", &["clj", "cljs", "cljc"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Erlang", &["erl", "hrl"]),
    ("Go", &["go"]),
    ("Haskell", &["hs"]),
    ("Java", &["java"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Julia", &["jl"]),
    ("Kotlin", &["kt", "kts"]),
    ("Lua", &["lua"]),
    ("Objective-C", &["m", "mm"]),
    ("OCaml", &["ml", "mli"]),
    ("Perl", &["pl", "pm"]),
    ("PHP", &["php"]),
    ("Python", &["py", "pyi"]),
    ("R", &["r"]),
    ("Ruby", &["rb"]),
    ("Rust", &["rs"]),
    ("Scala", &["scala"]),
    ("SQL", &["sql"]),
    ("Svelte", &["svelte"]),
    ("Swift", &["swift"]),
    ("Tcl", &["tcl"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("Vue", &["vue"]),
    ("Zig", &["zig"]),
];

/// Returns the programming language of a path; `None` for data, prose and unknown extensions.
pub(crate) fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let known = LANGUAGES.iter().find(|(_, endings)| endings.contains(&ending.as_str()));
    known.filter(|_| !stem.is_empty()).map(|(language, _)| *language)
}

/// Returns whether a path belongs to tests, by the names of its folders and of the file.
pub(crate) fn is_test(path: &str) -> bool {
    let path = path.to_lowercase();
    let mut folders = path.split('/');
    let name = folders.next_back().unwrap_or_default();
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let says_so = |word: &str| matches!(word, "test" | "tests" | "testing" | "spec" | "specs");
    folders.any(|folder| {
        folder.split(['_', '-']).any(says_so) || matches!(folder, "testsuite" | "__tests__")
    }) || name.split(['.', '_', '-']).any(says_so)
        || stem.ends_with("test")
        || stem.ends_with("tests")
}

#[cfg(test)]
mod tests;
