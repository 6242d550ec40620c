//! Definitions of tools in request bodies, and what can be left out of them so that a call is made
//! all the same: members of their schemas that say nothing, and the rest of long descriptions.
//!
//! Only functions of the client are looked at. Tools that the provider runs itself, those that are
//! loaded on demand, and kinds that are not known stay as they are.

mod noise;
mod schema;
mod sentences;
mod texts;

use std::ops::Range;

use foveal_transcript::ContentHash;

use super::error::BodyError;
use super::walk::{self, Place};

pub use schema::LeftOut;

/// The definition of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// Where it stands, from bracket to bracket.
    pub place: Range<usize>,
    description: Option<Place>,
    schema: Option<Place>,
    is_strict: bool,
}

/// How much is left out of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortened {
    /// Members of the schema that say nothing.
    Noise,
    /// The rest of long descriptions too.
    Texts,
}

/// A part of a definition: its description, or its schema. What is decided about one is known by
/// `key`, whatever stands beside it, such as a mark for the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPart {
    /// The hash of the tool's name and of the part's bytes.
    pub key: ContentHash,
    /// Where it stands.
    pub place: Range<usize>,
}

/// The functions that a list of tools defines, of any of the APIs. `list` is where it stands.
///
/// # Errors
/// If it is no valid JSON.
pub fn definitions(bytes: &[u8], list: &Range<usize>) -> Result<Vec<ToolDefinition>, BodyError> {
    const NAMES: [&str; 6] = [
        "type",
        "function",
        "functionDeclarations",
        "function_declarations",
        "input_schema",
        "defer_loading",
    ];
    let mut found = Vec::new();
    for tool in walk::elements(bytes, list)?.unwrap_or_default() {
        let [kind, function, camel, snake, schema, deferred] = walk::members(bytes, &tool, NAMES)?;
        if let Some(declared) = camel.or(snake) {
            for one in walk::elements(bytes, &declared)?.unwrap_or_default() {
                found.extend(ToolDefinition::of(bytes, one)?);
            }
            continue;
        }
        let kind = kind.and_then(|kind| walk::text(bytes, &kind));
        let is_function = match kind.as_deref() {
            None => true,
            Some("function") => true,
            Some("custom") => schema.is_some(),
            Some(_) => false,
        };
        if is_function && deferred.is_none() {
            found.extend(ToolDefinition::of(bytes, function.unwrap_or(tool))?);
        }
    }
    Ok(found)
}

/// The bytes without some ranges, which are ascending and apart from each other.
pub fn without(bytes: &[u8], left_out: &[LeftOut]) -> Vec<u8> {
    let mut all = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for LeftOut { range, text } in left_out {
        all.extend_from_slice(&bytes[at..range.start]);
        all.extend_from_slice(text.as_bytes());
        at = range.end;
    }
    all.extend_from_slice(&bytes[at..]);
    all
}

impl ToolDefinition {
    /// The function that an object defines; `None` where it is none.
    fn of(bytes: &[u8], place: Place) -> Result<Option<Self>, BodyError> {
        const NAMES: [&str; 6] =
            ["name", "description", "input_schema", "parameters", "parametersJsonSchema", "strict"];
        let [name, description, schema, parameters, json_schema, strict] =
            walk::members(bytes, &place, NAMES)?;
        let Some(name) = name.and_then(|name| walk::text(bytes, &name)) else { return Ok(None) };
        let is_strict = strict.is_some_and(|strict| &bytes[strict] == b"true");
        let description = description.filter(|it| walk::is_string(bytes, it));
        let schema = schema.or(parameters).or(json_schema);
        let name = name.into_owned();
        Ok(Some(Self { name, place, description, schema, is_strict }))
    }

    /// Its parts, in the order in which they stand.
    pub fn parts(&self, bytes: &[u8]) -> Vec<ToolPart> {
        let places = self.description.iter().chain(&self.schema);
        let mut parts: Vec<ToolPart> = places
            .map(|place| {
                let own = [self.name.as_bytes(), b"\0", &bytes[place.clone()]];
                ToolPart { key: ContentHash::of_parts(own), place: place.clone() }
            })
            .collect();
        parts.sort_by_key(|part| part.place.start);
        parts
    }

    /// What can be left out of it. `is_quoted` says whether a text, or a line of it, stands
    /// elsewhere in the prompt: such a text stays whole. Of the schema of a strict function nothing
    /// goes, since providers make a grammar of it.
    ///
    /// # Errors
    /// If it is no valid JSON.
    pub fn shortened(
        &self,
        bytes: &[u8],
        how: Shortened,
        is_quoted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<LeftOut>, BodyError> {
        let mut left_out = Vec::new();
        let schema = self.schema.as_ref().filter(|_| !self.is_strict);
        if let Some(schema) = schema {
            noise::find(bytes, schema, &mut left_out)?;
        }
        if how == Shortened::Texts {
            let long = texts::of_tool(bytes, self.description.as_ref(), is_quoted);
            left_out.extend(long);
            if let Some(schema) = schema {
                texts::of_schema(bytes, schema, is_quoted, &mut left_out)?;
            }
        }
        left_out.sort_by_key(|left_out| left_out.range.start);
        Ok(left_out)
    }
}

#[cfg(test)]
mod tests;
