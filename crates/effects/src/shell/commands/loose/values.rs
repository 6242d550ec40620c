//! What variables may hold, as far as a line sets them.

use std::collections::BTreeMap;

use crate::shell::word::Loose;

/// What a text that is made elsewhere may begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Made {
    /// As one word.
    pub(crate) whole: Loose,
    /// As any of the words that blanks split it into.
    pub(crate) split: Loose,
}

impl Made {
    pub(super) const NOT: Made = Made { whole: Loose::Not, split: Loose::Not };
    /// Paths that begin with no name of the folder, such as absolute ones.
    pub(super) const PATHS: Made = Made { whole: Loose::Not, split: Loose::Names };
    pub(super) const NAMES: Made = Made { whole: Loose::Names, split: Loose::Names };
    /// What begins with no option, but may be split into words that do.
    pub(super) const SPLIT: Made = Made { whole: Loose::Not, split: Loose::Anything };
    pub(crate) const ANYTHING: Made = Made { whole: Loose::Anything, split: Loose::Anything };

    /// What either may begin with.
    pub(super) fn or(self, other: Made) -> Made {
        Made { whole: self.whole.max(other.whole), split: self.split.max(other.split) }
    }
}

/// What a variable may hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Variable {
    /// What is made elsewhere.
    pub(super) made: Made,
    /// What is written in the line: each value as its words, of which lists have several.
    pub(super) written: Vec<Vec<String>>,
}

impl Variable {
    pub(super) fn of(made: Made) -> Variable {
        Variable { made, written: Vec::new() }
    }

    /// Whether all that the line sets it to is one number each.
    pub(super) fn is_number(&self) -> bool {
        let is_digits =
            |text: &String| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let mut values = self.written.iter();
        self.made == Made::NOT
            && !self.written.is_empty()
            && values.all(|value| value.len() == 1 && value.iter().all(is_digits))
    }

    fn add(&mut self, other: Variable) {
        self.made = self.made.or(other.made);
        for value in other.written {
            if !self.written.contains(&value) {
                self.written.push(value);
            }
        }
        if self.written.len() > WRITTEN_MAX {
            *self = Variable::of(Made::ANYTHING);
        }
    }
}

/// Values of one variable that are read one by one.
pub(super) const WRITTEN_MAX: usize = 16;

/// Variables that shells set to blanks, or to parts of what they have run or read.
const SET_BY_SHELLS: &[&str] = &[
    "-",
    "BASH_ARGV",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "BASH_REMATCH",
    "DIRSTACK",
    "FUNCNAME",
    "IFS",
    "OPTARG",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "_",
];
/// Variables that shells set to words about themselves. Numbers (`$UID`, `$RANDOM`) hold no blank,
/// whoever sets them, and are taken for what they seem.
const ABOUT_SHELLS: &[&str] = &[
    "BASH",
    "BASHOPTS",
    "BASH_SOURCE",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COMP_WORDBREAKS",
    "HISTFILE",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
    "POSIXLY_CORRECT",
    "SHELLOPTS",
    "ZSH_VERSION",
    "histchars",
];

/// What is known of variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Values {
    set: BTreeMap<String, Variable>,
    /// What `$1` and `$@` may hold.
    positional: Made,
    /// Whether any variable may hold anything.
    is_wild: bool,
    /// Whether words are split at other letters than blanks.
    splits_oddly: bool,
}

impl Values {
    /// Those at the beginning of a script that stands in a line with these.
    pub(super) fn for_script(&self) -> Values {
        Values { positional: Made::ANYTHING, ..self.clone() }
    }

    /// What the variable may hold.
    pub(super) fn of(&self, name: &str) -> Variable {
        let is_positional =
            matches!(name, "@" | "*") || name.bytes().all(|byte| byte.is_ascii_digit());
        let known = match name {
            _ if self.is_wild || SET_BY_SHELLS.contains(&name) => Variable::of(Made::ANYTHING),
            _ if is_positional => Variable::of(self.positional),
            "PWD" | "OLDPWD" if !self.set.contains_key(name) => Variable::of(Made::PATHS),
            _ => self.set.get(name).cloned().unwrap_or_default(),
        };
        let known = match ABOUT_SHELLS.contains(&name) {
            true => Variable { made: known.made.or(Made::SPLIT), ..known },
            false => known,
        };
        if self.splits_oddly {
            let made = Made { split: Loose::Anything, ..known.made };
            return Variable { made, ..known };
        }
        known
    }

    /// Whether the variable has its value from the line or the shell, and not from the environment.
    pub(super) fn sets(&self, name: &str) -> bool {
        self.of(name) != Variable::default()
    }

    /// Adds a value that the variable may have.
    pub(super) fn add(&mut self, name: &str, value: Variable) {
        if name == "IFS" {
            let is_blank = |text: &String| text.bytes().all(|byte| b" \t\n".contains(&byte));
            let is_usual = value.made == Made::NOT && value.written.iter().flatten().all(is_blank);
            self.splits_oddly |= !is_usual;
        }
        self.set.entry(name.to_owned()).or_default().add(value);
    }

    /// Adds what `$@` may be.
    pub(super) fn add_positional(&mut self, made: Made) {
        self.positional = self.positional.or(made);
    }

    /// Any variable may hold anything.
    pub(super) fn lose(&mut self) {
        self.is_wild = true;
    }
}
