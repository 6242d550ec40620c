//! Words that may become options, and the everyday lines beside.

use crate::shell::commands::CommandLine;

/// The lines that are not of this kind.
#[track_caller]
fn check(lines: &[&str], is_meant: fn(&CommandLine) -> bool) {
    let others: Vec<&&str> =
        lines.iter().filter(|line| !is_meant(&CommandLine::of(line))).collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
// tidy: table
fn words_that_are_made_elsewhere_may_become_options() {
    check(
        &[
            // Substitutions.
            "sed s/a/b/ f $(echo -e1eid)",
            "sed s/a/b/ f `echo -e1eid`",
            "sed s/a/b/ f \"$(cat x)\"",
            "sed s/a/b/ f x$(echo ' -e1eid')",
            "sed -n$(cat x) f",
            "sed s/a/b/ f {a,$(cat x)}",
            "sed s/a/b/ $'\\x2de1eid'",
            "timeout 5 sed s/a/b/ $(cat x)",
            "sh -c 'sed s/a/b/ $(cat x)'",
            "rg a \"$(echo --pre=./evil)\"",
            "rg -e -e \"$(echo --pre=./evil)\"",
            "rg -e $NONE -e \"$(echo --pre=./evil)\"",
            "rg --fixed -e \"$(echo --pre=./evil)\"",
            "rg -e $(cat x) y",
            "rg -e -- \"$(cat x)\"",
            "git grep x $(cat list)",
            "git $(cat list)",
            "git -C $(cat x) status",
            "git fetch \"$(cat x)\"",
            "git bisect $(echo run) rm",
            "git submodule \"$(cat x)\"",
            "tar xf a.tar $(cat list)",
            "tar \"$(cat x)\" a",
            "make $(cat list)",
            "make -- $(cat list)",
            "make -j \"$(cat n)\"",
            "awk -F : $(cat x) '{ print }'",
            "awk -f a.awk $(cat x)",
            "go test $(cat x)",
            "cargo test $(cat x)",
            "docker $(cat x) ps",
            "sqlite3 a \"$(cat x)\"",
            "ssh host $(cat x)",
            "rsync a \"$(cat x)\"",
            "sort $(cat x)",
            "gcc -c $(cat x)",
            "find . $(echo -exec id \\;)",
            "find . -exec echo {} \"$(echo ';')\" -exec id ';'",
            "find . -exec sed p $(cat x) {} +",
            // Commands that print what they are told to.
            "sed s/a/b/ f $(printf '%s' -e1eid)",
            "sed s/a/b/ f $(printf '\\055e1eid')",
            "sed s/a/b/ f $(date +-e1eid)",
            "sed s/a/b/ f $(TZ='<-e1eid>0' date +%Z)",
            "sed s/a/b/ f $(seq -f -e1eid 1)",
            "sed s/a/b/ f $(basename x -e1eid)",
            "sed s/a/b/ f $(git rev-parse -e1eid)",
            "sed s/a/b/ f $(git log -1 --format=-e1eid)",
            "sed s/a/b/ f $(git tag --forma=-e1eid)",
            "sed s/a/b/ f $(git log -C describe --format=-e1eid)",
            "sed s/a/b/ f $(wc -l -- -e1eid)",
            "sed s/a/b/ f $(mktemp -u -- -e1eidXXX)",
            "sed s/a/b/ f $(expr substr x-e1eid 2 6)",
            "sed s/a/b/ f $(ls | sed 's/^/-/')",
            "sed s/a/b/ f $(./pwd)",
            "sed s/a/b/ f $(head -1 list)",
            "gcc x.c $(pkg-config --cflags ./evil.pc)",
            "PKG_CONFIG_PATH=. ; gcc x.c $(pkg-config --cflags evil)",
            // Variables that the line sets.
            "X=-e1eid; sed s/a/b/ f \"$X\"",
            "X='a -e1eid'; sed s/a/b/ f $X",
            "X=e1eid; sed s/a/b/ f -n$X",
            "X=e1eid; sed s/a/b/ f $NONE-$X",
            "sed s/a/b/ f $NONE-e1eid",
            "sed s/a/b/ f ${NONE:--e1eid}",
            "sed s/a/b/ f \"${NONE:=-e1eid}\"",
            "Y=-e1eid; X=$Y; sed s/a/b/ f $X",
            "X=x-e1eid; sed s/a/b/ f ${X#x}",
            "X=x-e1eid; sed s/a/b/ f ${X:1}",
            "IFS=x; X=ax-e1eid; sed s/a/b/ f $X",
            "X=$(cat x); sed s/a/b/ f \"$X\"",
            "X=(f -e1eid); sed s/a/b/ \"${X[@]}\"",
            "X=([0]=-e1eid); sed s/a/b/ f ${X[0]}",
            "X=([0]=\"$(cat x)\"); sed s/a/b/ f ${X[0]}",
            "X=f; X+=-e1eid; X[1]=-e1eid; sed s/a/b/ f $X",
            "for X in f -e1eid; do sed s/a/b/ f $X; done",
            "read X < x; sed s/a/b/ f \"$X\"",
            "echo -e1eid | while read -r X; do sed s/a/b/ f \"$X\"; done",
            "read X Y < <(ls); sed s/a/b/ f \"$Y\"",
            "read <<< -e1eid; sed s/a/b/ f $REPLY",
            "ls | while IFS= read -r -d x X; do sed s/a/b/ f \"$X\"; done",
            "mapfile -t X < x; sed s/a/b/ f \"${X[@]}\"",
            "printf -v X %s -e1eid; sed s/a/b/ f $X",
            "export X=-e1eid; sed s/a/b/ f $X",
            "declare -n X=Y; Y=-e1eid; sed s/a/b/ f $X",
            "export \"$(echo X=-e1eid)\"; sed s/a/b/ f $X",
            "eval X=-e1eid; sed s/a/b/ f $X",
            "set -- -e1eid; sed s/a/b/ f \"$@\"",
            "sh -c 'sed s/a/b/ f \"$1\"' x -e1eid",
            "X=-e1eid sh -c 'sed s/a/b/ f $X'",
            "env X=-e1eid sh -c 'sed s/a/b/ f $X'",
            "echo -e1eid; sed s/a/b/ f $_",
            "sed s/a/b/ f $BASH_EXECUTION_STRING # -e1eid",
            "[[ x-e1eid =~ -.* ]]; sed s/a/b/ f $BASH_REMATCH",
            "X=SHELL=./evil; make $X",
            "for X in all SHELL=./evil; do make $X; done",
            "X='.shell rm a'; sqlite3 a \"$X\"",
            "X='-exec id ;'; find . $X",
            "X=';'; find . -exec echo {} \"$X\" -exec id ';'",
            "OPTIONS='-c core.pager=./evil'; git $OPTIONS log",
            // What feeders are fed.
            "echo -e1eid | xargs sed s/a/b/ f",
            "printf '%s%s' - e1eid | xargs sed s/a/b/ f",
            "xargs sed s/a/b/ f < x",
            "xargs sed s/a/b/ f <<< -e1eid",
            "xargs -a x sed s/a/b/ f",
            "cat x | xargs sed s/a/b/ f",
            "cat x | xargs -I{} sed s/a/b/ f {}",
            "cat x | xargs -I{} sed s/a/b/ f -n{}",
            "ls | sed 's/^/-/' | xargs sed s/a/b/",
            "ls | xargs -dx sed s/a/b/",
            "cat x | xargs timeout 5 sed s/a/b/ f",
            "parallel sed s/a/b/ f ::: -e1eid",
            "cat x | parallel sed s/a/b/ f",
        ],
        |line| !line.is_clear,
    );
}

#[test]
fn names_of_files_may_become_options() {
    check(
        &[
            "sed -i s/a/b/ *",
            "sed -i s/a/b/ *.rs",
            "sed -i s/a/b/ */*.rs ?x [ab]*",
            "sed -n 5p -*",
            "for f in *; do sed -i s/a/b/ $f; done",
            "for f in *.rs; do sed -i s/a/b/ \"$f\"; done",
            "for f in src/*.rs; do sed -i s/a/b/ $f; done",
            "f=*; sed -i s/a/b/ $f",
            "ls | xargs sed -i s/a/b/",
            "ls *.rs | head -3 | xargs -I{} sed -i s/a/b/ {}",
            "rg -l x | xargs sed -i s/a/b/g",
            "grep -rl x | sort -u | xargs -n1 tar tf",
            "git ls-files | grep rs | xargs rg x",
            "git diff --name-only | xargs tar cf x.tar",
            "find . -name '*.rs' | xargs rg x",
            "find . -name '*.rs' | xargs grep -l x | xargs sed -i s/a/b/",
            "grep -rn x | cut -d: -f1 | sort -u | xargs sed -i s/a/b/",
            "sed -i s/a/b/ $(rg -l a)",
            "sed -i s/a/b/ $(git diff --name-only)",
            "git ls-files | while read -r f; do sed -i s/a/b/ \"$f\"; done",
            "while read -r f; do sed -i s/a/b/ \"$f\"; done < <(find . -name '*.c')",
            "mapfile -t F < <(git ls-files); sed -i s/a/b/ \"${F[@]}\"",
            "tar -cf x.tar *",
            "rg x $(pwd)",
            "sh -c 'sed -i s/a/b/ *'",
            "find * -name x",
        ],
        |line| line.is_clear && line.takes_names,
    );
}

#[test]
// tidy: table
fn everyday_words_become_no_options() {
    check(
        &[
            "git commit -m \"$(cat <<'EOF'\nfix: what `this` $(does)\n\n- one\n- two\nEOF\n)\"",
            "git commit -m \"$(cat msg)\" && git push origin \"$(git branch --show-current)\"",
            "git commit -F \"$(mktemp)\"; git add $(git ls-files -m); git add *; git diff $(cat list)",
            "git log $(git merge-base main HEAD)..; git show $(git rev-parse HEAD~1):a; git log -$n",
            "git log $(git describe --tags --abbrev=0)..HEAD; git checkout -b \"x-$(date +%s)\"",
            "git -C \"$(git rev-parse --show-toplevel)\" status; git -C \"$(pwd)\" grep x",
            "git rebase $(git merge-base main HEAD); git clone \"$URL\" x; git grep -e \"$(cat pat)\"",
            "git grep x -- $(cat list); git ls-files | xargs wc -l; git ls-files | xargs git add",
            "make -j$(nproc); make -j $(nproc); make \"$TARGET\" V=1; make -C \"$(pwd)\" -j\"$(nproc)\"",
            "docker run -v \"$(pwd)\":/x img; docker run -v $(pwd):/x -w /x img make",
            "docker exec $(docker ps -q) ls; docker rm -f $(docker ps -aq); docker run img $(cat x)",
            "kubectl logs $(kubectl get pods -o name | head -1); kubectl exec x -- $(cat y)",
            "tar -C \"$(pwd)\" -cf x.tar src; tar czf \"$(date +%F).tgz\" src; tar tf \"$(ls *.tgz | head -1)\"",
            "tar cf \"$(cat name)\" src; tar -cf \"$(cat name)\" src; tar xf a.tar -- $(cat list)",
            "cargo test -p \"$(cat x)\"; cargo build -j$(nproc); cargo build --jobs $(nproc)",
            "go test $(go list ./... | grep -v x); go build -o \"$(cat name)\" .",
            "go build -ldflags \"-X main.v=$(git describe)\"; gcc x.c $(pkg-config --cflags --libs gtk4)",
            "rg foo $DIR; rg \"$PATTERN\" \"$DIR\"; rg -e \"$(cat pat)\"; rg -n -e \"$(cat pat)\" -- $(cat list)",
            "rg x ~/a \"./$(cat y)\" \"a/$(cat y)\"; rg -g \"$(cat x)\" y; rg x \"$(pwd)\"/src; rg x src/*.rs",
            "sed -i s/a/b/ src/*.rs ./*.rs; for f in src/*.rs; do sed -i s/a/b/ \"$f\"; done",
            "for f in a.rs b.rs; do sed -i s/a/b/ $f; done; for i in {1..5}; do sed -n \"1,${i}p\" f; done",
            "for i in $(seq 5); do sed -n \"1,${i}p\" f; done; n=$(wc -l < f); sed -n \"1,${n}p\" f",
            "n=5; sed -n \"1,${n}p\" f; f=a.rs; sed -i s/a/b/ $f \"$f\" ${f%.rs}.c; sed -n \"1,${b}p\" f",
            "D=$(mktemp -d); tar -xf a.tar -C \"$D\"; tar -C $D -xf a.tar; F=x/$(cat y); sed p \"$F\"",
            "DIR=$(cd \"$(dirname x)\" && pwd); rg x \"$DIR\"; rg x \"${DIR:-.}\"; V=$(cat v); git tag \"v$V\"",
            "find . -print0 | xargs -0 sed -i s/a/b/; find . -name \"$(cat x)\" -exec sed -n p {} +",
            "find src -name '*.c' -print0 | while IFS= read -r -d '' f; do sed -i s/a/b/ \"$f\"; done",
            "find \"$DIR\" -name x -exec grep -n \"$y\" {} +; find . -name *.rs; echo a b | xargs rg",
            "ls | xargs -I{} rg x ./{}; ls | xargs rg x --; seq 3 | xargs -n1 rg; printf '%s\\n' a b | xargs rg",
            "OPTS='-l -i'; rg $OPTS x; ARGS=(-n -i); rg \"${ARGS[@]}\" x; CFLAGS='-O2 -g'; gcc $CFLAGS x.c",
            "awk '{ print }' $(cat list); awk -F: '{ print $1 }' *; awk -v a=\"$(cat x)\" '{ print a }' f",
            "ssh \"$HOST\" 'ls $(cat x)'; ssh host \"cd a && $(cat x)\"; rsync -av \"$SRC\" host:",
            "export $(cat .env); cargo run; echo $(cat x) *; grep -rn x $(cat list) *; ls *",
            "sudo -u \"$USER\" make -j$(nproc); cargo test $TEST; psql \"$DATABASE_URL\"",
            "git log --format=\"$(cat x)\" -$n; git stash push -m \"$(date)\"; git show \"$rev\":a",
        ],
        |line| line.is_clear,
    );
    check(
        &[
            "sed -i s/a/b/ src/*.rs ./*.rs; for f in src/*.rs; do sed -i s/a/b/ \"$f\"; done",
            "find . -print0 | xargs -0 sed -i s/a/b/; make -j$(nproc); rg x \"$(pwd)\"/src $DIR",
            "git add *; ls *; git log -- *; rg x -- *; awk '{ print }' *; rg -g '*.rs' x",
            "docker run -v \"$(pwd)\":/x img; tar -C \"$(pwd)\" -cf x.tar src; cargo test $TEST",
        ],
        |line| line.is_clear && !line.takes_names,
    );
}

#[test]
fn folders_are_told_in_their_order() {
    let line = CommandLine::of("cd a && sed p *; pushd b; (cd \"$x\"); cd -; cd 'c d'");
    let folders: Vec<Option<&str>> = line.folders.iter().map(Option::as_deref).collect();
    assert_eq!(folders, [Some("a"), Some("b"), None, None, Some("c d")]);
    assert!(CommandLine::of("sed p *; echo cd a").folders.is_empty());
    assert_eq!(CommandLine::of("sh -c 'cd a; sed p *'").folders, [Some("a".to_owned())]);
}

#[test]
fn deep_and_long_lines_end() {
    for (begin, middle, end) in [
        ("echo $(", "sed p x", ")"),
        ("echo a | xargs sed p; ", "", ""),
        ("echo a | xargs ", "sed p", ""),
        ("(", "ls | xargs sed p", ")"),
        ("x=$y; y=$x; ", "sed p $x", ""),
        ("x=\"$(", "ls", ")\""),
    ] {
        let many = 2_000;
        let line = CommandLine::of(&(begin.repeat(many) + middle + &end.repeat(many)));
        assert!(!line.commands.is_empty(), "{begin}");
    }
}

#[test]
// tidy: table
fn what_is_put_into_a_script_is_code_of_it() {
    check(
        &[
            // Of a shell: names of files, what is read, values of the line.
            "ls | xargs -I{} sh -c 'cat {}'",
            "ls | xargs -I % bash -lc \"echo %\"",
            "ls | xargs -0rI{} sh -c 'cat {}'",
            "ls | xargs -rI {} sh -c 'cat {}'",
            "ls | xargs -i sh -c 'cat {}'",
            "ls | xargs --replace=X sh -c 'cat X'",
            "ls | xargs -J % sh -c 'cat %'",
            "ls | xargs -I@ timeout 5 env sh -c 'cat @'",
            "ls | xargs -I{} su me -c 'cat {}'",
            "ls | xargs -I{} watch -n1 'cat {}'",
            "ls | while read f; do sh -c \"cat $f\"; done",
            "for f in *; do bash -c \"cat '$f'\"; done",
            "for f in *; do eval \"cat $f\"; done",
            "for f in *; do trap \"rm $f\" EXIT; done",
            "for f in *; do script -qc \"cat $f\" log; done",
            "x='a; rm y'; sh -c \"cat $x\"",
            "x='$(rm y)'; timeout 5 sh -c \"cat $x\"",
            "find . -exec sh -c 'sh -c \"cat $1\"' _ {} +",
            "find . -exec sh -c 'eval cat $1' _ {} +",
            "sh -c \"ls $(cat x)\"",
            // Of sed and awk.
            "awk \"NR==$(cat x)\" f",
            "n=$(cat x); awk \"NR==$n\" f",
            "read n <x; awk -e \"NR==$n\" f",
            "for p in *; do awk \"/$p/\" f; done",
            "sed \"s/a/$(cat x)/\" f",
            "while read p; do sed -i -e \"s/$p/y/\" f; done <x",
            "while read p; do sed --expression=\"s/$p/y/\" f; done <x",
            "cat x | xargs -I{} sed 's/a/{}/' f",
            "ls | xargs -I{} awk '/{}/' f",
            "find . -exec sed -n '/{}/p' f ';'",
            // A digit may end an expression.
            "sed \"s2a$((1+1))x2e2p\" f",
            "n=2; sed \"s2a${n}x2e2p\" f",
            "sed \"#$(grep -n x f | cut -d: -f1)e rm y\" f",
            // What is not set for sure is what the environment has.
            "sed -n \"${n}p\" f; n=3",
            "false && n=5; sed -n \"${n}p\" f",
            "true || n=5; sed -n \"${n}p\" f",
            "n=5 & sed -n \"${n}p\" f",
            "n=5 | sed -n \"${n}p\" f",
            "(n=5); sed -n \"${n}p\" f",
            "n=5 sed -n \"${n}p\" f",
            "if x; then n=5; fi; sed -n \"${n}p\" f",
            "for n in 1 2; do :; done <f; unset n; sed -n \"${n}p\" f",
            "n=5; n='1e rm y;#'; sed -n \"${n}p\" f",
            "n=5; n+='e rm y;#'; sed -n \"${n}p\" f",
            "n=5; read n; sed -n \"${n}p\" f",
            "n=5; . ./x; sed -n \"${n}p\" f",
            "PWD=5; cd x; sed -n \"${PWD}p\" f",
            "n=5; sed -n \"${n}e rm y\" f",
            "n=$(grep -c x -r .); sed -n \"${n}p\" f",
            "n=$(LC_ALL=C x; wc -l <f); sed -n \"${n}p\" f",
            // What parallel is fed, or given, it runs.
            "ls | parallel",
            "parallel <x",
            "parallel -j 4 -a x",
            "parallel ::: 'rm y' ls",
            "ls | parallel echo '{= system(\"rm y\") =}'",
            "ls | parallel --rpl '{x} system(1)' echo {x}",
        ],
        |line| !line.is_clear,
    );
}

#[test]
// tidy: table
fn numbers_and_names_are_no_code() {
    check(
        &[
            "n=5; sed -n \"${n}p\" f",
            "s=10; e=20; sed -n \"$s,${e}p\" f",
            "cd a && n=5 && sed -n \"${n}p\" f",
            "n=5 && cd a && sed -i \"${n}d\" f",
            "for n in 1 2 3; do sed -n \"${n}p\" f; done",
            "for n in {1..5}; do sed -n \"$n p\" f; done",
            "for n in $(seq 1 5); do sed -n \"${n}p\" f; done",
            "for f in a b; do n=3; sed -n \"${n}p\" \"$f\"; done",
            "sed -n \"$((n+1))p\" f; sed -n \"${#x}p\" f",
            "n=$(wc -l <f); sed -n \"$((n-10)),${n}p\" f",
            "n=$(grep -n 'fn x' f | head -1 | cut -d: -f1); sed -n \"${n},$((n+9))p\" f",
            "n=$(grep -c x f); sed \"${n}s/a/b/\" f",
            "awk \"NR==$((n+1))\" f; n=5; awk \"NR==$n\" f",
            "seq 5 | xargs -I{} sed -n '{}p' f",
            "sed -i -e s/a/b/ \"./$(cat x)\"; for f in a*; do sed -e s/a/b/ \"./$f\"; done",
            "awk '{ print }' \"x/$(cat x)\"; awk -v a=\"$(cat x)\" '{ print a }' f",
            "x=a.rs; sh -c \"cat $x\"; bash -c \"cat $HOME/x\"",
            "ls | xargs -I{} sh -c 'cat \"$1\"' _ {}; ls | xargs -I{} cp {} {}.bak",
            "find . -exec sh -c 'cat \"$@\"' _ {} +",
            "ls | parallel gzip; parallel -j4 gzip -k",
        ],
        |line| line.is_clear,
    );
}
