//! Code in colours.

use foveal_code::highlight::highlights;
use ratatui_core::style::Style;
use ratatui_core::text::Span;

use super::diff::line as diff_line;
use super::wrap::plain;
use crate::theme::Colours;

/// Bytes of code up to which it has colours. What streams is read anew with each piece.
const COLOURED_BYTES_MAX: usize = 32 << 10;

/// What languages are called, and how their files end.
const ENDINGS: &[(&str, &str)] = &[
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

/// The lines of a text in this language: as a fence of Markdown names it, or the path of a file.
pub(crate) fn code(language: &str, text: &str, colours: Colours) -> Vec<Vec<Span<'static>>> {
    let text = &*plain(text);
    let language = language.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase();
    if matches!(&*language, "diff" | "patch") {
        return text.lines().map(|line| vec![diff_line(line, colours)]).collect();
    }
    let is_plain = colours == Colours::None || language.is_empty();
    if is_plain || text.len() > COLOURED_BYTES_MAX {
        return text.lines().map(|line| vec![Span::raw(line.to_owned())]).collect();
    }
    let ending = ENDINGS.iter().find(|(name, _)| *name == language);
    let path = match ending {
        Some((_, ending)) => format!("code.{ending}"),
        None if language.contains(['.', '/']) => language,
        None => format!("code.{language}"),
    };
    let found = highlights(&path, text);
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
                push(&mut spans, &text[at..from], Style::new());
                push(&mut spans, &text[from..to], colours.of_code(next.class));
                at = to;
            }
            if next.bytes.end > end {
                break;
            }
            found.next();
        }
        push(&mut spans, &text[at..end], Style::new());
        lines.push(spans);
        start += line.len();
    }
    lines
}

fn push(spans: &mut Vec<Span<'static>>, text: &str, style: Style) {
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
            for colours in [Colours::None, Colours::Basic, Colours::Indexed] {
                assert_eq!(text(&code(language, source, colours)), source, "{language}");
            }
        }
    }

    #[test]
    fn words_of_a_language_have_colours() {
        let lines = code("rust", "fn x() {}\n// y", Colours::Basic);
        assert!(lines[0].iter().any(|span| span.content == "fn" && span.style.fg.is_some()));
        assert_eq!(lines[1].len(), 1);
    }
}
