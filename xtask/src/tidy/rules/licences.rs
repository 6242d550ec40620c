//! Every package comes under a licence that `deny.toml` allows. Manifests give SPDX
//! expressions; old ones write `/` for `OR`.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for package in &tree.graph.packages {
        let what = match &package.licence {
            Some(licence) if is_allowed(licence, &tree.allowed_licences) => continue,
            Some(licence) => format!("`{}` comes under `{licence}`", package.name),
            None => format!("`{}` names no licence", package.name),
        };
        let what = format!("{what}, which is not allowed; drop it, or allow the licence here");
        places.push(Place::new("deny.toml", 1, what));
    }
    places
}

/// Whether the choices an SPDX expression leaves include one made of allowed licences only.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    any_of(&mut rest, allowed) && rest.is_empty()
}

/// `a OR b`, the loosest binding. Every part is read even when the answer is known, so that
/// what follows is found.
fn any_of(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut result = all_of(rest, allowed);
    while let ["OR", tail @ ..] = rest {
        *rest = tail;
        result |= all_of(rest, allowed);
    }
    result
}

/// `a AND b`.
fn all_of(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut result = one(rest, allowed);
    while let ["AND", tail @ ..] = rest {
        *rest = tail;
        result &= one(rest, allowed);
    }
    result
}

/// A name, a name with an exception, or an expression in brackets.
fn one(rest: &mut &[&str], allowed: &[String]) -> bool {
    match *rest {
        ["(", tail @ ..] => {
            *rest = tail;
            let result = any_of(rest, allowed);
            match *rest {
                [")", tail @ ..] => *rest = tail,
                _ => return false,
            }
            result
        }
        [name, "WITH", exception, tail @ ..] => {
            *rest = tail;
            allowed.iter().any(|one| *one == format!("{name} WITH {exception}"))
        }
        [name, tail @ ..] => {
            *rest = tail;
            allowed.iter().any(|one| one == name)
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests;
