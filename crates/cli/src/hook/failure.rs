//! Commands that fail: Claude Code cuts what they print before any hook is told, and takes no other
//! text for it. What was cut is kept nowhere.

/// What stands where the middle was, after the number of characters.
const CUT: &str = " characters truncated] ...";

/// What the model is told beside the error of a command, if some of that was cut away.
pub(super) fn advice(error: &str) -> Option<String> {
    let (before, _) = error.split_once(CUT)?;
    let count = before.rsplit_once("... [")?.1;
    let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    // The number counts from what was left of the output, which was cut once before.
    is_number.then(|| {
        "foveal: the output above is cut, possibly by much more than the number in it says, and \
         the rest is kept nowhere. To see it, run the command again with its output in a file, as \
         in `COMMAND > /tmp/out 2>&1`, and read what you need of that."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn only_what_was_cut_is_told_of() {
        let told = advice("Exit code 4\n1\n\n... [20012 characters truncated] ...\n\n9");
        assert!(told.is_some_and(|told| told.contains("more than the number")));
        for error in ["Exit code 1\nno", "say [x characters truncated] ...", ""] {
            assert_eq!(advice(error), None, "{error}");
        }
    }
}
