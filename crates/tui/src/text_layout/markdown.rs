//! Markdown as styled lines.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::code_lines::highlight_code;
use super::line_wrap::{WrapMode, printable_text, wrap_spans};
use super::markdown_table::MarkdownTable;
use crate::theme::{ColourSupport, TextRole};

/// Nested lists and quotations that are indented at most; deeper ones have the indentation of the
/// last level.
const LEVELS_MAX: usize = 8;

/// Columns of a thematic break.
const RULE_COLUMNS: usize = 40;

/// Returns the lines of a Markdown text, at most `columns` columns wide where possible.
pub(crate) fn render_markdown(
    text: &str,
    columns: usize,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let text = printable_text(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = MarkdownWriter { colours, columns, ..MarkdownWriter::default() };
    for event in Parser::new_ext(&text, options) {
        writer.handle_event(event);
    }
    writer.end_block();
    writer.lines
}

/// A level of nesting, with the prefix that it adds to lines.
#[derive(Debug)]
enum NestingLevel {
    Quote,
    List {
        next: Option<u64>,
    },
    /// A list item; `mark` stands before its first line.
    Item {
        mark: String,
        is_begun: bool,
    },
}

#[derive(Debug, Default)]
struct MarkdownWriter {
    colours: ColourSupport,
    columns: usize,
    lines: Vec<Line<'static>>,
    levels: Vec<NestingLevel>,
    styles: Vec<Style>,
    spans: Vec<Span<'static>>,
    /// The language and text of the open code block.
    code: Option<(String, String)>,
    /// The target of the open link, and the index of its first span.
    link: Option<(String, usize)>,
    table: Option<MarkdownTable>,
    /// Whether an empty line precedes the next block.
    needs_gap: bool,
}

impl MarkdownWriter {
    fn handle_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.handle_start(tag),
            Event::End(tag) => self.handle_end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push_text(&text, Style::new()),
            },
            Event::Code(text) => self.push_text(&text, self.colours.role_style(TextRole::Code)),
            Event::Html(text) | Event::InlineHtml(text) => {
                for (at, line) in text.lines().enumerate() {
                    if at > 0 {
                        self.flush_line();
                    }
                    self.push_text(line, self.colours.role_style(TextRole::Aside));
                }
            }
            Event::SoftBreak => self.push_text(" ", Style::new()),
            Event::HardBreak => match &self.table {
                Some(_) => self.push_text(" ", Style::new()),
                None => self.flush_line(),
            },
            Event::Rule => {
                self.begin_block();
                let rule = "─".repeat(RULE_COLUMNS.min(self.columns));
                self.push_text(&rule, self.colours.role_style(TextRole::Aside));
                self.end_block();
            }
            Event::TaskListMarker(is_done) => {
                self.push_text(if is_done { "[x] " } else { "[ ] " }, Style::new());
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push_text(&text, Style::new());
            }
        }
    }

    fn handle_start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin_block(),
            Tag::Heading { level, .. } => {
                self.begin_block();
                let style = self.colours.role_style(TextRole::Strong);
                let is_top = level == HeadingLevel::H1;
                self.styles.push(if is_top { style.underlined() } else { style });
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.levels.push(NestingLevel::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.begin_block();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(next) => {
                match self.levels.last() {
                    Some(NestingLevel::Item { .. }) => self.flush_pending(),
                    _ => self.begin_block(),
                }
                self.levels.push(NestingLevel::List { next });
            }
            Tag::Item => {
                self.flush_pending();
                let mark = match self.levels.last_mut() {
                    Some(NestingLevel::List { next: Some(number) }) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.levels.push(NestingLevel::Item { mark, is_begun: false });
            }
            Tag::Emphasis => self.styles.push(self.colours.role_style(TextRole::Stressed)),
            Tag::Strong => self.styles.push(self.colours.role_style(TextRole::Strong)),
            Tag::Strikethrough => self.styles.push(self.colours.role_style(TextRole::Struck)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), self.spans.len()));
                self.styles.push(self.colours.role_style(TextRole::Place));
            }
            Tag::Table(_) => {
                self.begin_block();
                self.table = Some(MarkdownTable::default());
            }
            _ => {}
        }
    }

    fn handle_end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.levels.pop();
                self.needs_gap = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.levels.pop();
                self.needs_gap = self.levels.is_empty() || self.needs_gap;
            }
            TagEnd::Item => {
                self.flush_pending();
                if matches!(self.levels.last(), Some(NestingLevel::Item { is_begun: false, .. })) {
                    self.flush_line();
                }
                self.levels.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                self.end_link();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                self.table.iter_mut().for_each(|table| table.push_cell(&cell));
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.table.iter_mut().for_each(MarkdownTable::end_row);
            }
            TagEnd::Table => {
                let (columns, colours) = (self.columns, self.colours);
                if let Some(table) = self.table.take() {
                    self.lines.extend(table.render(columns, colours));
                }
                self.needs_gap = true;
            }
            _ => {}
        }
    }

    /// Ends a link, and adds its target unless its text is the target.
    fn end_link(&mut self) {
        let Some((place, from)) = self.link.take() else { return };
        let spans = self.spans.get(from..).unwrap_or_default();
        let text: String = spans.iter().map(|span| &*span.content).collect();
        if text != place && !place.is_empty() {
            self.push_text(&format!(" ({place})"), self.colours.role_style(TextRole::Aside));
        }
    }

    fn end_code(&mut self) {
        let Some((language, text)) = self.code.take() else { return };
        for line in highlight_code(&language, text.trim_end_matches('\n'), self.colours) {
            let (mut first, mut rest) = self.line_prefixes();
            first.push(Span::raw("  "));
            rest.push(Span::raw("  "));
            self.lines.extend(wrap_spans(&line, self.columns, &first, &rest, WrapMode::Anywhere));
        }
        self.needs_gap = true;
    }

    fn push_text(&mut self, text: &str, style: Style) {
        let style = self.styles.iter().fold(style, |style, outer| style.patch(*outer));
        self.spans.push(Span::styled(text.to_owned(), style));
    }

    /// Begins a block, with an empty line before it if it follows another one.
    fn begin_block(&mut self) {
        self.flush_pending();
        if std::mem::take(&mut self.needs_gap) && !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
    }

    fn end_block(&mut self) {
        self.flush_pending();
        self.needs_gap = true;
    }

    fn flush_pending(&mut self) {
        if !self.spans.is_empty() {
            self.flush_line();
        }
    }

    /// Writes the open line.
    fn flush_line(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        let (first, rest) = self.line_prefixes();
        self.lines.extend(wrap_spans(&spans, self.columns, &first, &rest, WrapMode::Words));
    }

    /// Returns the prefixes of the next line and of the lines after it.
    fn line_prefixes(&mut self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let aside = self.colours.role_style(TextRole::Aside);
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for level in self.levels.iter_mut().take(LEVELS_MAX) {
            match level {
                NestingLevel::List { .. } => {}
                NestingLevel::Quote => {
                    first.push(Span::styled("│ ", aside));
                    rest.push(Span::styled("│ ", aside));
                }
                NestingLevel::Item { mark, is_begun } => {
                    let blank = " ".repeat(mark.len());
                    let is_first = !std::mem::replace(is_begun, true);
                    first.push(Span::raw(if is_first { mark.clone() } else { blank.clone() }));
                    rest.push(Span::raw(blank));
                }
            }
        }
        (first, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: usize, expected: &str) {
        let lines = render_markdown(text, columns, ColourSupport::Basic);
        let told: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(told.join("\n"), expected, "{text:?}");
    }

    #[test]
    fn blocks_stand_apart() {
        check(
            "# A\n\nb\nc\n\n---\n> d\n> e",
            40,
            &format!("A\n\nb c\n\n{}\n\n│ d e", "─".repeat(40)),
        );
    }

    #[test]
    fn lists_hang() {
        let text = "Do:\n\n1. one two three\n2. four\n   - five\n   - six\n\nEnd";
        check(text, 12, "Do:\n\n1. one two\n   three\n2. four\n   - five\n   - six\n\nEnd");
        check("- [x] a\n- [ ] b", 20, "- [x] a\n- [ ] b");
        check("9. a\n\n10. b", 20, "9. a\n\n10. b");
    }

    #[test]
    fn code_keeps_its_lines() {
        check(
            "a\n```rust\nfn x() {\n\n    y();\n}\n```\nb",
            40,
            "a\n\n  fn x() {\n\n      y();\n  }\n\nb",
        );
        check("```\nunfinished", 40, "  unfinished");
    }

    #[test]
    fn links_say_where_they_lead() {
        check("[here](http://a) <http://b>", 40, "here (http://a) http://b");
    }

    #[test]
    fn tables_stand_in_columns_or_in_lines() {
        let table = "| a | bb |\n|---|---|\n| one | two |\n| 3 | 4 |";
        check(table, 40, "a   │ bb\n────┼────\none │ two\n3   │ 4");
        check(table, 8, "a: one\nbb: two\n\na: 3\nbb: 4");
    }

    #[test]
    fn nothing_foreign_is_obeyed() {
        check("a\u{1b}[31mb `\u{202e}`", 40, "a\\u001b[31mb \\u202e");
        check("<b>x</b>", 40, "<b>x</b>");
    }
}
