//! No import loops: the module files of a crate use one another in one direction only, so
//! that each can be understood, tested and moved with what is below it and nothing else.
//!
//! A file uses another when its code outside tests names something that the other defines;
//! imports are followed through re-exports to where a thing is defined. Declaring a module and
//! handing a name on is no use of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::tidy::finding::Place;
use crate::tidy::modules::{Modules, Target};
use crate::tidy::source::Source;
use crate::tidy::tree::Tree;

/// Crates that still have loops. The list only ever shrinks.
const EXCUSED: &[&str] = &[];

/// For each file, the files it uses and the names it takes from them.
type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let sources: HashMap<&str, &Source> =
        tree.sources.iter().map(|source| (source.path.as_str(), source)).collect();
    let roots = tree.sources.iter().filter_map(|source| {
        let folder = source.path.strip_suffix("/src/lib.rs");
        let folder = folder.or_else(|| source.path.strip_suffix("/src/main.rs"))?;
        (!EXCUSED.contains(&folder)).then_some(source.path.as_str())
    });
    let loops = |root| loops(&uses(&Modules::read(root, &sources)));
    roots.flat_map(loops).collect()
}

/// The uses between the files of a crate.
fn uses(crate_: &Modules) -> Uses {
    let mut uses = Uses::new();
    for (at, module) in crate_.modules.iter().enumerate() {
        let imports = module.imports.iter().filter(|import| !import.is_reexport);
        let named = imports.filter(|import| import.name.is_some()).map(|import| &import.segments);
        for path in named.chain(&module.paths) {
            match crate_.resolve(at, path) {
                Some(Target::Item { file, name }) if file != module.file => {
                    let of_file = uses.entry(module.file.clone()).or_default();
                    of_file.entry(file).or_default().insert(name);
                }
                _ => {}
            }
        }
    }
    uses
}

/// The loops, each as a finding at its first file.
fn loops(uses: &Uses) -> Vec<Place> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (file.as_str(), reached_from(file, uses))).collect();
    let mut places = Vec::new();
    let mut told = BTreeSet::new();
    for (file, from_here) in reached.iter().filter(|(file, from_here)| from_here.contains(*file)) {
        if told.contains(file) {
            continue;
        }
        let leads_back = |other: &&str| reached.get(other).is_some_and(|r| r.contains(file));
        let members: BTreeSet<&str> = from_here.iter().copied().filter(leads_back).collect();
        places.push(Place::new(*file, 1, told_loop(&members, uses)));
        told.extend(members);
    }
    places
}

/// Every file that `file` uses, itself or through others.
fn reached_from<'a>(file: &'a str, uses: &'a Uses) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![file];
    while let Some(file) = waiting.pop() {
        for next in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(next.as_str()) {
                waiting.push(next);
            }
        }
    }
    reached
}

/// The text of a finding: the names that each file takes from the others.
fn told_loop(members: &BTreeSet<&str>, uses: &Uses) -> String {
    let mut text = format!(
        "{} files use one another in a loop; move what they share to a file below them",
        members.len()
    );
    for from in members {
        for (to, names) in uses.get(*from).into_iter().flatten() {
            if members.contains(to.as_str()) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                text.push_str(&format!("\n    {from} -> {to}: {}", names.join(", ")));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
