use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

/// A root, and how what is obeyed in it stood last.
struct Watched {
    folder: TempDir,
    roots: Roots,
    known: ObeyedFiles,
}

impl Watched {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let roots = Roots::open(&[folder.path()]).expect("a root");
        let mut watched = Self { folder, roots, known: ObeyedFiles::default() };
        files.iter().for_each(|file| watched.write(file, "old\n"));
        watched.known = ObeyedFiles::look(&watched.roots);
        watched
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// What changed since it was looked last.
    fn changed(&mut self) -> Vec<String> {
        let now = ObeyedFiles::look(&self.roots);
        let changed = now.changed_since(&self.known);
        self.known = now;
        let root = self.folder.path().canonicalize().expect("a folder");
        let below = |path: &PathBuf| path.strip_prefix(&root).expect("below").display().to_string();
        changed.iter().map(below).collect()
    }

    /// Writes `text`; whether exactly that was seen.
    fn sees(&mut self, path: &str, text: &str) -> bool {
        self.write(path, text);
        let changed = self.changed();
        assert!(changed.iter().all(|file| file == path), "{path}: {changed:?}");
        !changed.is_empty()
    }
}

const CONFIG: &str = "[core]\n\tbare = false\n[remote \"o\"]\n\turl = a\n";

#[test]
fn what_editors_and_foveal_write_by_themselves_is_not_watched() {
    for (path, is_it) in [
        (".idea/workspace.xml", false),
        (".idea/runConfigurations/a.xml", true),
        (".vscode/tasks.json", true),
        (".mcp.json", true),
        (".claude.json", false),
        (".local/share/foveal/store.db-wal", false),
        (".config/foveal/config.toml", true),
        (".config/foveal/config.json", true),
        ("src/main.rs", false),
    ] {
        assert_eq!(is_watched(Path::new(path)), is_it, "{path}");
    }
}

#[test]
fn settings_of_git_are_seen_wherever_they_stand_on_a_line() {
    let mut watched = Watched::new(&[".git/HEAD"]);
    assert!(!watched.sees(".git/config", CONFIG));
    for more in [
        "[branch \"a\"] [core] fsmonitor = x",
        "[remote \"a\"] uploadpack = x",
        "[branch \"a\"][core]fsmonitor=y",
        "[core \"a",
    ] {
        assert!(watched.sees(".git/config", &format!("{CONFIG}{more}\n")), "{more}");
    }
    assert!(watched.sees(".git/config", CONFIG), "they are gone");
    assert!(!watched.sees(".git/config", &format!("{CONFIG}[branch \"a\"]\n\tmerge = b\n")));
    // Beyond what is read, each change counts.
    let large = format!("{CONFIG}{}", "# x\n".repeat(100_000));
    assert!(watched.sees(".git/config", &large));
    assert!(watched.sees(".git/config", &format!("{large}[core]\n\tfsmonitor = x\n")));
    assert!(watched.changed().is_empty());
}

#[test]
fn all_of_a_repository_that_may_run_something_is_looked_at() {
    let mut watched = Watched::new(&[
        ".git/HEAD",
        ".git/hooks/pre-push.sample",
        ".git/modules/a/b/HEAD",
        ".git/modules/a/b/modules/c/HEAD",
        ".git/worktrees/w/HEAD",
        ".hg/store/a",
    ]);
    for (path, text, is_seen) in [
        (".git/commondir", "../x\n", true),
        (".git/info/attributes", "* filter=x\n", true),
        (".git/config.worktree", "[core] hooksPath = x\n", true),
        (".git/hooks/pre-commit", "x", true),
        (".git/hooks/pre-commit.sample", "x", false),
        (".git/modules/a/b/config", CONFIG, false),
        (".git/modules/a/b/config", "[core] fsmonitor = x\n", true),
        (".git/modules/a/b/hooks/post-checkout", "x", true),
        (".git/modules/a/b/commondir", "x", true),
        (".git/modules/a/b/modules/c/config", "[core] fsmonitor = x\n", true),
        (".git/modules/d/config", "[core] fsmonitor = x\n", true),
        (".git/worktrees/w/commondir", "../..\n", false),
        (".git/worktrees/w/commondir", "../../x\n", true),
        (".git/worktrees/w/config.worktree", "[core] fsmonitor = x\n", true),
        (".git/worktrees/w/rebase-merge/git-rebase-todo", "x make\n", true),
        (".git/rebase-merge/git-rebase-todo", "pick 123 a\n", false),
        (".git/rebase-merge/git-rebase-todo", "pick 123 a\n exec\tevil\n", true),
        (".git/objects/a", "x", false),
        (".git/index", "x", false),
        (".hg/hgrc", "[hooks]\n", true),
        (".hg/store/b", "x", false),
        (".jj/repo/config.toml", "x", true),
        (".sl/config", "x", true),
    ] {
        assert_eq!(watched.sees(path, text), is_seen, "{path}: {text}");
    }
}

#[test]
fn full_folders_hide_no_name_that_is_known() {
    let mut watched = Watched::new(&[".git/HEAD", ".vscode/old.json"]);
    for number in 0..ENTRIES_MAX + 500 {
        watched.write(&format!("{number}.txt"), "");
    }
    assert!(watched.changed().is_empty());
    let root = watched.folder.path().canonicalize().expect("a folder");
    assert_eq!(watched.known.cut().collect::<Vec<_>>(), [&root]);
    for path in [
        ".envrc",
        ".npmrc",
        ".mcp.json",
        ".exrc",
        "gradlew",
        "lefthook.yml",
        "tools/bazel",
        ".Rprofile",
        ".git/hooks/pre-commit",
        ".vscode/tasks.json",
        ".claude/hooks/a/b/c.sh",
    ] {
        assert!(watched.sees(path, "x"), "{path}");
        fs::remove_file(watched.at(path)).expect("a file");
        assert_eq!(watched.changed(), [path]);
    }
    assert!(!watched.sees("a.txt", "x"));
    // A folder that is obeyed and full: what is known by name elsewhere is still seen.
    for number in 0..ENTRIES_MAX + 500 {
        watched.write(&format!(".vscode/a/{number}"), "");
    }
    watched.changed();
    assert!(watched.known.cut().any(|cut| cut == root.join(".vscode/a")));
    assert!(watched.sees(".git/hooks/pre-commit", "x") && watched.sees(".envrc", "x"));
    assert!(watched.sees(".claude/settings.json", "x"));
}

#[test]
fn folders_in_folders_that_are_obeyed_are_gone_through() {
    let notes = ".claude/worktrees/a/src/main.rs";
    let mut watched = Watched::new(&[".claude/hooks/a/b/y.sh", notes, "shared/vim/a.vim"]);
    assert!(watched.sees(".claude/hooks/a/b/y.sh", "x"));
    assert!(watched.sees(".claude/hooks/a/b/c/d/e/z.sh", "x"));
    assert!(watched.sees(".config/nvim/lua/a/b.lua", "x"));
    assert!(watched.sees("tools/bazel", "x") && !watched.sees("tools/a", "x"));
    assert!(watched.sees(".config/foveal/config.toml", "x"));
    assert!(!watched.sees(".local/share/foveal/a/config.toml", "x"));
    assert!(!watched.sees(".config/other/a", "x") && !watched.sees(notes, "x"));
    assert!(watched.known.cut().next().is_none());
    assert!(!watched.sees(".claude/1/2/3/4/5/6/7/8/9/a", "x"));
    assert_eq!(watched.known.cut().count(), 1, "it is said that there is more");
    // Links lead to what they name in the root.
    symlink("shared/vim", watched.at(".vim")).expect("a link");
    symlink("shared/mcp.json", watched.at(".mcp.json")).expect("a link");
    assert_eq!(watched.changed(), [".mcp.json", ".vim", ".vim/a.vim"]);
    watched.write("shared/vim/a.vim", "x");
    watched.write("shared/mcp.json", "x");
    assert_eq!(watched.changed(), [".mcp.json", ".vim/a.vim"]);
}

#[test]
fn files_that_should_hold_a_version_are_looked_into() {
    let mut watched = Watched::new(&[]);
    assert!(!watched.sees(".python-version", "3.12\n"));
    assert!(watched.sees(".python-version", "./evil\n"));
    assert!(watched.sees(".python-version", "3.13\n"));
    assert!(!watched.sees(".nvmrc", "lts/iron\n"));
}
