use super::*;
use ObeyedBy::{Agents, Editors, Foveal, Hooks, Patterns, Startup, VersionControl};

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
            ".continuerc.json",
            ".claude.json",
            "claude_desktop_config.json",
            ".kilocode/mcp.json",
            ".copilot/mcp-config.json",
            ".openhands/setup.sh",
            ".tabnine/mcp_servers.json",
            ".codebuddy/settings.json",
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
            "a.sublime-project",
            ".bsp/sbt.json",
            "buildServer.json",
            "hie.yaml",
            "rust-analyzer.toml",
            ".ycm_extra_conf.py",
            ".yarn/sdks/typescript/lib/tsserver.js",
            ".idx/dev.nix",
            ".codesandbox/tasks.json",
            ".stackblitzrc",
            ".externalToolBuilders/a.launch",
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
fn what_is_run_at_commits_and_installations_is_told() {
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
}

#[test]
fn what_is_run_at_commits_beside_hooks_is_told() {
    check(
        Some(Hooks),
        &[
            ".lintstagedrc",
            ".lintstagedrc.json",
            ".lintstagedrc.js",
            ".lintstagedrc.yaml",
            "web/lint-staged.config.mjs",
            ".nano-staged.json",
            "nano-staged.js",
            ".simple-git-hooks.json",
            ".simple-git-hooks.cjs",
            "simple-git-hooks.js",
            ".huskyrc",
            ".huskyrc.json",
            "husky.config.js",
            "prek.toml",
            "hk.pkl",
            "captainhook.json",
            "grumphp.yml",
            ".rusty-hook.toml",
            ".cargo-husky/hooks/pre-commit",
        ],
    );
}

#[test]
fn what_chooses_the_programs_of_a_build_or_stands_in_their_place_is_told() {
    check(
        Some(Hooks),
        &[
            "rust-toolchain",
            "rust-toolchain.toml",
            "crates/a/rust-toolchain.toml",
            "global.json",
            ".tool-versions",
            ".prototools",
            "mise.production.toml",
            ".mise.local.toml",
            ".bazelrc",
            "user.bazelrc",
            ".bazelversion",
            ".bazeliskrc",
            "tools/bazel",
            ".buckconfig",
            ".buckconfig.local",
            ".plzconfig_local",
            ".pants.bootstrap",
            "gradlew",
            "gradlew.bat",
            "gradle/wrapper/gradle-wrapper.jar",
            "gradle/gradle-daemon-jvm.properties",
            "mvnw",
            "mvnw.cmd",
            ".mvn/wrapper/maven-wrapper.jar",
            ".jvmopts",
            ".sbtopts",
            "pnpmfile.js",
            ".pnpmfile.mjs",
            ".config/pip/pip.conf",
            ".condarc",
            ".shadowenv.d/500.lisp",
            ".config/direnv/lib/a.sh",
        ],
    );
}

#[test]
fn what_is_run_at_starts_is_told() {
    check(
        Some(Startup),
        &[
            ".bashrc",
            ".zshenv",
            "sitecustomize.py",
            "v/lib/python3/site-packages/b.pth",
            ".gdbinit",
            ".ocamlinit",
            "bunfig.toml",
            ".pnp.cjs",
            ".Renviron",
            ".perldb",
            ".rdbgrc.rb",
            ".pdbrc.py",
            ".psysh.php",
            ".lldbinit-Xcode",
            ".config/environment.d/a.conf",
            ".local/share/systemd/user/a.service",
        ],
    );
    check(
        Some(Foveal),
        &[".config/foveal/config.toml", "foveal/config.toml", "foveal/config.json", ".foveal.json"],
    );
    check(
        Some(VersionControl),
        &[
            ".git/config",
            ".git/hooks/pre-commit",
            ".hg/hgrc",
            ".hgrc",
            ".sl/config",
            ".config/jj/a",
        ],
    );
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

#[test]
fn what_looks_like_a_setting_that_runs_and_is_none_is_not_asked_about() {
    // A version and nothing else: it chooses among what one maker publishes, or what is there.
    check(
        None,
        &[
            ".nvmrc",
            ".node-version",
            ".python-version",
            ".ruby-version",
            ".java-version",
            ".terraform-version",
            ".sdkmanrc",
        ],
    );
    // Filters and drivers by their names: what they run, the settings of the repository say. Of
    // `.gitmodules` git takes over addresses alone, no commands.
    check(None, &[".gitattributes", ".gitmodules", ".gitignore", ".lfsconfig"]);
    // They say what `package.json` and its like may say too, and everybody edits.
    check(
        None,
        &["deno.json", "deno.jsonc", "pnpm-workspace.yaml", "composer.json", "gradle.properties"],
    );
    // Run by name, or programs that are run by name.
    check(
        None,
        &[
            "build.gradle.kts",
            "pom.xml",
            "WORKSPACE",
            "MODULE.bazel",
            "Taskfile.yml",
            "Procfile",
            "Vagrantfile",
            "flake.nix",
            "docker-compose.override.yml",
            "nodemon.json",
            ".mocharc.js",
            ".rspec",
            "commitlint.config.js",
        ],
    );
    // Hooks that a repository offers to others.
    check(None, &[".pre-commit-hooks.yaml"]);
    check(
        None,
        &[
            "tools/bazel/defs.bzl",
            "src/gradlew.rs",
            "mise.rs",
            "docs/mise.md",
            "rust-toolchain.md",
            "bazelrc",
            "lintstagedrc.json",
            ".kilocode/rules/a.md",
            ".openhands/microagents/repo.md",
        ],
    );
}

#[test]
fn names_beside_those_that_are_obeyed_are_told() {
    check(
        Some(Agents),
        &[
            ".opencode.json",
            ".gitlab/duo/mcp.json",
            "gptme.toml",
            "codebuff.json",
            "conductor.json",
            ".superset/config.json",
        ],
    );
    check(
        Some(Editors),
        &[
            ".run/app.run.xml",
            "x.ipr",
            "rust-project.json",
            ".lsp/config.edn",
            ".merlin",
            ".factorypath",
            "_vimrc",
            ".local.vimrc",
            "devfile.yaml",
            ".gitpod/automations.yaml",
            ".latexmkrc",
        ],
    );
    check(
        Some(Hooks),
        &[
            "tools/bazel.bat",
            "tools/bazel.ps1",
            "mise/config.toml",
            ".mise/conf.d/a.toml",
            "lean-toolchain",
            ".sbtrc",
            ".pdm-python",
            ".corepack.env",
            ".moon/workspace.yml",
            "pip.conf",
        ],
    );
    check(
        Some(Startup),
        &[".RData", ".csirc", ".config/tmux/tmux.conf", ".wgetrc", ".julia/config/startup.jl"],
    );
    check(Some(VersionControl), &["_darcs/prefs/defaults", "CVS/Root"]);
    check(
        None,
        &["data/a.rdata", "cvs/readme", "tools/bazel.md", ".claude-plugin/plugin.json", "uv.toml"],
    );
}

#[test]
fn short_names_are_those_that_they_stand_for() {
    check(Some(VersionControl), &["git~1/config", "GIT~1/hooks/a", "GITCON~1", "a/GIT~2"]);
    check(
        Some(Agents),
        &["CLAUDE~1/settings.json", "MCP~1.JSO", "OPENCO~1.JSO", "GITHUB~1/hooks/a", "claud~12"],
    );
    check(Some(Editors), &["VSCODE~1/tasks.json", "LONGNA~1.COD"]);
    check(Some(Hooks), &["PRE-CO~1.YAM", "LEFTHO~1.YML", "LI12AB~1.JSO", "CONFIG~1/mise/a"]);
    check(Some(Startup), &["SITECU~1.PY", "BASHRC~1", "v/SITE-P~1/b.pth"]);
    check(
        None,
        &["a~1", "backup~1.txt", "CLAUDE~1/plans/a.md", "git~", "~1", "git~x", "gitx~1/config"],
    );
}

#[test]
fn what_should_hold_a_version_is_looked_into() {
    let by = |path: &str, content: &str| obeyed_by_content(Path::new(path), content.as_bytes());
    for (path, content) in [
        (".python-version", "3.12\n"),
        (".python-version", "# a\n3.13.0rc1\r\n3.12.1\n"),
        (".python-versions", "3.13t"),
        (".python-version", ""),
        (".nvmrc", "v22.1.0"),
        (".nvmrc", "lts/*"),
        (".node-version", "22"),
        (".ruby-version", "ruby-3.3.0"),
        (".java-version", "temurin-21.0.1"),
        (".sdkmanrc", "java=21.0.1-tem\n"),
        ("a.txt", "./evil"),
    ] {
        assert_eq!(by(path, content), None, "{path}: {content}");
    }
    for (path, content) in [
        (".python-version", "./evil"),
        (".python-version", "evil"),
        (".python-version", "3.12-evil"),
        ("sub/.PYTHON-VERSION", "/tmp/evil"),
        ("PYTHON~1", "3.12\n./evil"),
        (".nvmrc", "path:./evil"),
        (".ruby-version", "../../evil"),
        (".node-version", "a\\b"),
        (".java-version", "1..2"),
        (".sdkmanrc", "java=../../evil"),
    ] {
        assert_eq!(by(path, content), Some(ObeyedBy::Versions), "{path}: {content}");
    }
}
