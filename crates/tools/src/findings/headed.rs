//! The text of an answer, with what stands before it once it is known what of it is shown.

use foveal_context::shape::ShapeKind;

use crate::session::{LineCounts, ShapedAnswer};

use super::content::Content;
use super::file::FileSize;
use super::heading::heading;

/// The answer with what stands before it.
pub(crate) fn headed(content: &Content, given: &ShapedAnswer) -> String {
    let (heading, remarks) = match content {
        Content::File(file) => {
            let mut counts = given.lines;
            let how = match given.shape.as_ref().map(|shape| shape.kind) {
                Some(ShapeKind::Curated) => "curated",
                Some(ShapeKind::Pointer | ShapeKind::Delta) => "what is not shown above",
                Some(ShapeKind::Excerpt) => {
                    let mut whole = given.shown.clone();
                    whole.remove(&given.left_out);
                    counts.shown = whole.count();
                    "long lines cut"
                }
                _ => "full",
            };
            (heading(&file.path, how, counts), file.text.remarks())
        }
        Content::Beginning(beginning) => {
            let path = &beginning.path;
            let heading = match beginning.size {
                FileSize::Lines(all, _) => {
                    // A line of which a part is left out is not preserved.
                    let shown = given.lines.shown.min(beginning.seen().count());
                    heading(path, "beginning", LineCounts { all, shown })
                }
                FileSize::Bytes(bytes) => {
                    let shown = given.lines.shown;
                    let counts = format!("Total bytes: {bytes} | Preserved: {shown} lines");
                    format!("File: {path} (beginning)\n{counts}\n")
                }
            };
            (heading, beginning.remarks.clone())
        }
        _ => return given.text.clone(),
    };
    let remarks = remarks.map(|remarks| format!("{remarks}\n")).unwrap_or_default();
    heading + &remarks + &given.text
}
