//! How the model gets back what is left out: its one way is a shell, in which this program may
//! not be found by its name.

use foveal_transcript::Handle;

use crate::clients::Program;
use crate::environment::Environment;

/// The command that prints what stands behind a handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expand {
    /// Without the handle.
    pub(super) command: String,
}

impl Expand {
    /// With the absolute path of this program.
    pub(super) fn new(environment: &Environment) -> Option<Self> {
        let program = Program::own(environment).ok()?;
        Some(Self { command: format!("{} expand", quoted(program.shown())) })
    }

    /// The whole command.
    pub(super) fn of(&self, handle: Handle) -> String {
        format!("{} {handle}", self.command)
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-+=:,@".contains(sign);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_spaces_in_its_path_is_quoted() {
        assert_eq!(quoted("/usr/bin/foveal"), "/usr/bin/foveal");
        assert_eq!(quoted("/my tools/it's/foveal"), r"'/my tools/it'\''s/foveal'");
    }
}
