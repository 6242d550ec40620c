use super::*;

fn check(by: Option<ObeyedBy>, paths: &[&str]) {
    for path in paths {
        assert_eq!(obeyed_by(Path::new(path)), by, "{path}");
    }
}

#[test]
fn what_others_obey_unasked_is_told() {
    check(
        Some(Agents),
        &[
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/hooks/format.sh",
            ".claude/commands/a.md",
            "web/.claude/skills/a/run.py",
            ".mcp.json",
            "a/b/.mcp.json",
            ".codex/config.toml",
            ".cursor/mcp.json",
            ".cursor/hooks.json",
            ".gemini/settings.json",
            ".qwen/settings.json",
            ".opencode/plugin/a.ts",
            "opencode.json",
            "opencode.jsonc",
            ".continue/config.yaml",
            ".clinerules/hooks/PreToolUse",
            ".github/hooks/a.json",
            ".config/opencode/opencode.json",
        ],
    );
    check(
        Some(Editors),
        &[
            ".vscode/tasks.json",
            ".vscode/settings.json",
            ".vscode/launch.json",
            "a.code-workspace",
            ".idea/workspace.xml",
            ".idea/runConfigurations/a.xml",
            ".zed/tasks.json",
            ".helix/languages.toml",
            ".devcontainer/devcontainer.json",
            ".devcontainer.json",
            ".exrc",
            "a/.dir-locals.el",
        ],
    );
}

#[test]
fn names_that_are_options_are_told() {
    check(
        Some(Patterns),
        &[
            "--checkpoint-action=exec=sh a",
            "src/-e",
            "--to-command=sh a.sh/b",
            "\u{ff0d}\u{ff0d}pre=a",
            "\u{200b}--pre=a",
        ],
    );
    check(None, &["-", "a-b", "src/a--b", "a/-/b"]);
}

#[test]
fn what_is_run_at_commits_installations_and_starts_is_told() {
    check(
        Some(Hooks),
        &[
            ".husky/pre-commit",
            ".githooks/pre-push",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            ".lefthook.toml",
            ".npmrc",
            ".yarnrc.yml",
            ".yarn/releases/yarn-4.cjs",
            ".pnpmfile.cjs",
            ".cargo/config.toml",
            ".cargo/config",
            ".envrc",
            "mise.toml",
            ".mvn/jvm.config",
        ],
    );
    check(
        Some(Startup),
        &[
            ".bashrc",
            ".zshenv",
            "sitecustomize.py",
            "v/lib/python3/site-packages/b.pth",
            ".gdbinit",
        ],
    );
    check(
        Some(Foveal),
        &[".config/foveal/config.toml", "foveal/config.toml", "foveal/config.json", ".foveal.json"],
    );
    check(Some(VersionControl), &[".git/config", ".git/hooks/pre-commit", ".hg/hgrc"]);
}

#[test]
fn other_spellings_of_a_name_are_that_name() {
    for path in [
        ".CLAUDE/Settings.json",
        ".claude./settings.json",
        ".claude /settings.json",
        ".cla\u{200c}ude/settings.json",
        "\u{feff}.claude/settings.json",
        ".\u{ff43}laude/settings.json",
        ".claude/./settings.json",
        ".MCP.json",
        ".mcp.json. .",
        ".mcp.json::$DATA",
    ] {
        check(Some(Agents), &[path]);
    }
    check(Some(Editors), &[".v\u{17f}code/tasks.json", ".VSCODE/tasks.json"]);
    check(Some(VersionControl), &[".g\u{200d}it/config", ".git./hooks/a"]);
}

#[test]
fn ordinary_work_is_not_asked_about() {
    check(
        None,
        &[
            "",
            "Makefile",
            "package.json",
            "build.rs",
            "conftest.py",
            "justfile",
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            ".gitignore",
            ".gitattributes",
            ".editorconfig",
            ".eslintrc.js",
            "eslint.config.js",
            "Cargo.toml",
            "pyproject.toml",
            "setup.py",
            "CLAUDE.md",
            "AGENTS.md",
            ".claude/CLAUDE.md",
            ".claude/plans/a.md",
            ".claude/worktrees/a/src/main.rs",
            ".cursor/rules/a.mdc",
            ".clinerules/style.md",
            "src/claude/settings.json",
            "vscode/tasks.json",
            "docs/config.toml",
            "foveal/src/config.rs",
            "mcp.json",
            "models/best.pth",
            ".cargo/audit.toml",
            ".config/nextest.toml",
            "husky/pre-commit",
        ],
    );
    check(Some(Agents), &[".claude/worktrees/a/.claude/settings.json"]);
}
