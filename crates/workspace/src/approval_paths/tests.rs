use super::*;

fn check(reason: Option<ApprovalReason>, paths: &str) {
    for path in paths.split_whitespace() {
        assert_eq!(approval_reason(Path::new(path)), reason, "{path}");
    }
}

#[test]
fn what_other_programs_run_unasked_needs_approval() {
    check(
        Some(VersionControl),
        ".git .git/hooks/pre-commit .git/config sub/.git web/.git/info/attributes .hg/hgrc \
         .jj/repo/config.toml a.git/hooks/post-receive .gitconfig .config/git/config",
    );
    check(
        Some(Agents),
        ".claude/settings.json .claude/hooks/format.sh web/.claude/skills/a/run.py .mcp.json \
         a/b/.mcp.json .codex/config.toml .cursor/mcp.json .gemini/settings.json \
         .opencode/plugin/a.ts opencode.json opencode.jsonc .continue/config.yaml \
         .clinerules/hooks/PreToolUse .github/hooks/a.json .config/opencode/opencode.json",
    );
    check(
        Some(Editors),
        ".vscode/tasks.json web/.vscode/settings.json a.code-workspace .idea/workspace.xml \
         .zed/tasks.json .helix/languages.toml .devcontainer/devcontainer.json .devcontainer.json \
         .exrc a/.dir-locals.el .config/nvim/init.lua",
    );
    check(
        Some(Hooks),
        ".husky/pre-commit .husky/_/h .githooks/pre-push .pre-commit-config.yaml lefthook.yml \
         .lefthook-local.toml .lintstagedrc.json lint-staged.config.mjs .simple-git-hooks.json \
         .npmrc .yarnrc.yml .pnpmfile.cjs .envrc mise.toml .mise.toml \
         .tool-versions rust-toolchain rust-toolchain.toml .cargo/config a/.cargo/config.toml \
         pip.conf .bazelrc ci.bazelrc .mvn/extensions.xml gradlew gradlew.bat mvnw \
         gradle/wrapper/gradle-wrapper.properties .gradle/init.gradle.kts \
         .yarn/releases/yarn-4.cjs",
    );
    check(
        Some(Startup),
        ".bashrc .zshrc .profile sitecustomize.py venv/lib/site-packages/a.pth .gdbinit \
         .lldbinit-Xcode .Rprofile .ssh/config .local/bin/ls .cargo/bin/cargo bunfig.toml \
         .config/systemd/user/a.service .pnp.cjs",
    );
    check(Some(Foveal), ".foveal.toml web/.foveal.json foveal/config.toml .config/foveal/a");
    check(Some(Options), "--checkpoint-action=exec=sh src/-e -a/b");
}

#[test]
fn other_spellings_of_a_name_are_that_name() {
    check(
        Some(Agents),
        ".CLAUDE/settings.json .cla\u{200b}ude/settings.json .\u{ff43}laude/a .claude./a .Mcp.JSON",
    );
    check(Some(VersionControl), ".GIT/config .g\u{200c}it/config .git.");
    check(Some(Editors), "A.Code-Workspace");
}

#[test]
fn ordinary_work_needs_none() {
    check(
        None,
        "Makefile package.json build.rs conftest.py CLAUDE.md AGENTS.md src/main.rs a.pth \
         model/a.pth .gitignore .gitattributes .gitmodules .editorconfig .prettierrc \
         .eslintrc.js pyproject.toml docs/hooks/a.md vscode/a.ts github/workflows/a.yml \
         .github/workflows/ci.yml .github/ISSUE_TEMPLATE.md .nvmrc .python-version - src/-/a Dockerfile config.toml \
         mise/a.toml xmise.toml .claude.md a.npmrc",
    );
}

#[test]
fn a_working_copy_in_a_folder_of_an_agent_is_a_tree_of_its_own() {
    check(None, ".claude/worktrees/one/src/a.rs .cursor/worktrees/one/Makefile");
    check(Some(Agents), ".claude/worktrees/one/.claude/settings.json .claude/worktrees.json");
    check(Some(VersionControl), ".claude/worktrees/one/.git");
    check(Some(VersionControl), ".git/a/.claude/worktrees/one/.git/config");
}
