//! Words of which a part may be nothing, or blanks, and the everyday lines beside.

use crate::shell::commands::{CommandLine, SimpleCommand};

/// Whether a line is clear, and starts nothing that its words do not tell.
fn is_told(line: &str) -> bool {
    fn is_whole(command: &SimpleCommand) -> bool {
        !command.starts_more && command.starts.iter().all(is_whole)
    }
    let line = CommandLine::of(line);
    line.is_clear && line.commands.iter().all(is_whole)
}

#[track_caller]
fn none_is_told(lines: &[&str]) {
    let told: Vec<&&str> = lines.iter().filter(|line| is_told(line)).collect();
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
// tidy: table
fn what_the_shell_sets_may_be_blanks() {
    let clear: Vec<&str> = [
        "timeout 5$IFS./evil",
        "timeout 5${IFS}rm${IFS}v",
        "timeout$IFS 5 rm v",
        "timeout 5$X$IFS./evil",
        "env A=b$IFS'rm' v",
        "env A=$HOME/$IFS./evil x",
        "env -uX$IFS./evil echo",
        "nice -n5$IFS./evil",
        "nice -n5${IFS:0:1}./evil",
        "nice -n5${IFS%x}./evil",
        "nice -n5${PS4#+}./evil",
        "nice -n5${!IFS}./evil",
        "nice -n5$PS2./evil",
        "nice -n5$_./evil",
        "nice -n5${BASH_VERSION}./evil",
        "I=$IFS; nice -n5$I./evil",
        "IFS=/; nice -n5$HOME v",
        "timeout 5$(cat x) v",
        "timeout 5${HOME/*/ rm }v",
        "timeout 5${HOME:+ rm }v",
        "x=' rm '; timeout 5${x}v",
        "set -- 5 rm; timeout $* v",
        "set -- 5 rm; timeout \"$@\" v",
        "x=(5 rm); timeout \"${x[@]}\" v",
        "bash -c 'timeout \"$@\"' _ 5 rm v",
        "x='5 rm'; timeout $x v",
        "echo f | xargs -n1$IFS./evil",
        "echo f | xargs -I{}$IFS./evil echo {}",
        "find . -exec$IFS./evil \\;",
        "find . -exec${IFS}./evil${IFS}\\;",
        "find .$IFS-exec ./evil \\;",
        "git -C .$IFS-c${IFS}core.fsmonitor=./evil status",
        "git grep a$IFS-O./evil",
        "tar tf a.tar$IFS-I./evil",
        "sed -ep f$IFS-e1e./evil",
        "awk -va=1$IFS'BEGIN{system(\"./evil\")}'",
        "ssh a$IFS-oProxyCommand=./evil",
        "sqlite3 x$IFS.shell\\ ./evil",
        "gcc a.c$IFS-wrapper$IFS./evil",
        "bash -c${IFS}rm${IFS}v",
        "npm -s${IFS}exec${IFS}rm v",
    ]
    .into_iter()
    .filter(|line| CommandLine::of(line).is_clear)
    .collect();
    assert!(clear.is_empty(), "{clear:#?}");
}

#[test]
// tidy: table
fn what_may_be_nothing_hides_no_option() {
    none_is_told(&[
        "find . -ex${x}ec ./evil \\;",
        "find . -ex\"$x\"ec ./evil \\;",
        "find . -ex$1ec ./evil \\;",
        "find . -ex$*ec ./evil \\;",
        "find . -ex$@ec ./evil \\;",
        "find . -ex${x#a}ec ./evil \\;",
        "find . -ex${HOME:0:0}ec ./evil \\;",
        "find . -exec$* ./evil \\;",
        "find . ${x}-ex${x}ec ./evil \\;",
        "find . -$x ./evil \\;",
        "find . -del${x}ete",
        "find . -exec echo {} ${x}\\; -exec ./evil \\;",
        "tar tf a.tar --use${x}-compress-program=./evil",
        "tar c${x}If ./evil a",
        "tar -$1I./evil -tf a",
        "git rebase --ex${x}ec=./evil --root",
        "git ls-remote --upl${x}oad-pack=./evil .",
        "git -c$x core.fsmonitor=./evil status",
        "git -${x}c core.fsmonitor=./evil status",
        "git --git${x}-dir=evil log",
        "git conf${x}ig alias.zz '!./evil'",
        "git conf\"$x\"ig core.pager ./evil",
        "git ${x}config core.pager ./evil",
        "git sub${x}module foreach ./evil",
        "git submodule for${x}each ./evil",
        "git bi${x}sect run ./evil",
        "git remote-e${x}xt x ./evil",
        "git hook${x} run x",
        "git $x conf${y}ig alias.a '!./evil'",
        "git merge --str${x}ategy=evil b",
        "git merge -${x}s evil b",
        "git cherry-pick --str${x}ategy evil b",
        "git clone ex${x}t::./evil b",
        "git -p remote ad${x}d evil ./evil",
        "split --fil${x}ter=./evil f",
        "sort --comp${x}ress-program=./evil f",
        "gcc -wr${x}apper ./evil a.c",
        "gcc -${x}B. a.c",
        "rg --p${x}re=./evil a",
        "go run -ex${x}ec ./evil .",
        "cargo --con${x}fig x",
        "kubectl get pods --kube${x}config=f",
        "kubectl get pods -${x}s evil",
        "kubectl con${x}fig set users.a.exec.command ./evil",
        "docker -$x tcp://evil ps",
        "npm ex${x}ec ./evil",
        "uv ru${x}n x",
        "awk \"BEGIN{sys${x}tem(\\\"./evil\\\")}\"",
        "awk 'BEGIN{sys'$x'tem(\"./evil\")}'",
        "awk \"BEGIN{sys$1tem(\\\"./evil\\\")}\"",
        "awk \"BEGIN{${SHELL:0:1}ystem(\\\"./evil\\\")}\"",
        "awk -$x 'BEGIN{}'",
        "sed -n$x f",
        "sed 1${x}e./evil f",
        "sed \"s${x}a${x}b${x}\" f",
        "sed --ex${x}pression='1e ./evil' f",
        "sqlite3 a .sh${x}ell\\ ./evil",
        "sqlite3 a \".${x}shell ./evil\"",
        "sqlite3 a \"${x}.shell ./evil\"",
        "mysql -e \"sys${x}tem ./evil\"",
        "make --ev${x}al='$(shell ./evil)'",
        "make S${x}HELL=./evil",
        "make MAKE${x}FLAGS=--eval=x",
        "ssh -${x}oProxyCommand=./evil h",
        "env -${x}S./evil",
        "env --${x}split-string=./evil",
        "bash -$x 'rm v'",
    ]);
}

#[test]
// tidy: table
fn what_is_put_into_everyday_words_is_no_option() {
    let others: Vec<&str> = [
        "cat \"$x\"; ls $x; grep -n \"$x\" \"$y\"; cp -r \"$a/b\" $c.bak; head -$n f; tail -n$n f",
        "tar czf \"$name-$version.tgz\" src; tar -C$DIR -xf a.tar; tar --exclude=\"$x\" -cf a b",
        "tar xf \"$x\"; tar -xf $x/a.tar --strip-components=$n; tar cf $PWD/a.tar .",
        "find \"$DIR\" -maxdepth $n -name \"*$x\" -newer$k \"$f\"; find $x/a -type f -mtime -$d",
        "find . -name \"$x\" -exec grep -n \"$y\" {} +; find . -size +${n}k; find $a-$b -print",
        "git log -$n; git log --since=\"$d\" $a..$b; git -C \"$DIR\" status; git diff $a-$b",
        "git checkout -b feature-$x; git show $rev:$f; git clone -b$x \"$URL\" \"$d-$e\"",
        "git config user.name \"$n\"; git push origin HEAD:$b; git rebase -X$s --onto=$a $b; git merge -m\"$m\" $b-$c; git pull --depth=$n",
        "git $cmd; git submodule update --depth=$n; git fetch origin \"pull/$n/head\"",
        "rg -A$n x; rg -g\"*.$e\" x $DIR; rg \"$a-$b\" x; rg --glob=\"!$x\" y; fd -e$x",
        "sort -k$n f; sort -t\"$s\" -k2 f; split -l$n f \"$p\"; make -j$N -C$d -f$m V=$v T=\"$x\"",
        "gcc -O$o -I$DIR/include -D$X=1 -DBAR -std=$s -march=$m -o$out a$x.c -L$d",
        "docker run -p$p:80 -e A=$x --name=$n $img-$tag; docker logs -$x c; kubectl -n$ns get pods",
        "kubectl --context=$c logs $pod -c$x; ssh -p$p -i$key $u@$h; scp -P$p \"$f\" $h:$d",
        "awk -F$s '{print $1}' f; awk -v n=$x 'NR==n' f; awk \"/$x/ {print}\" f; awk \"NR==$n\" f",
        "sed \"s/$a/$b/\" f; sed -n \"1,${b}p\" f; sed -i$suffix s/a/b/ f; sed -e \"s|$a|$b|g\" f",
        "sqlite3 $x.db \"select * from $t\"; psql -h$h -p$p \"$URL\"; mysql -u$u -p$p $db",
        "npm run $x; uv pip install $x==$v; npm i $x-$y; bash $x.sh; bash \"$d/run-$x.sh\" -$y",
        "timeout $n ls; timeout ${n}s ls $x; nice -n$x ls; env A=$x B=\"$y z\" ls; sudo -u$u ls",
        "timeout $((n*2)) ls; n='-a -b'; timeout 5 ls $n; nice -n $((1+1)) ls; env A=$UID ls",
        "cargo test -p$x $y; go test -run=$x ./$p/...; zip -r $n-$v.zip d; tmux attach -t n$x",
        "docker run -u $UID:$GROUPS -v $PWD:/x img; rg x $PWD/src; echo $IFS$PS4; printf %s $RANDOM",
    ]
    .into_iter()
    .filter(|line| !is_told(line))
    .collect();
    assert!(others.is_empty(), "{others:#?}");
}
