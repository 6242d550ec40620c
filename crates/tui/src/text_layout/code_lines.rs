//! Syntax-highlighted code.

use foveal_syntax::highlighting::highlight_file;
use ratatui_core::style::Style;
use ratatui_core::text::Span;

use super::diff_lines::style_diff_line;
use super::line_wrap::printable_text;
use crate::theme::ColourSupport;

/// Bytes of code up to which it is highlighted. Streamed code is parsed again with each piece.
const HIGHLIGHTED_BYTES_MAX: usize = 32 << 10;

/// File extensions of languages by name.
const LANGUAGE_EXTENSIONS: &[(&str, &str)] = &[
    ("bash", "sh"),
    ("c#", "cs"),
    ("c++", "cpp"),
    ("console", "sh"),
    ("csharp", "cs"),
    ("golang", "go"),
    ("javascript", "js"),
    ("jsonc", "json"),
    ("kotlin", "kt"),
    ("markdown", "md"),
    ("python", "py"),
    ("ruby", "rb"),
    ("rust", "rs"),
    ("shell", "sh"),
    ("typescript", "ts"),
    ("yml", "yaml"),
    ("zsh", "sh"),
];

/// Returns the highlighted lines of a text. `language` is the info string of a Markdown fence, or a
/// path.
pub(crate) fn highlight_code(
    language: &str,
    text: &str,
    colours: ColourSupport,
) -> Vec<Vec<Span<'static>>> {
    let text = &*printable_text(text);
    let language = language.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase();
    if matches!(&*language, "diff" | "patch") {
        return text.lines().map(|line| vec![style_diff_line(line, colours)]).collect();
    }
    let is_plain = colours == ColourSupport::None || language.is_empty();
    if is_plain || text.len() > HIGHLIGHTED_BYTES_MAX {
        return text.lines().map(|line| vec![Span::raw(line.to_owned())]).collect();
    }
    let ending = LANGUAGE_EXTENSIONS.iter().find(|(name, _)| *name == language);
    let path = match ending {
        Some((_, ending)) => format!("code.{ending}"),
        None if language.contains(['.', '/']) => language,
        None => format!("code.{language}"),
    };
    let found = highlight_file(&path, text);
    let mut found = found.iter().peekable();
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end_matches('\n').len();
        let mut spans = Vec::new();
        let mut at = start;
        while let Some(next) = found.peek() {
            let (from, to) = (next.bytes.start.max(at), next.bytes.end.min(end));
            if next.bytes.start >= end {
                break;
            }
            if from < to {
                push_span(&mut spans, &text[at..from], Style::new());
                push_span(&mut spans, &text[from..to], colours.highlight_style(next.class));
                at = to;
            }
            if next.bytes.end > end {
                break;
            }
            found.next();
        }
        push_span(&mut spans, &text[at..end], Style::new());
        lines.push(spans);
        start += line.len();
    }
    lines
}

fn push_span(spans: &mut Vec<Span<'static>>, text: &str, style: Style) {
    if !text.is_empty() {
        spans.push(Span::styled(text.to_owned(), style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[Vec<Span<'_>>]) -> String {
        let line = |spans: &Vec<Span<'_>>| spans.iter().map(|span| &*span.content).collect();
        lines.iter().map(line).collect::<Vec<String>>().join("\n")
    }

    #[test]
    fn colours_change_no_text() {
        let source = "/* a\n b */ fn x() -> u8 {\n    \"s\\n\";\n\n    1\n}";
        for language in ["rust", "rs", "src/a.rs", "", "nothing", "diff", "Rust,ignore"] {
            for colours in [ColourSupport::None, ColourSupport::Basic, ColourSupport::Indexed] {
                assert_eq!(text(&highlight_code(language, source, colours)), source, "{language}");
            }
        }
    }

    #[test]
    fn words_of_a_language_have_colours() {
        let lines = highlight_code("rust", "fn x() {}\n// y", ColourSupport::Basic);
        assert!(lines[0].iter().any(|span| span.content == "fn" && span.style.fg.is_some()));
        assert_eq!(lines[1].len(), 1);
    }
}
