//! Parsers for patches as models write them: Codex's `*** Begin Patch`, SEARCH/REPLACE blocks and
//! unified diffs. A part that cannot be parsed becomes a change of unknown content.

use crate::effect::{WriteChange, WriteTarget};
use crate::path;

/// Parses a patch in Codex's format: `Add`, `Update` and `Delete File` sections.
pub(super) fn parse_codex_patch(text: &str, directory: Option<&str>) -> Vec<WriteTarget> {
    let mut writes = Vec::new();
    let mut section: Option<PatchSection> = None;
    for line in text.lines() {
        if let Some((verb, name)) = parse_section_header(line) {
            if let Some(done) = section.take() {
                done.finish(&mut writes);
            }
            section = Some(PatchSection::new(verb, path::resolve(name, directory)));
        } else if let Some(name) = line.strip_prefix("*** Move to: ") {
            if let Some(section) = &mut section {
                section.moved = Some(path::resolve(name.trim(), directory));
            }
        } else if line.starts_with("*** End Patch") {
            break;
        } else if let Some(section) = &mut section {
            section.add_line(line);
        }
    }
    if let Some(done) = section {
        done.finish(&mut writes);
    }
    writes
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatchVerb {
    Add,
    Update,
    Delete,
}

fn parse_section_header(line: &str) -> Option<(PatchVerb, &str)> {
    let rest = line.strip_prefix("*** ")?;
    let verbs = [
        ("Add File: ", PatchVerb::Add),
        ("Update File: ", PatchVerb::Update),
        ("Delete File: ", PatchVerb::Delete),
    ];
    verbs.into_iter().find_map(|(word, verb)| Some((verb, rest.strip_prefix(word)?.trim())))
}

struct PatchSection {
    verb: PatchVerb,
    path: String,
    moved: Option<String>,
    old: String,
    new: String,
    changes: Vec<WriteChange>,
}

impl PatchSection {
    fn new(verb: PatchVerb, path: String) -> PatchSection {
        PatchSection {
            verb,
            path,
            moved: None,
            old: String::new(),
            new: String::new(),
            changes: vec![],
        }
    }

    fn add_line(&mut self, line: &str) {
        let (sign, rest) = match line.chars().next() {
            None => (' ', ""),
            Some(sign) => (sign, &line[sign.len_utf8()..]),
        };
        match sign {
            '+' => push_line(&mut self.new, rest),
            '-' => push_line(&mut self.old, rest),
            ' ' if self.verb == PatchVerb::Update => {
                push_line(&mut self.old, rest);
                push_line(&mut self.new, rest);
            }
            '@' => self.close_hunk(),
            _ => {}
        }
    }

    fn close_hunk(&mut self) {
        let old = std::mem::take(&mut self.old);
        let new = std::mem::take(&mut self.new);
        if self.verb == PatchVerb::Update && old != new {
            self.changes.push(match old.is_empty() {
                true => WriteChange::Unknown,
                false => WriteChange::Replace { old, new, all: false },
            });
        }
    }

    fn finish(mut self, writes: &mut Vec<WriteTarget>) {
        if self.verb == PatchVerb::Add {
            self.changes.push(WriteChange::Content(std::mem::take(&mut self.new)));
        } else if self.verb == PatchVerb::Delete {
            self.changes.push(WriteChange::Remove);
        } else {
            self.close_hunk();
        }
        if let Some(moved) = self.moved {
            writes.push(WriteTarget { path: moved, change: WriteChange::Unknown });
            self.changes = vec![WriteChange::Remove];
        }
        let path = self.path;
        writes.extend(
            self.changes.into_iter().map(|change| WriteTarget { path: path.clone(), change }),
        );
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Parses the replacements of `<<<<<<< SEARCH` … `=======` … `>>>>>>> REPLACE` blocks (Cline, Roo),
/// also in the form `------- SEARCH` … `+++++++ REPLACE`.
pub(super) fn parse_search_replace_blocks(text: &str) -> Vec<WriteChange> {
    enum Section {
        Outside,
        Old,
        New,
    }
    let mut changes = Vec::new();
    let mut place = Section::Outside;
    let (mut old, mut new) = (String::new(), String::new());
    for line in text.lines() {
        let mark = line.trim_end();
        match place {
            Section::Outside if mark.ends_with(" SEARCH") && is_fence(mark, &['<', '-']) => {
                place = Section::Old;
            }
            Section::Outside => {}
            // Roo writes the line number before the text that it searches for.
            Section::Old
                if old.is_empty() && (mark.starts_with(":start_line:") || mark == "-------") => {}
            Section::Old if mark.len() >= 5 && mark.bytes().all(|byte| byte == b'=') => {
                place = Section::New;
            }
            Section::Old => push_line(&mut old, line),
            Section::New if mark.ends_with(" REPLACE") && is_fence(mark, &['>', '+']) => {
                place = Section::Outside;
                let (old, new) = (std::mem::take(&mut old), std::mem::take(&mut new));
                changes.push(match old.is_empty() {
                    true => WriteChange::Content(new),
                    false => WriteChange::Replace { old, new, all: false },
                });
            }
            Section::New => push_line(&mut new, line),
        }
    }
    changes
}

fn is_fence(mark: &str, signs: &[char]) -> bool {
    mark.chars().take_while(|sign| signs.contains(sign)).count() >= 5
}

/// Returns the files that a unified diff changes, in order, without `a/` and `b/`.
pub(super) fn unified_diff_paths(text: &str) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) else {
            continue;
        };
        let name = rest.split('\t').next().unwrap_or(rest).trim();
        let name = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
        if !name.is_empty() && name != "/dev/null" && !paths.contains(&name) {
            paths.push(name);
        }
    }
    paths
}

#[cfg(test)]
mod tests;
