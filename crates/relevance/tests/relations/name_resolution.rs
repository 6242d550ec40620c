//! Tests of name resolution in several languages.

use super::{listed, relations};

#[track_caller]
pub(super) fn check(fixture: &str, expected: &str) {
    let found = listed(&relations(fixture));
    assert!(
        found.trim_end() == expected.trim_matches('\n'),
        "<<<\n{found}>>>\nexpected:\n{expected}"
    );
}

#[test]
#[allow(clippy::too_many_lines)] // A flat table.
fn rust_by_type_and_module() {
    check(
        "
//- src/lib.rs
mod line;
mod word;
use crate::line::Line;

/// Counts the words of a [`Line`].
pub fn count(line: &Line) -> usize {
    let words = Vec::new();
    line.len() + words.len() + word::split(line)
}

pub fn make() -> Line {
    Line::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        count(&make());
    }
}
//- src/line.rs
pub struct Line;

impl Line {
    pub fn new() -> Self {
        Self::empty()
    }

    fn empty() -> Self {
        Line
    }

    pub fn len(&self) -> usize {
        0
    }
}
//- src/word.rs
pub struct Word;

impl Word {
    pub fn new() -> Self {
        Word
    }
}

pub fn split(line: &crate::line::Line) -> usize {
    0
}
",
        "
src/lib.rs imports src/line.rs
src/lib.rs imports src/line.rs:Line
src/lib.rs:count calls src/line.rs:Line.len
src/lib.rs:count calls src/word.rs:split (0.80)
src/lib.rs:count uses type src/line.rs:Line
src/lib.rs:count documents src/line.rs:Line (0.80)
src/lib.rs:make calls src/line.rs:Line.new
src/lib.rs:make uses type src/line.rs:Line
src/lib.rs:make returns src/line.rs:Line
src/lib.rs:tests.counts tests src/lib.rs:count
src/lib.rs:tests.counts tests src/lib.rs:make
src/line.rs:Line uses type src/line.rs:Line
src/line.rs:Line.new calls src/line.rs:Line.empty
src/line.rs:Line.empty uses type src/line.rs:Line
src/word.rs:Word uses type src/word.rs:Word
src/word.rs:Word.new uses type src/word.rs:Word
src/word.rs:split uses type src/line.rs:Line (0.80)
",
    );
}

#[test]
fn python_by_import_and_base() {
    check(
        "
//- app/__init__.py
from .base import Base
//- app/base.py
import os

class Base:
    def run(self):
        self.step()
        os.path.join('a', 'b')

    def step(self):
        pass

    def join(self):
        pass
//- app/web.py
from app import Base
from . import tools

class Web(Base):
    def step(self):
        tools.log('x')
        super().step()

def start(callback):
    web = Web()
    web.run()
    callback()
//- app/tools.py
def log(text):
    print(text)

def callback():
    pass
//- tests/test_web.py
from app.web import start

def test_start():
    start(None)
//- README.md
# App

Call `start()`, which makes a `Web`.
",
        "
README.md:App documents app/web.py:Web (0.80)
README.md:App documents app/web.py:start (0.80)
app/__init__.py imports app/base.py
app/__init__.py imports app/base.py:Base
app/base.py:Base.run calls app/base.py:Base.step
app/web.py imports app/__init__.py x2
app/web.py imports app/base.py:Base
app/web.py:Web uses type app/base.py:Base
app/web.py:Web.step calls app/base.py:Base.step
app/web.py:Web.step calls app/tools.py:log
app/web.py:start calls app/base.py:Base.run
app/web.py:start calls app/web.py:Web
tests/test_web.py imports app/web.py
tests/test_web.py imports app/web.py:start
tests/test_web.py tests app/web.py (0.80)
tests/test_web.py:test_start tests app/web.py:start
",
    );
}

#[test]
fn typescript_by_module() {
    check(
        "
//- src/index.ts
import { parse } from './parse';
import * as text from './text.js';
import axios from 'axios';

export function main(): Result {
    text.trim('a');
    axios.get('x');
    return parse('a');
}
//- src/parse.ts
export interface Result { ok: boolean }
export function parse(input: string): Result {
    return check(input);
}
function check(input: string) { return { ok: true }; }
//- src/text.ts
export const trim = (text: string) => text;
export function get() {}
//- src/other.ts
function check() {}
//- src/parse.test.ts
import { parse } from './parse';

test('parses', () => {
    parse('x');
});
",
        "
src/index.ts imports src/parse.ts
src/index.ts imports src/parse.ts:parse
src/index.ts imports src/text.ts
src/index.ts:main calls src/parse.ts:parse
src/index.ts:main calls src/text.ts:trim
src/parse.test.ts imports src/parse.ts
src/parse.test.ts imports src/parse.ts:parse
src/parse.test.ts tests src/parse.ts (0.80)
src/parse.test.ts:parses tests src/parse.ts:parse
src/parse.ts:parse calls src/parse.ts:check
src/parse.ts:parse returns src/parse.ts:Result
",
    );
}

#[test]
fn go_by_package_and_receiver() {
    check(
        "
//- go.mod
module example.com/web

go 1.22
//- router/router.go
package router

type Router struct{ tree *Tree }

func New() *Router { return &Router{} }

func (r *Router) Handle(path string) {
	r.tree.Add(path)
	clean(path)
}
//- router/tree.go
package router

type Tree struct{}

func (t *Tree) Add(path string) {}

func clean(path string) string { return path }
//- main.go
package main

import (
	\"fmt\"
	\"example.com/web/router\"
)

func main() {
	r := router.New()
	r.Handle(\"/\")
	fmt.New()
}
",
        "
main.go imports router/router.go (0.50)
main.go imports router/tree.go (0.50)
main.go:main calls router/router.go:New
router/router.go:Router.tree uses type router/tree.go:Tree (0.90)
router/router.go:New returns router/router.go:Router x2
router/router.go:Router.Handle calls router/tree.go:Tree.Add (0.90)
router/router.go:Router.Handle calls router/tree.go:clean (0.90)
router/router.go:Router.Handle references router/router.go:Router.tree
router/router.go:Router.Handle uses type router/router.go:Router
router/tree.go:Tree.Add uses type router/tree.go:Tree
",
    );
}

#[test]
fn c_definitions_before_declarations() {
    check(
        "
//- list.h
typedef struct list { int length; } list;
list *list_new(void);
//- list.c
#include \"list.h\"
static void reset(list *l) { l->length = 0; }
list *list_new(void) { list *l = 0; reset(l); return l; }
//- main.c
#include \"list.h\"
static void reset(void) {}
int main(void) { reset(); list_new(); return 0; }
",
        "
list.c imports list.h
list.c:reset uses type list.h:list (0.90)
list.c:list_new calls list.c:reset
list.c:list_new returns list.h:list (0.90) x2
list.h:list_new returns list.h:list
main.c imports list.h
main.c:main calls list.c:list_new (0.90)
main.c:main calls main.c:reset
",
    );
}

#[test]
fn what_may_be_many_is_left() {
    let mut fixture = String::from(
        "//- main.py\nfrom m0 import Some0\n\ndef main(thing):\n    thing.go()\n    \
         thing.stop()\n    thing.go_far()\n",
    );
    for at in 0..3 {
        let far = if at == 0 { "    def go_far(self):\n        pass\n" } else { "" };
        fixture.push_str(&format!(
            "//- m{at}.py\nclass Some{at}:\n    def go(self):\n        pass\n{far}"
        ));
    }
    for at in 0..20 {
        fixture.push_str(&format!("//- n{at}.py\nclass Any{at}:\n    def stop(self): pass\n"));
    }
    check(
        &fixture,
        "
main.py imports m0.py
main.py imports m0.py:Some0
main.py:main calls m0.py:Some0.go_far (0.50)
",
    );
}

#[test]
fn the_type_that_a_binding_names_says_whose_method_is_meant() {
    check(
        "
//- client.py
class Client:
    def get(self, url): pass

class AsyncClient:
    def get(self, url): pass

class Mixin:
    def ask(self):
        self.get('/')
//- use.py
from client import AsyncClient, Client
from elsewhere import Runner

def one():
    with AsyncClient() as client:
        client.get('/')

def two(client: Client):
    client.get('/')

def three():
    client = Runner()
    client.get('/')

class Four:
    def __init__(self):
        self.inner = AsyncClient()

    def go(self):
        self.inner.get('/')
",
        "
use.py imports client.py
use.py imports client.py:Client
use.py imports client.py:AsyncClient
use.py:one calls client.py:AsyncClient
use.py:one calls client.py:AsyncClient.get
use.py:two calls client.py:Client.get
use.py:two uses type client.py:Client
use.py:Four.__init__ calls client.py:AsyncClient
use.py:Four.go calls client.py:AsyncClient.get
",
    );
}

#[test]
fn change_logs_document_nothing_and_variants_are_taken_from_their_enumeration() {
    check(
        "
//- CHANGELOG.md
# 1.0

`Limits` and `parse` are new.
//- README.md
# Use

`parse` parses.
//- src/lib.rs
pub mod kind;
pub fn parse() {}
pub struct Limits;
//- src/kind.rs
pub enum Kind { Parse, Other }
//- src/a.rs
use crate::kind::Kind::Other;
use elsewhere::Parse;

pub fn all() {
    take(Other);
    take(Parse);
}
",
        "
README.md:Use documents src/lib.rs:parse (0.80)
src/a.rs imports src/kind.rs
src/a.rs imports src/kind.rs:Kind.Other
src/a.rs:all references src/kind.rs:Kind.Other
",
    );
}

#[test]
fn of_several_definitions_of_a_name_in_python_the_last_counts() {
    check(
        "
//- take.py
from typing import overload

@overload
def take(it: int) -> int: ...
@overload
def take(it: str) -> str: ...
def take(it):
    return it

def use():
    take(1)
",
        "
take.py:use calls take.py:take
",
    );
}
