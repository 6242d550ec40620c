//! Where in a signature the type stands that a function returns.

use crate::Language;

/// The part of `signature`, of the function called `name`, that says what it returns; `None`
/// where the language writes none or none is found.
pub(super) fn returned<'a>(language: Language, signature: &'a str, name: &str) -> Option<&'a str> {
    use Language::*;
    match language {
        Rust | Python | Swift => {
            let (_, after) = signature.rsplit_once("->")?;
            Some(after.split(" where ").next().unwrap_or(after))
        }
        TypeScript | Tsx | Kotlin | Php => {
            let after = after_parameters(signature, name)?.trim_start();
            after.strip_prefix(':').map(|after| after.split("=>").next().unwrap_or(after))
        }
        Go | Zig => after_parameters(signature, name),
        Java | CSharp | C | Cpp => {
            let at = signature.find(&format!("{name}("))?;
            Some(&signature[..at])
        }
        JavaScript | Ruby | Bash | Json | Yaml | Toml | Markdown | Html | Css | Sql => None,
    }
}

/// What follows the round brackets after `name`.
fn after_parameters<'a>(signature: &'a str, name: &str) -> Option<&'a str> {
    let at = signature.find(name)? + name.len();
    let open = at + signature[at..].find('(')?;
    let mut depth = 0u32;
    for (down, letter) in signature[open..].char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth <= 1 => return Some(&signature[open + down + 1..]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}
