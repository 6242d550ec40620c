//! `glob`: files by the form of their path.

use std::cmp::Reverse;

use foveal_cancel::Cancel;
use foveal_files::tree::{self, GlobAnswer, GlobQuery, Order, Passed};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{Content, Findings, Paths};
use crate::permission::Asks;
use crate::reading::{SearchPlace, places, searched};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Glob>(
    "glob",
    "Find files by name",
    "Find files by glob, such as src/**/*.rs.",
    Hints::LOOKS,
);

/// Paths given where the call says nothing.
const LIMIT: usize = 100;
/// Most paths.
const LIMIT_MAX: usize = 5_000;

/// Arguments of `glob`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Glob {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
    /// The last changed first
    #[serde(default)]
    newest: bool,
}

impl ToolArguments for Glob {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![searched(self.path.as_deref())])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let places = places(work, self.path.as_deref())?;
        let depends = places.depends(work);
        let limit = self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let answer = match self.newest && places.all.len() > 1 {
            true => self.newest(work, &places.all, limit)?,
            false => self.in_order(work, &places.all, limit)?,
        };
        let paths = Paths { answer, missing: places.missing };
        Ok(Findings::from(Content::Paths(paths)).resting_on(depends))
    }

    fn is_about_working_directory(&self) -> bool {
        self.path.as_deref().is_none_or(str::is_empty)
    }
}

impl Glob {
    /// What each place holds, one place after the other.
    fn in_order(
        &self,
        work: &Work<'_>,
        places: &[SearchPlace],
        limit: usize,
    ) -> Result<GlobAnswer, ToolError> {
        let (mut offset, mut limit) = (self.offset, limit);
        let mut all = nothing(self.offset);
        for place in places {
            let answer = self.find(work, place, offset, limit)?;
            // What is not reached yet is left to the next place.
            offset -= offset.min(usize::try_from(answer.total).unwrap_or(usize::MAX));
            limit -= limit.min(answer.shown);
            all.append(answer);
        }
        Ok(all)
    }

    /// What all places hold, the last changed first.
    fn newest(
        &self,
        work: &Work<'_>,
        places: &[SearchPlace],
        limit: usize,
    ) -> Result<GlobAnswer, ToolError> {
        let mut all = nothing(self.offset);
        for place in places {
            all.append(self.find(work, place, 0, self.offset.saturating_add(limit))?);
        }
        let mut found: Vec<_> = all.changed.drain(..).zip(all.paths.drain(..)).collect();
        found.sort_by_key(|(changed, _)| Reverse(*changed));
        let page = found.into_iter().skip(self.offset).take(limit);
        (all.changed, all.paths) = page.unzip();
        all.shown = all.paths.len();
        Ok(all)
    }

    /// What one place holds; paths are told as they are asked for.
    fn find(
        &self,
        work: &Work<'_>,
        place: &SearchPlace,
        offset: usize,
        limit: usize,
    ) -> Result<GlobAnswer, ToolError> {
        let scope = place.scope(Some(self.pattern.clone()), None);
        let order = if self.newest { Order::Newest } else { Order::Path };
        let query = GlobQuery { scope, order, offset, limit };
        let progress = work.progress("searching");
        let answer = tree::glob(place.base(), &query, &Cancel::when(&|| progress.is_cancelled()));
        let mut answer = answer.map_err(ToolError::failed)?;
        place.tell(&mut answer.passed);
        let inside = place.inside(answer.paths.iter().map(String::as_str));
        let found = answer.paths.into_iter().zip(answer.changed);
        let found = found.filter(|(path, _)| inside.contains(path));
        (answer.paths, answer.changed) =
            found.map(|(path, changed)| (place.shown(&path), changed)).unzip();
        Ok(answer)
    }
}

/// The answer to which those of places are added.
fn nothing(offset: usize) -> GlobAnswer {
    let passed = Passed::default();
    GlobAnswer { paths: Vec::new(), changed: Vec::new(), shown: 0, offset, total: 0, passed }
}
