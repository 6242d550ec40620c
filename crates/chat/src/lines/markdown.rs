//! Markdown as lines.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::code::code;
use super::table::Table;
use super::wrap::{Break, plain, wrap};
use crate::theme::{Colours, Role};

/// Lists and quotations inside each other; deeper ones stand as far in as this.
const LEVELS_MAX: usize = 8;

/// Columns of a rule.
const RULE_COLUMNS: usize = 40;

/// The lines of a text in Markdown, each at most so many columns wide where there is room.
pub(crate) fn markdown(text: &str, columns: usize, colours: Colours) -> Vec<Line<'static>> {
    let text = plain(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer { colours, columns, ..Writer::default() };
    for event in Parser::new_ext(&text, options) {
        writer.take(event);
    }
    writer.end_block();
    writer.lines
}

/// What stands in front of lines.
#[derive(Debug)]
enum Level {
    Quote,
    List {
        next: Option<u64>,
    },
    /// The mark of an item, until its first line is written.
    Item {
        mark: String,
        is_begun: bool,
    },
}

#[derive(Debug, Default)]
struct Writer {
    colours: Colours,
    columns: usize,
    lines: Vec<Line<'static>>,
    levels: Vec<Level>,
    styles: Vec<Style>,
    spans: Vec<Span<'static>>,
    /// The language and text of code.
    code: Option<(String, String)>,
    /// Where the link under way leads, and where its text begins.
    link: Option<(String, usize)>,
    table: Option<Table>,
    /// Whether an empty line goes before the next block.
    needs_gap: bool,
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.put(&text, Style::new()),
            },
            Event::Code(text) => self.put(&text, self.colours.style(Role::Code)),
            Event::Html(text) | Event::InlineHtml(text) => {
                for (at, line) in text.lines().enumerate() {
                    if at > 0 {
                        self.flush();
                    }
                    self.put(line, self.colours.style(Role::Aside));
                }
            }
            Event::SoftBreak => self.put(" ", Style::new()),
            Event::HardBreak => match &self.table {
                Some(_) => self.put(" ", Style::new()),
                None => self.flush(),
            },
            Event::Rule => {
                self.begin_block();
                let rule = "─".repeat(RULE_COLUMNS.min(self.columns));
                self.put(&rule, self.colours.style(Role::Aside));
                self.end_block();
            }
            Event::TaskListMarker(is_done) => {
                self.put(if is_done { "[x] " } else { "[ ] " }, Style::new());
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.put(&text, Style::new());
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin_block(),
            Tag::Heading { level, .. } => {
                self.begin_block();
                let style = self.colours.style(Role::Strong);
                let is_top = level == HeadingLevel::H1;
                self.styles.push(if is_top { style.underlined() } else { style });
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.levels.push(Level::Quote);
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
                    Some(Level::Item { .. }) => self.flush_if_any(),
                    _ => self.begin_block(),
                }
                self.levels.push(Level::List { next });
            }
            Tag::Item => {
                self.flush_if_any();
                let mark = match self.levels.last_mut() {
                    Some(Level::List { next: Some(number) }) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.levels.push(Level::Item { mark, is_begun: false });
            }
            Tag::Emphasis => self.styles.push(self.colours.style(Role::Stressed)),
            Tag::Strong => self.styles.push(self.colours.style(Role::Strong)),
            Tag::Strikethrough => self.styles.push(self.colours.style(Role::Struck)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), self.spans.len()));
                self.styles.push(self.colours.style(Role::Place));
            }
            Tag::Table(_) => {
                self.begin_block();
                self.table = Some(Table::default());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
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
                self.flush_if_any();
                if matches!(self.levels.last(), Some(Level::Item { is_begun: false, .. })) {
                    self.flush();
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
                self.table.iter_mut().for_each(|table| table.cell(&cell));
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.table.iter_mut().for_each(Table::end_row);
            }
            TagEnd::Table => {
                let (columns, colours) = (self.columns, self.colours);
                if let Some(table) = self.table.take() {
                    self.lines.extend(table.lines(columns, colours));
                }
                self.needs_gap = true;
            }
            _ => {}
        }
    }

    /// A link tells where it leads, unless its text does.
    fn end_link(&mut self) {
        let Some((place, from)) = self.link.take() else { return };
        let spans = self.spans.get(from..).unwrap_or_default();
        let text: String = spans.iter().map(|span| &*span.content).collect();
        if text != place && !place.is_empty() {
            self.put(&format!(" ({place})"), self.colours.style(Role::Aside));
        }
    }

    fn end_code(&mut self) {
        let Some((language, text)) = self.code.take() else { return };
        for line in code(&language, text.trim_end_matches('\n'), self.colours) {
            let (mut first, mut rest) = self.prefixes();
            first.push(Span::raw("  "));
            rest.push(Span::raw("  "));
            self.lines.extend(wrap(&line, self.columns, (&first, &rest), Break::Anywhere));
        }
        self.needs_gap = true;
    }

    fn put(&mut self, text: &str, style: Style) {
        let style = self.styles.iter().fold(style, |style, outer| style.patch(*outer));
        self.spans.push(Span::styled(text.to_owned(), style));
    }

    /// A block begins: with an empty line before it, if another one stands there.
    fn begin_block(&mut self) {
        self.flush_if_any();
        if std::mem::take(&mut self.needs_gap) && !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
    }

    fn end_block(&mut self) {
        self.flush_if_any();
        self.needs_gap = true;
    }

    fn flush_if_any(&mut self) {
        if !self.spans.is_empty() {
            self.flush();
        }
    }

    /// Writes the line under way.
    fn flush(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        let (first, rest) = self.prefixes();
        self.lines.extend(wrap(&spans, self.columns, (&first, &rest), Break::Words));
    }

    /// What stands before the next line, and before those that follow.
    fn prefixes(&mut self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let aside = self.colours.style(Role::Aside);
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for level in self.levels.iter_mut().take(LEVELS_MAX) {
            match level {
                Level::List { .. } => {}
                Level::Quote => {
                    first.push(Span::styled("│ ", aside));
                    rest.push(Span::styled("│ ", aside));
                }
                Level::Item { mark, is_begun } => {
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
        let lines = markdown(text, columns, Colours::Basic);
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
