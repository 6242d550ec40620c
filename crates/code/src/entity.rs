//! What a file is made of: entities, the statements in them, and the names they mention.

use serde::{Deserialize, Serialize};

use crate::file_class::FileClass;
use crate::language::Language;
use crate::lines::LineRange;
use foveal_transcript::LineNumber;

/// What an entity is, the same words for every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EntityKind {
    /// A named scope: Rust `mod`, C++, C# and PHP `namespace`, Ruby `module`.
    Module,
    /// Imports that follow each other, as one.
    Imports,
    /// A function that belongs to no type; a macro with parameters.
    Function,
    /// A function of a type, trait, impl or object.
    Method,
    /// A struct, class, union, record, type alias, table or view.
    Type,
    /// A trait, interface or protocol.
    Trait,
    /// A Rust `impl` or Swift `extension`.
    Impl,
    /// An enumeration.
    Enum,
    /// A constant, static or other binding outside functions.
    Constant,
    /// A field or property of a type, or a variant of an enumeration.
    Field,
    /// A test, or a group of tests that is no type.
    Test,
    /// A heading with what follows it, a rule of a style sheet, or a paragraph of a file
    /// whose language is unknown.
    Section,
    /// A key of a configuration or data file.
    Key,
}

impl EntityKind {
    /// The kind in lower case, as shown to readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Imports => "imports",
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Trait => "trait",
            Self::Impl => "impl",
            Self::Enum => "enum",
            Self::Constant => "constant",
            Self::Field => "field",
            Self::Test => "test",
            Self::Section => "section",
            Self::Key => "key",
        }
    }

    /// Whether it has statements of its own, so that names bound in it are local.
    pub fn has_statements(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test | Self::Constant | Self::Field)
    }

    /// Whether it is a function, of whatever sort.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test)
    }

    /// Whether functions in it are its methods.
    pub fn has_members(self) -> bool {
        matches!(self, Self::Type | Self::Trait | Self::Impl | Self::Enum)
    }

    /// Whether code can use its name.
    pub fn can_be_named(self) -> bool {
        match self {
            Self::Imports | Self::Impl | Self::Test | Self::Section | Self::Key => false,
            Self::Module
            | Self::Function
            | Self::Method
            | Self::Type
            | Self::Trait
            | Self::Enum
            | Self::Constant
            | Self::Field => true,
        }
    }
}

/// Who may use an entity, by the rules or, where there are none, the customs of its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Visibility {
    /// Everyone.
    Public,
    /// The package, crate, assembly, or types derived from its own.
    Restricted,
    /// Its own file, module or type.
    Private,
}

/// Place of an entity in [`Parsed::entities`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntityIndex(pub u32);

impl EntityIndex {
    /// The place as an index.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// One thing a file defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// What it is.
    pub kind: EntityKind,
    /// Its name without its parents', such as `parse`. An impl is named by what it is for
    /// (`Display for Line`), an import block `imports`, a paragraph by its first words. Of
    /// several fields declared together it is the first one's.
    pub name: Box<str>,
    /// The type or object it belongs to where that is not its parent: the receiver of a Go
    /// method, the class of a C++ method defined outside, `app` of `app.use = function`, the
    /// type an impl is for.
    pub owner: Option<Box<str>>,
    /// All its lines: comment above it, attributes, header and body.
    pub lines: LineRange,
    /// The header, without comment and attributes, up to where the body begins.
    pub signature: LineRange,
    /// Attributes, decorators or annotations on lines of their own above the signature.
    pub attributes: Option<LineRange>,
    /// The body or value, with its brackets; it may begin on the signature's last line.
    pub body: Option<LineRange>,
    /// Its documentation: the comment directly above, or a docstring in its body.
    pub doc: Option<LineRange>,
    /// Who may use it.
    pub visibility: Visibility,
    /// The entity it is part of.
    pub parent: Option<EntityIndex>,
}

/// A statement, or an element of a list of several lines, with the comment above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its lines. Siblings share none.
    pub lines: LineRange,
    /// The innermost entity it is in; `None` for statements at the top of a file.
    pub inside: Option<EntityIndex>,
    /// How many nested bodies of the same entity it is in.
    pub depth: u16,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MentionKind {
    /// It is called.
    Call,
    /// It is used as a type.
    Type,
    /// Any other use.
    Name,
}

/// A use of a name that is not its definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The last part of the name: `push` for `self.entries.push(x)`.
    pub name: Box<str>,
    /// The words before it that it belongs to, as written: `self.entries` for
    /// `self.entries.push(x)`, `Line` for `Line::new()`; empty where an expression stands
    /// there, as in `f().push(x)`. `None` where the name stands alone.
    pub qualifier: Option<Box<str>>,
    /// How it is used.
    pub kind: MentionKind,
    /// Where it stands.
    pub line: LineNumber,
    /// The innermost entity it stands in.
    pub inside: Option<EntityIndex>,
}

/// One name taken from a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// As it is called in the module; `*` for all, `default` for what it exports as such.
    pub name: Box<str>,
    /// As it is called from there on, where that is something else.
    pub alias: Option<Box<str>>,
}

/// One imported module or file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// What is imported from, as written: `std::fmt`, `./router`, `..pkg.mod`, `net/http`.
    pub module: Box<str>,
    /// What the module is called from there on, where that is not the end of its own name.
    pub alias: Option<Box<str>>,
    /// The names taken from it. Empty where the module itself is imported.
    pub names: Vec<ImportedName>,
    /// Where the import stands.
    pub line: LineNumber,
}

/// A parsed file. It holds no text; ranges are lines of the text it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed {
    /// Its language; `None` where it is unknown and the entities are paragraphs.
    pub language: Option<Language>,
    /// What sort of file it is.
    pub class: FileClass,
    /// How many lines the text has; a line break at the end begins no further one.
    pub line_count: u32,
    /// The file's own documentation: a comment or docstring at its top.
    pub doc: Option<LineRange>,
    /// By first line; parents before what is in them, which lies within their lines.
    /// Siblings may share a line, nothing more.
    pub entities: Vec<Entity>,
    /// Statements, also those at the top of a file, in order; each before what is in it.
    /// Entities and import blocks are not among them, nor what outside functions stands
    /// around entities.
    pub blocks: Vec<Block>,
    /// In order, where the own parts of statements begin that have more than
    /// thirty lines and no others in them: arguments, links of a chain, what a macro is given.
    #[serde(default)]
    pub seams: Vec<LineNumber>,
    /// Names used, in order.
    pub mentions: Vec<Mention>,
    /// What is imported, in order, also from inside functions.
    pub imports: Vec<Import>,
    /// The syntax had errors, so that something may be missing or misplaced.
    pub broken: bool,
    /// Something was left out to stay within the bounds.
    pub cut: bool,
}

impl Parsed {
    /// The entity at `index`.
    pub fn entity(&self, index: EntityIndex) -> Option<&Entity> {
        self.entities.get(index.get())
    }

    /// All entities with their places.
    pub fn indexed(&self) -> impl DoubleEndedIterator<Item = (EntityIndex, &Entity)> {
        self.entities.iter().enumerate().map(|(at, entity)| {
            let at = u32::try_from(at).expect("the number of entities is bounded");
            (EntityIndex(at), entity)
        })
    }

    /// The entity and what it is in, from the inside out.
    pub fn ancestry(&self, index: EntityIndex) -> impl Iterator<Item = (EntityIndex, &Entity)> {
        let with = |at: EntityIndex| self.entity(at).map(|entity| (at, entity));
        std::iter::successors(with(index), move |(_, entity)| entity.parent.and_then(with))
    }

    /// The innermost entity whose lines hold `line`; of two on one line the later.
    pub fn innermost(&self, line: LineNumber) -> Option<EntityIndex> {
        let end = self.entities.partition_point(|entity| entity.lines.first <= line);
        let before = EntityIndex(u32::try_from(end.checked_sub(1)?).ok()?);
        // What ends before `line` has an ancestor that holds it, or a sibling of one does.
        let mut at = Some(before);
        while let Some(index) = at {
            let entity = self.entity(index)?;
            if entity.lines.contains(line) {
                return Some(index);
            }
            at = entity.parent;
        }
        None
    }

    /// The name with the names of what it is in: `Parser.parse`.
    pub fn qualified_name(&self, index: EntityIndex) -> String {
        let mut names: Vec<&str> = Vec::new();
        for (_, entity) in self.ancestry(index) {
            names.push(&entity.name);
            if entity.kind != EntityKind::Impl {
                names.extend(entity.owner.as_deref());
            }
        }
        names.reverse();
        names.join(".")
    }
}
