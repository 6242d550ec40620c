//! A terminal's screen: renders a program's output into cells with characters and styles. It
//! supports the escape sequences that foveal writes, and ignores others.

/// A character on the screen with its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenCell {
    /// The character.
    pub character: char,
    /// The style.
    pub style: CellStyle,
}

/// The style of a character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CellStyle {
    /// One of the sixteen colours.
    pub colour: Option<u8>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underlined: bool,
    /// Foreground and background exchanged.
    pub reversed: bool,
}

const BLANK: ScreenCell = ScreenCell {
    character: ' ',
    style: CellStyle {
        colour: None,
        bold: false,
        dim: false,
        italic: false,
        underlined: false,
        reversed: false,
    },
};

/// A screen that output is written to.
#[derive(Debug)]
pub struct TerminalScreen {
    cells: Vec<Vec<ScreenCell>>,
    cursor: (usize, usize),
    current_style: CellStyle,
}

impl TerminalScreen {
    /// Creates an empty screen of this many columns and rows.
    pub fn new(columns: u16, rows: u16) -> Self {
        let cells = blank_cells(columns, rows);
        Self { cells, cursor: (0, 0), current_style: CellStyle::default() }
    }

    /// Clears the screen and changes its size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.cells = blank_cells(columns, rows);
    }

    /// Returns the cells, row by row.
    pub fn cells(&self) -> &[Vec<ScreenCell>] {
        &self.cells
    }

    /// Returns the text of each row.
    pub fn rows(&self) -> impl Iterator<Item = String> {
        self.cells.iter().map(|row| row.iter().map(|cell| cell.character).collect())
    }

    /// Writes the complete characters and sequences of `bytes` and returns the number of consumed
    /// bytes.
    pub fn write_output(&mut self, bytes: &[u8]) -> usize {
        let whole = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("it is text up to there")
            }
        };
        let mut rest = whole;
        while let Some(sign) = rest.chars().next() {
            let length = match sign {
                '\x1b' => match self.apply_escape(rest) {
                    Some(length) => length,
                    None => break,
                },
                _ => {
                    self.write_character(sign);
                    sign.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        whole.len() - rest.len()
    }

    /// Applies an escape sequence and returns its length; `None` while it is incomplete.
    fn apply_escape(&mut self, text: &str) -> Option<usize> {
        let body = &text[1..];
        if let Some(title) = body.strip_prefix(']') {
            return Some(2 + title.find('\x07')? + 1);
        }
        let Some(body) = body.strip_prefix('[') else {
            return (!body.is_empty()).then_some(2);
        };
        let end = body.find(|sign: char| ('@'..='~').contains(&sign))?;
        let numbers: Vec<usize> =
            body[..end].split(';').map(|number| number.parse().unwrap_or(0)).collect();
        match &body[end..=end] {
            "H" => {
                let at = |place: usize| numbers.get(place).copied().unwrap_or(1).max(1) - 1;
                self.cursor = (at(0), at(1));
            }
            "J" => self.cells.iter_mut().for_each(|row| row.fill(BLANK)),
            "m" => self.current_style = apply_style_codes(self.current_style, &numbers),
            _ => {}
        }
        Some(2 + end + 1)
    }

    fn write_character(&mut self, sign: char) {
        match sign {
            '\r' => self.cursor.1 = 0,
            '\n' => self.cursor.0 += 1,
            _ => {
                let (row, column) = self.cursor;
                let look = self.current_style;
                let cell = self.cells.get_mut(row).and_then(|row| row.get_mut(column));
                cell.into_iter()
                    .for_each(|cell| *cell = ScreenCell { character: sign, style: look });
                self.cursor.1 += 1;
            }
        }
    }
}

/// Returns `look` after codes of "Select Graphic Rendition" (ECMA-48, 8.3.117).
fn apply_style_codes(mut look: CellStyle, codes: &[usize]) -> CellStyle {
    let mut codes = codes.iter().copied();
    while let Some(code) = codes.next() {
        match code {
            0 => look = CellStyle::default(),
            1 => look.bold = true,
            2 => look.dim = true,
            3 => look.italic = true,
            4 => look.underlined = true,
            7 => look.reversed = true,
            22 => (look.bold, look.dim) = (false, false),
            23 => look.italic = false,
            24 => look.underlined = false,
            27 => look.reversed = false,
            30..=37 => look.colour = u8::try_from(code - 30).ok(),
            90..=97 => look.colour = u8::try_from(code - 82).ok(),
            // `38;5;N`: one of 256, of which these programs use the first sixteen.
            38 => look.colour = codes.nth(1).and_then(|number| u8::try_from(number).ok()),
            48 => drop(codes.nth(1)),
            39 => look.colour = None,
            _ => {}
        }
    }
    look
}

fn blank_cells(columns: u16, rows: u16) -> Vec<Vec<ScreenCell>> {
    vec![vec![BLANK; columns.into()]; rows.into()]
}
