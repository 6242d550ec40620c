//! The parts of a source file: entities, statements, and uses of names.

use serde::{Deserialize, Serialize};

use crate::file_class::FileClass;
use crate::language::Language;
use crate::line_range::LineRange;
use foveal_transcript::LineNumber;

/// The kind of an entity; the same for all languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EntityKind {
    /// A named scope: Rust `mod`, C++, C# and PHP `namespace`, Ruby `module`.
    Module,
    /// Adjacent imports, as one entity.
    Imports,
    /// A function outside types; a macro with parameters.
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
    /// A test, or a group of tests that is not a type.
    Test,
    /// A heading with the content below it, a rule of a style sheet, or a paragraph of a file in an
    /// unknown language.
    Section,
    /// A key of a configuration or data file.
    Key,
}

impl EntityKind {
    /// Returns the name in lower case, for display.
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

    /// Returns whether entities of this kind have statements, so that names bound in them are
    /// local.
    pub fn has_statements(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test | Self::Constant | Self::Field)
    }

    /// Returns whether it is a function, method or test.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test)
    }

    /// Returns whether functions inside are methods.
    pub fn has_members(self) -> bool {
        matches!(self, Self::Type | Self::Trait | Self::Impl | Self::Enum)
    }

    /// Returns whether code can refer to the entity by name.
    pub fn is_referenceable(self) -> bool {
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

/// The visibility of an entity, by the rules of its language or, where there are none, its
/// conventions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Visibility {
    /// Visible everywhere.
    Public,
    /// Visible in the package, crate or assembly, or to derived types.
    Restricted,
    /// Visible in its own file, module or type.
    Private,
}

/// The index of an entity in [`ParsedFile::entities`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntityIndex(pub u32);

impl EntityIndex {
    /// Returns the index as a `usize`.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A definition in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// The kind.
    pub kind: EntityKind,
    /// The name without the names of its parents, such as `parse`. An impl has the name of its
    /// trait and type (`Display for Line`), an import block the name `imports`, a paragraph its
    /// first words. Fields declared together have the name of the first.
    pub name: Box<str>,
    /// The type or object that owns the entity if that is not the parent: the receiver of a Go
    /// method, the class of a C++ method defined outside, `app` of `app.use = function`, the type
    /// of an impl.
    pub owner: Option<Box<str>>,
    /// All lines: the comment above, attributes, header and body.
    pub lines: LineRange,
    /// The header without comment and attributes, up to the start of the body.
    pub signature: LineRange,
    /// Attributes, decorators or annotations on separate lines above the signature.
    pub attributes: Option<LineRange>,
    /// The body or value with its brackets; it may begin on the last line of the signature.
    pub body: Option<LineRange>,
    /// The documentation: the comment directly above, or a docstring in the body.
    pub doc: Option<LineRange>,
    /// The visibility.
    pub visibility: Visibility,
    /// The entity that contains it.
    pub parent: Option<EntityIndex>,
}

/// A statement, or an element of a multi-line list, with the comment above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceStatement {
    /// The lines. Siblings share no line.
    pub lines: LineRange,
    /// The innermost entity that contains it; `None` at the top of a file.
    pub inside: Option<EntityIndex>,
    /// The number of nested bodies of the same entity around it.
    pub depth: u16,
}

/// The kind of a use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MentionKind {
    /// A call.
    Call,
    /// A use as a type.
    Type,
    /// Any other use.
    Name,
}

/// A use of a name outside its definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The last part of the name: `push` for `self.entries.push(x)`.
    pub name: Box<str>,
    /// The qualifier as written: `self.entries` for `self.entries.push(x)`, `Line` for
    /// `Line::new()`; empty after an expression, as in `f().push(x)`. `None` for an unqualified
    /// name.
    pub qualifier: Option<Box<str>>,
    /// The kind of use.
    pub kind: MentionKind,
    /// The line of the name.
    pub line: LineNumber,
    /// The innermost entity around the use.
    pub inside: Option<EntityIndex>,
}

/// A name imported from a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// The name in the module; `*` for all, `default` for the default export.
    pub name: Box<str>,
    /// The local name if it differs.
    pub alias: Option<Box<str>>,
}

impl ImportedName {
    /// Returns the name that the importing file uses.
    pub fn local_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

/// An imported module or file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written: `std::fmt`, `./router`, `..pkg.mod`, `net/http`.
    pub module: Box<str>,
    /// The local name of the module if it differs from the last part of its own name.
    pub alias: Option<Box<str>>,
    /// The imported names. Empty if the module itself is imported.
    pub names: Vec<ImportedName>,
    /// The line of the import.
    pub line: LineNumber,
}

/// A parsed file. It holds no text; ranges are lines of the text it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParsedFile {
    /// The language; `None` if it is unknown and the entities are paragraphs.
    pub language: Option<Language>,
    /// The class of the file.
    pub class: FileClass,
    /// The number of lines of the text; a final line break starts no further line.
    pub line_count: u32,
    /// The documentation of the file: a comment or docstring at the top.
    pub doc: Option<LineRange>,
    /// The entities in the order of their first lines. Parents precede their children, which lie
    /// within their lines. Siblings may share one line.
    pub entities: Vec<Entity>,
    /// The statements in order, also those at the top of a file; each precedes the statements in
    /// it. Entities, import blocks and statements outside functions that contain entities are
    /// excluded.
    pub blocks: Vec<SourceStatement>,
    /// The first lines, in order, of the direct parts of statements of more than thirty lines
    /// without inner statements: arguments, links of a chain, the tokens of a macro call.
    #[serde(default)]
    pub seams: Vec<LineNumber>,
    /// The uses of names in order.
    pub mentions: Vec<Mention>,
    /// The imports in order, also those inside functions.
    pub imports: Vec<Import>,
    /// Whether the syntax had errors, so that parts may be missing or misplaced.
    pub broken: bool,
    /// Whether parts are missing because of a limit.
    pub cut: bool,
}

impl ParsedFile {
    /// Returns the entity at `index`.
    pub fn entity(&self, index: EntityIndex) -> Option<&Entity> {
        self.entities.get(index.as_usize())
    }

    /// Returns all entities with their indexes.
    pub fn indexed_entities(&self) -> impl DoubleEndedIterator<Item = (EntityIndex, &Entity)> {
        self.entities.iter().enumerate().map(|(at, entity)| {
            let at = u32::try_from(at).expect("the number of entities is bounded");
            (EntityIndex(at), entity)
        })
    }

    /// Returns the entity and its ancestors, innermost first.
    pub fn ancestry(&self, index: EntityIndex) -> impl Iterator<Item = (EntityIndex, &Entity)> {
        let with = |at: EntityIndex| self.entity(at).map(|entity| (at, entity));
        std::iter::successors(with(index), move |(_, entity)| entity.parent.and_then(with))
    }

    /// Returns the innermost entity that contains `line`; the later of two on one line.
    pub fn innermost_entity(&self, line: LineNumber) -> Option<EntityIndex> {
        let end = self.entities.partition_point(|entity| entity.lines.first <= line);
        let before = EntityIndex(u32::try_from(end.checked_sub(1)?).ok()?);
        // If that entity ends before `line`, only its ancestors can contain the line.
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

    /// Returns the name qualified with the names of its ancestors: `Parser.parse`.
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
