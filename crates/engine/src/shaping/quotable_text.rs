//! Whether a result may be the text of a file, which a later edit must quote as it is.
//!
//! A file arrives by many ways: `git show`, scripts, tools of other servers. Only output of a
//! command line that names no file, and listings, are certainly no file's text.

use foveal_tool_effects::EffectKind;

use super::draft::ShapeDraft;

/// Returns whether an edit may quote a result, so that none of its lines may be spelled anew.
pub(super) fn is_quotable(draft: &ShapeDraft<'_>) -> bool {
    let facts = draft.facts;
    if !facts.printed.paths.is_empty() {
        return true;
    }
    match facts.kind() {
        EffectKind::List => false,
        EffectKind::Run => {
            let command = facts.call.as_ref().and_then(|call| call.effect.command.as_deref());
            command.is_none_or(may_print_file)
        }
        EffectKind::Read
        | EffectKind::Search
        | EffectKind::Edit
        | EffectKind::Write
        | EffectKind::Fetch
        | EffectKind::Other => true,
    }
}

/// Returns whether a command line names a file, or a program that prints files it does not name.
fn may_print_file(command: &str) -> bool {
    let is_separator = |c: char| c.is_whitespace() || "'\"`;|&<>()=:,{}[]$".contains(c);
    let mut words = command.split(is_separator).filter(|word| !word.is_empty());
    let mut before = "";
    words.any(|word| {
        let is_folder = before == "cd";
        before = word;
        let prints_files = matches!(word, "git" | "xargs");
        prints_files || (!is_folder && word != "/dev/null" && is_file_name(word))
    })
}

fn is_file_name(word: &str) -> bool {
    let has_extension = || {
        let (stem, extension) = word.rsplit_once('.').unwrap_or_default();
        !stem.is_empty() && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    word.contains(['/', '*', '?']) || has_extension()
}

#[cfg(test)]
mod tests {
    use super::may_print_file;

    #[test]
    fn command_lines_that_may_print_a_file_are_told_from_others() {
        for command in [
            "git show HEAD:a.json",
            "git cat-file -p 1a2b3c",
            "node tool.cjs get a.json",
            "jq . <a.json",
            "ls | xargs cat",
            "docker exec web cat /etc/app",
            "head *",
        ] {
            assert!(may_print_file(command), "{command}");
        }
        for command in [
            "kubectl get pods -o json",
            "cd /work/app && docker inspect web 2>/dev/null",
            "aws ec2 describe-instances --max-items 1.5",
            "make all",
        ] {
            assert!(!may_print_file(command), "{command}");
        }
    }
}
