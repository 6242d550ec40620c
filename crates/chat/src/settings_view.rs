//! The settings as a list by group: one is chosen, told about below, and changed in place.

use foveal_screen::in_one_line;
use ratatui_core::text::{Line, Span};

use crate::editor::Editor;
use crate::key::{Key, KeyCode};
use crate::lines::{Break, cut, width, wrap};
use crate::settings::{Origin, Setting, Settings, Takes};
use crate::theme::{Colours, Role};

/// What stands above the settings that are in no table.
const NO_GROUP: &str = "general";

/// Columns that names have, at most.
const NAME_COLUMNS_MAX: usize = 34;

/// Columns from which on it stands beside a value where it comes from.
const ORIGIN_COLUMNS: usize = 66;

/// Lines of what was said of the last change.
const SAID_LINES_MAX: usize = 4;

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Row {
    Group(String),
    /// The setting with this place.
    Setting(usize),
}

/// The list, and what of it is chosen.
#[derive(Debug, Default)]
pub(crate) struct SettingsView {
    settings: Option<Settings>,
    rows: Vec<Row>,
    /// The chosen row; a setting wherever there is one.
    chosen: usize,
    /// Rows above the screen, and rows on it, as they were drawn last.
    top: usize,
    page: usize,
    /// What is typed in place of the chosen value.
    typed: Option<Editor>,
    /// What is said of the last change, and whether it was made.
    said: Option<(bool, String)>,
}

/// What a key does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    Close,
    Set { name: String, value: String },
    Unset(String),
    Undo,
    Nothing,
}

/// The screen of it, and where the cursor is.
pub(crate) type Shown = (Vec<Line<'static>>, Option<(usize, usize)>);

impl SettingsView {
    /// Takes the settings as they are. What is chosen stays.
    pub(crate) fn set(&mut self, settings: Settings) {
        let name = self.setting().map(|setting| setting.name.clone());
        self.rows = rows(&settings);
        let found = self.rows.iter().position(|row| match row {
            Row::Setting(at) => Some(&settings.all[*at].name) == name.as_ref(),
            Row::Group(_) => false,
        });
        let first = self.rows.iter().position(|row| matches!(row, Row::Setting(_)));
        self.chosen = found.or(first).unwrap_or(0);
        self.settings = Some(settings);
    }

    /// Takes what became of the last change. What is typed stays where it was not made.
    pub(crate) fn say(&mut self, is_done: bool, text: &str) {
        if is_done {
            self.typed = None;
        }
        self.said = Some((is_done, in_one_line(text).into_owned()));
    }

    fn setting(&self) -> Option<&Setting> {
        match self.rows.get(self.chosen)? {
            Row::Setting(at) => self.settings.as_ref()?.all.get(*at),
            Row::Group(_) => None,
        }
    }

    /// Puts what is pasted into what is typed.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(typed) = &mut self.typed {
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            typed.insert(line.trim());
        }
    }

    pub(crate) fn key(&mut self, key: Key) -> Pressed {
        if self.typed.is_some() {
            return self.key_of_typed(key);
        }
        self.said = None;
        if let Some(rows) = key.moves(self.page) {
            self.step(rows);
            return Pressed::Nothing;
        }
        match (key.code, key.typed()) {
            (KeyCode::Esc, _) | (_, Some('q')) => return Pressed::Close,
            (KeyCode::Enter, _) | (_, Some(' ')) => return self.change(),
            (KeyCode::Delete, _) | (_, Some('x')) => return self.unset(),
            (_, Some('u')) => return Pressed::Undo,
            _ => {}
        }
        Pressed::Nothing
    }

    fn key_of_typed(&mut self, key: Key) -> Pressed {
        let name = self.setting().map(|setting| setting.name.clone());
        let (Some(typed), Some(name)) = (&mut self.typed, name) else { return Pressed::Nothing };
        match key.code {
            KeyCode::Esc => (self.typed, self.said) = (None, None),
            KeyCode::Enter => {
                return Pressed::Set { name, value: typed.text().trim().to_owned() };
            }
            // A value has one line.
            KeyCode::Up | KeyCode::Down => {}
            KeyCode::Char('j') if key.ctrl => {}
            _ => drop(typed.key(key)),
        }
        Pressed::Nothing
    }

    /// Changes the chosen setting, or begins to.
    fn change(&mut self) -> Pressed {
        let Some(setting) = self.setting() else { return Pressed::Nothing };
        let name = setting.name.clone();
        let value = setting.value.clone().unwrap_or_default();
        match &setting.takes {
            Takes::YesNo => {
                let value = if value == "true" { "false" } else { "true" };
                Pressed::Set { name, value: value.to_owned() }
            }
            Takes::OneOf(all) => {
                let at = all.iter().position(|one| *one == value).map_or(0, |at| at + 1);
                match all.get(at % all.len().max(1)) {
                    Some(next) => Pressed::Set { name, value: next.clone() },
                    None => Pressed::Nothing,
                }
            }
            Takes::Text => {
                let mut typed = Editor::new(Vec::new());
                typed.insert(&value);
                self.typed = Some(typed);
                Pressed::Nothing
            }
            Takes::Elsewhere(how) => {
                self.said = Some((false, how.clone()));
                Pressed::Nothing
            }
        }
    }

    fn unset(&mut self) -> Pressed {
        match self.setting() {
            Some(Setting { takes: Takes::Elsewhere(how), .. }) => {
                self.said = Some((false, how.clone()));
                Pressed::Nothing
            }
            Some(setting) => Pressed::Unset(setting.name.clone()),
            None => Pressed::Nothing,
        }
    }

    /// Moves to another setting.
    pub(crate) fn step(&mut self, by: isize) {
        if self.typed.is_some() {
            return;
        }
        let last = self.rows.len().saturating_sub(1);
        let to = self.chosen.saturating_add_signed(by).min(last);
        let is_setting = |at: &usize| matches!(self.rows.get(*at), Some(Row::Setting(_)));
        let below = (to..=last).find(is_setting);
        let above = (0..=to).rev().find(is_setting);
        let found = if by < 0 { above.or(below) } else { below.or(above) };
        self.chosen = found.unwrap_or(self.chosen);
    }

    /// The list for a screen of this size.
    pub(crate) fn lines(&mut self, columns: usize, rows: usize, colours: Colours) -> Shown {
        let aside = colours.style(Role::Aside);
        let Some(settings) = &self.settings else {
            let (text, role) = match &self.said {
                Some((_, said)) => (said.as_str(), Role::Warning),
                None => ("reads the settings …", Role::Aside),
            };
            let spans = [Span::styled(text.to_owned(), colours.style(role))];
            return (wrap(&spans, columns, (&[], &[Span::raw("  ")]), Break::Words), None);
        };
        let head = format!("Settings in {}", in_one_line(&settings.file));
        let head = cut(&head, columns).into_owned();
        let mut lines = vec![
            Line::styled(head, colours.style(Role::Strong)),
            Line::styled("─".repeat(columns), aside),
        ];
        let foot = self.foot(columns, colours);
        self.page = rows.saturating_sub(lines.len() + foot.len()).max(1);
        // A group's title stays in sight with its first setting.
        let before = self.chosen.checked_sub(1).and_then(|at| self.rows.get(at));
        let lead = usize::from(matches!(before, Some(Row::Group(_))) && self.page > 1);
        self.top = self.top.min(self.chosen - lead);
        self.top = self.top.max((self.chosen + 1).saturating_sub(self.page));
        let mut cursor = None;
        for at in self.top..self.top + self.page {
            let Some(row) = self.rows.get(at).cloned() else {
                lines.push(Line::default());
                continue;
            };
            let y = lines.len();
            let (line, x) = self.row(&row, at == self.chosen, columns, colours);
            cursor = cursor.or(x.map(|x| (x, y)));
            lines.push(line);
        }
        lines.extend(foot);
        (lines, cursor)
    }

    fn row(
        &mut self,
        row: &Row,
        is_chosen: bool,
        columns: usize,
        colours: Colours,
    ) -> (Line<'static>, Option<usize>) {
        let at = match row {
            Row::Group(title) => {
                let title = in_one_line(title).into_owned();
                return (Line::styled(title, colours.style(Role::Strong)), None);
            }
            Row::Setting(at) => *at,
        };
        let all = self.settings.as_ref().map_or(&[][..], |settings| &settings.all);
        let Some(setting) = all.get(at) else { return (Line::default(), None) };
        let widest = all.iter().map(|one| width(&one.name)).max().unwrap_or(0);
        let name_columns = widest.min(NAME_COLUMNS_MAX).min(columns / 2);
        let name = cut(&setting.name, name_columns).into_owned();
        let blank = " ".repeat(name_columns.saturating_sub(width(&name)) + 2);
        let origin = match columns >= ORIGIN_COLUMNS {
            true => format!(" {}", origin(&setting.origin)),
            false => String::new(),
        };
        let lead = 2 + name_columns + 2;
        let room = columns.saturating_sub(lead + width(&origin)).max(1);
        let is_set = setting.origin != Origin::Default;
        let mark = if is_set { "* " } else { "  " };
        let name_role = if is_chosen { Role::Chosen } else { Role::Plain };
        let mut spans = vec![
            Span::styled(mark, colours.style(Role::Good)),
            Span::styled(name, colours.style(name_role)),
            Span::raw(blank),
        ];
        if let Some(typed) = self.typed.as_mut().filter(|_| is_chosen) {
            let room = columns.saturating_sub(lead + 1).max(1);
            let typed = typed.rows(room);
            let (row, column) = typed.cursor;
            let text = typed.rows.get(row).cloned().unwrap_or_default();
            spans.push(Span::styled(text, colours.style(Role::User)));
            return (Line::from(spans), Some(lead + column));
        }
        let value = in_one_line(setting.value.as_deref().unwrap_or("-")).into_owned();
        let value = cut(&value, room).into_owned();
        let blank = " ".repeat(room.saturating_sub(width(&value)));
        let role = if is_set { Role::Good } else { Role::Plain };
        spans.push(Span::styled(value, colours.style(role)));
        spans.push(Span::styled(format!("{blank}{origin}"), colours.style(Role::Aside)));
        (Line::from(spans), None)
    }

    /// What the chosen one means and takes, what is said, and which keys there are.
    fn foot(&self, columns: usize, colours: Colours) -> Vec<Line<'static>> {
        let aside = colours.style(Role::Aside);
        let mut lines = vec![Line::styled("─".repeat(columns), aside)];
        let mut tell = |text: &str, role: Role, most: usize| {
            let spans = [Span::styled(text.to_owned(), colours.style(role))];
            let wrapped = wrap(&spans, columns, (&[], &[Span::raw("  ")]), Break::Words);
            lines.extend(wrapped.into_iter().take(most));
        };
        if let Some(setting) = self.setting() {
            tell(&in_one_line(&setting.about), Role::Plain, 2);
            tell(&format!("takes: {}", in_one_line(&setting.expected)), Role::Plain, 2);
            let usual = in_one_line(setting.usual.as_deref().unwrap_or("nothing")).into_owned();
            tell(&format!("{} · without it: {usual}", comes_from(&setting.origin)), Role::Aside, 2);
        }
        if let Some((is_done, said)) = &self.said {
            let role = if *is_done { Role::Good } else { Role::Warning };
            tell(said, role, SAID_LINES_MAX);
        }
        let keys = match self.typed {
            Some(_) => "Enter checks and writes  Esc leaves it as it was",
            None => "Enter change  x take out  u undo  Esc back",
        };
        lines.push(Line::styled(cut(keys, columns).into_owned(), aside));
        lines
    }
}

/// Where a value comes from, in a word.
fn origin(origin: &Origin) -> &'static str {
    match origin {
        Origin::Default => "default",
        Origin::File => "file",
        Origin::Project => "project",
        Origin::Environment(_) => "environment",
    }
}

/// Where a value comes from.
fn comes_from(origin: &Origin) -> String {
    match origin {
        Origin::Default => "not set".to_owned(),
        Origin::File => "set in the file".to_owned(),
        Origin::Project => "set by the project, which holds here whatever the file says".to_owned(),
        Origin::Environment(name) => {
            format!("set by {} in the environment, which goes first", in_one_line(name))
        }
    }
}

/// The settings below the names of their groups, in the order in which groups come first.
fn rows(settings: &Settings) -> Vec<Row> {
    let mut groups: Vec<(&str, Vec<Row>)> = Vec::new();
    for (at, setting) in settings.all.iter().enumerate() {
        let group = setting.name.split_once('.').map_or(NO_GROUP, |(group, _)| group);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, of)) => of.push(Row::Setting(at)),
            None => groups.push((group, vec![Row::Setting(at)])),
        }
    }
    groups
        .into_iter()
        .flat_map(|(name, of)| std::iter::once(Row::Group(name.to_owned())).chain(of))
        .collect()
}
