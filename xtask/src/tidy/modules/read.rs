//! Reads the modules of a crate, from its root along the `mod` declarations. Test code is
//! left out, and so are files that only tests declare.

use std::collections::HashMap;

use super::module::{Import, Module, Modules};
use crate::tidy::source::{Source, is_word};
use crate::tidy::use_tree::expand;

/// Keywords before the name of an item.
const ITEMS: &[&str] =
    &["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"];

/// Words and signs after which a word names no item of another module.
const BEFORE_OWN_NAMES: &[&str] = &["'", "fn"];

/// One identifier, `::`, or other character of the code.
#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    at: usize,
}

impl Modules {
    /// The crate whose root is the file at `root`.
    pub(crate) fn read(root: &str, sources: &HashMap<&str, &Source>) -> Self {
        let mut read =
            Self { modules: vec![Module { file: root.to_owned(), ..Module::default() }] };
        let mut waiting = vec![0];
        while let Some(module) = waiting.pop() {
            if let Some(source) = sources.get(read.modules[module].file.as_str()) {
                FileReader::new(source, module, &mut read, sources, &mut waiting).read();
            }
        }
        read
    }
}

/// Reads one file.
struct FileReader<'a> {
    source: &'a Source,
    tokens: Vec<Token<'a>>,
    /// The modules around the current token, with the depth of braces inside each and the
    /// folder in which its children lie.
    around: Vec<(usize, usize, String)>,
    depth: usize,
    /// The value of the last `#[path = …]`.
    path: Option<&'a str>,
    read: &'a mut Modules,
    sources: &'a HashMap<&'a str, &'a Source>,
    waiting: &'a mut Vec<usize>,
}

impl<'a> FileReader<'a> {
    fn new(
        source: &'a Source,
        module: usize,
        read: &'a mut Modules,
        sources: &'a HashMap<&'a str, &'a Source>,
        waiting: &'a mut Vec<usize>,
    ) -> Self {
        let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
        let children = match name.trim_end_matches(".rs") {
            _ if module == 0 => folder.to_owned(),
            "mod" => folder.to_owned(),
            stem => format!("{folder}/{stem}"),
        };
        let around = vec![(module, 0, children)];
        let tokens = tokens(source);
        Self { source, tokens, around, depth: 0, path: None, read, sources, waiting }
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// The text of the token before the one at `at`.
    fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    fn read(mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.token(at);
        }
    }

    /// Takes in the token at `at`; gives the position of the next.
    fn token(&mut self, at: usize) -> usize {
        match self.text(at) {
            "{" => self.depth += 1,
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.around.len() > 1 && self.around[self.around.len() - 1].1 > self.depth {
                    self.around.pop();
                }
            }
            "path" if self.before(at) == "[" && self.text(at + 1) == "=" => {
                let from = self.tokens[at + 1].at + 1;
                let quoted = self.tokens.get(at + 2).map(|end| &self.source.text[from..end.at]);
                self.path = quoted.map(|quoted| quoted.trim().trim_matches('"'));
            }
            "mod" if self.text(at + 2) == ";" || self.text(at + 2) == "{" => {
                return self.child(at + 1);
            }
            "use" if self.text(at + 1) != "<" => return self.import(at),
            word if word.starts_with(is_word) => return self.word(at),
            _ => {}
        }
        at + 1
    }

    /// The module that the current token is in.
    fn here(&mut self) -> &mut Module {
        let (module, ..) = self.around[self.around.len() - 1];
        &mut self.read.modules[module]
    }

    /// A declared module, whose name is at `at`.
    fn child(&mut self, at: usize) -> usize {
        let name = self.text(at);
        let (parent, _, folder) = self.around[self.around.len() - 1].clone();
        let inline = self.text(at + 1) == "{";
        let own_folder = self.source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = match self.path.take() {
            _ if inline => self.source.path.clone(),
            Some(path) => format!("{own_folder}/{path}"),
            None => {
                let file = format!("{folder}/{name}.rs");
                let in_folder = || format!("{folder}/{name}/mod.rs");
                if self.sources.contains_key(file.as_str()) { file } else { in_folder() }
            }
        };
        let child = self.read.modules.len();
        self.read.modules.push(Module { file, parent: Some(parent), ..Module::default() });
        self.read.modules[parent].children.insert(name.to_owned(), child);
        if inline {
            self.depth += 1;
            self.around.push((child, self.depth, format!("{folder}/{name}")));
        } else {
            self.waiting.push(child);
        }
        at + 2
    }

    /// The use-tree after the `use` at `at`.
    fn import(&mut self, at: usize) -> usize {
        let is_reexport = matches!(self.before(at), "pub" | ")");
        for path in expand(&self.source.code[self.tokens[at].at + "use".len()..]) {
            let mut segments = path.segments;
            let is_glob = segments.last().is_some_and(|last| last == "*");
            let name = path.rename.or_else(|| segments.last().cloned()).filter(|_| !is_glob);
            if is_glob {
                segments.pop();
            }
            self.here().imports.push(Import { segments, name, is_reexport });
        }
        let rest = &self.tokens[at..];
        at + rest.iter().position(|token| token.text == ";").unwrap_or(rest.len())
    }

    /// A word that is the start of a path, the name of an item, or neither.
    fn word(&mut self, at: usize) -> usize {
        let word = self.text(at);
        let (_, depth, _) = self.around[self.around.len() - 1];
        if ITEMS.contains(&word) && self.depth == depth {
            let name = self.text(at + if word == "macro_rules" { 2 } else { 1 }).to_owned();
            self.here().definitions.insert(name);
            return at + 1;
        }
        let mut end = at + 1;
        let mut path = vec![word.to_owned()];
        while self.text(end) == "::" && self.text(end + 1).starts_with(is_word) {
            path.push(self.text(end + 1).to_owned());
            end += 2;
        }
        let before = self.before(at);
        let is_member = before == "." && at.checked_sub(2).is_none_or(|at| self.text(at) != ".");
        let is_field = path.len() == 1 && self.text(end) == ":";
        if !is_member && !is_field && before != "::" && !BEFORE_OWN_NAMES.contains(&before) {
            self.here().paths.insert(path);
        }
        end
    }
}

/// The tokens of a file's code outside its tests.
fn tokens(source: &Source) -> Vec<Token<'_>> {
    let tests = source.test_ranges();
    let code = source.code.as_str();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = match c {
            _ if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => c.len_utf8(),
        };
        if !c.is_whitespace() && !tests.iter().any(|test| test.contains(&at)) {
            tokens.push(Token { text: &rest[..length], at });
        }
        at += length;
    }
    tokens
}
