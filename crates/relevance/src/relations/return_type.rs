//! The position of the return type in a signature.

use foveal_syntax::Language;

/// Returns the part of the signature of the function `name` that states its return type; `None` if
/// the language has none or none is found.
pub(super) fn return_type<'a>(
    language: Language,
    signature: &'a str,
    name: &str,
) -> Option<&'a str> {
    use Language::*;
    match language {
        Rust | Python | Swift => {
            let (_, after) = signature.rsplit_once("->")?;
            Some(after.split(" where ").next().unwrap_or(after))
        }
        TypeScript | Tsx | Kotlin | Php => {
            let after = text_after_parameters(signature, name)?.trim_start();
            after.strip_prefix(':').map(|after| after.split("=>").next().unwrap_or(after))
        }
        Go | Zig => text_after_parameters(signature, name),
        Java | CSharp | C | Cpp => {
            let at = signature.find(&format!("{name}("))?;
            Some(&signature[..at])
        }
        JavaScript | Ruby | Bash | Json | Yaml | Toml | Markdown | Html | Css | Sql => None,
    }
}

/// Returns the text after the parameter list of the function `name`.
fn text_after_parameters<'a>(signature: &'a str, name: &str) -> Option<&'a str> {
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
