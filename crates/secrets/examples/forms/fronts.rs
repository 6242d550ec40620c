//! What stands in front of lines where tools show them, and what tables begin with: texts full of it
//! must not take long.

pub(crate) const FRONTS: &[&str] = &[
    "12→",
    "12→password: |\n",
    "1:\n",
    "a/b:",
    "a.b:1:",
    "a.b:\n--------------------------------------------------------------------------------\n",
    "a.b-1-\n",
    "a.b:\na.b-\n",
    "+a\n",
    "+a\nb\n",
    "-password: |\n",
    "> a\n",
    "+1→",
    "1→+\n",
    "    1 + a\n",
    "1:+2→-a\n",
    "password,",
    "a,password\n",
    "a|password\nb|c\n",
    "user\tpassword\n",
    "insert into ",
    "insert into a(password) values ",
    "insert into a(password) values ('a'),",
    "('a',",
];
