//! Failed commands. Claude Code truncates their output before it calls a hook, and ignores a
//! replacement. The removed part is stored nowhere.

/// The marker in place of the removed middle, after the number of characters.
const TRUNCATION_MARKER: &str = " characters truncated] ...";

/// Returns the advice for the model if the error of a command was truncated.
pub(super) fn truncation_advice(error: &str) -> Option<String> {
    let (before, _) = error.split_once(TRUNCATION_MARKER)?;
    let count = before.rsplit_once("... [")?.1;
    let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    // The number counts characters of an output that had been truncated once before.
    is_number.then(|| {
        "foveal: the output above is cut, possibly by much more than the number in it says, and \
         the rest is kept nowhere. To see it, run the command again with its output in a file, as \
         in `COMMAND > /tmp/out 2>&1`, and read what you need of that."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::truncation_advice;

    #[test]
    fn only_what_was_cut_is_told_of() {
        let told = truncation_advice("Exit code 4\n1\n\n... [20012 characters truncated] ...\n\n9");
        assert!(told.is_some_and(|told| told.contains("more than the number")));
        for error in ["Exit code 1\nno", "say [x characters truncated] ...", ""] {
            assert_eq!(truncation_advice(error), None, "{error}");
        }
    }
}
