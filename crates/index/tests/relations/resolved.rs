//! Who is meant by a name, in several languages.

use super::{listed, relations};

#[track_caller]
fn check(fixture: &str, expected: &str) {
    let found = listed(&relations(fixture));
    assert!(
        found.trim_end() == expected.trim_matches('\n'),
        "<<<\n{found}>>>\nexpected:\n{expected}"
    );
}

#[test]
// tidy: table
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
src/lib.rs:count calls src/line.rs:Line.len (0.80)
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
app/web.py:start calls app/base.py:Base.run (0.40)
app/web.py:start calls app/tools.py:callback (0.20)
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
src/index.ts:main returns src/parse.ts:Result (0.20)
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
main.go:main calls router/router.go:Router.Handle (0.30)
router/router.go:Router.tree uses type router/tree.go:Tree (0.90)
router/router.go:New returns router/router.go:Router x2
router/router.go:Router.Handle calls router/tree.go:Tree.Add (0.90)
router/router.go:Router.Handle calls router/tree.go:clean (0.90)
router/router.go:Router.Handle references router/router.go:Router.tree (0.70)
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
list.c:reset references list.h:list.length (0.70)
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
fn what_may_be_many_is_shared_or_left() {
    let mut fixture =
        String::from("//- main.py\ndef main(thing):\n    thing.go()\n    thing.stop()\n");
    for at in 0..3 {
        fixture
            .push_str(&format!("//- m{at}.py\nclass Some{at}:\n    def go(self):\n        pass\n"));
    }
    for at in 0..20 {
        fixture.push_str(&format!("//- n{at}.py\nclass Any{at}:\n    def stop(self): pass\n"));
    }
    check(
        &fixture,
        "
main.py:main calls m0.py:Some0.go (0.03)
main.py:main calls m1.py:Some1.go (0.03)
main.py:main calls m2.py:Some2.go (0.03)
",
    );
}

#[test]
// tidy: table
fn what_is_imported_by_another_name() {
    check(
        "
//- app/base.py
class Base:
    def run(self):
        pass

def helper():
    pass
//- app/other.py
def run():
    pass
//- app/web.py
import app.other as oth
import numpy as np
from app.base import Base as Root, helper as make
from app import base as things

class Web(Root):
    def go(self):
        make()
        oth.run()
        np.helper()
        things.helper()
        self.run()
        Root.run(self)
",
        "
app/web.py imports app/base.py
app/web.py imports app/base.py:Base
app/web.py imports app/base.py:helper
app/web.py imports app/other.py
app/web.py:Web uses type app/base.py:Base
app/web.py:Web.go calls app/base.py:Base.run x2
app/web.py:Web.go calls app/base.py:helper x2
app/web.py:Web.go calls app/other.py:run
app/web.py:Web.go uses type app/base.py:Base
",
    );
    check(
        "
//- src/lib.rs
mod line;
use crate::line::{self as rows, Line as Row, split as cut};
use other::Word as Strange;
pub struct Word;
impl Word {
    pub fn new() {}
}
pub fn go() -> Row {
    cut();
    rows::join();
    Strange::new();
    Row::new()
}
//- src/line.rs
pub struct Line;
impl Line {
    pub fn new() -> Self { Line }
}
pub fn split() {}
pub fn join() {}
",
        "
src/lib.rs imports src/line.rs x2
src/lib.rs imports src/line.rs:Line
src/lib.rs imports src/line.rs:split
src/lib.rs:Word uses type src/lib.rs:Word
src/lib.rs:go calls src/line.rs:Line.new
src/lib.rs:go calls src/line.rs:split
src/lib.rs:go calls src/line.rs:join
src/lib.rs:go uses type src/line.rs:Line
src/lib.rs:go returns src/line.rs:Line
src/line.rs:Line uses type src/line.rs:Line
src/line.rs:Line.new returns src/line.rs:Line
",
    );
    check(
        "
//- src/main.ts
import { parse as read, Reader as Rd } from './parse';
import * as text from './text';
import shout from './text';
import lodash, { trim as cut } from 'lodash';

export function main() {
    read('a');
    text.trim('b');
    shout('c');
    lodash.parse();
    cut();
    Rd.open();
}
//- src/old.js
const shape = require('./shape');
const { draw: paint } = require('./shape');
const area = require('./shape').area;

function go() {
    paint();
    shape.draw();
    area();
    shape();
}
//- src/shape.js
module.exports = function shape() {};
exports.draw = function draw() {};
exports.area = function area() {};
//- src/parse.ts
export function parse(text: string) {}
export class Reader {
    static open() {}
}
//- src/text.ts
export const trim = (text: string) => text;
export default function shout(text: string) {}
",
        "
src/main.ts imports src/parse.ts
src/main.ts imports src/parse.ts:parse
src/main.ts imports src/parse.ts:Reader
src/main.ts imports src/text.ts x2
src/main.ts:main calls src/parse.ts:parse
src/main.ts:main calls src/parse.ts:Reader.open
src/main.ts:main calls src/text.ts:trim
src/main.ts:main calls src/text.ts:shout
src/main.ts:main uses type src/parse.ts:Reader
src/old.js imports src/shape.js x3
src/old.js imports src/shape.js:exports.draw
src/old.js imports src/shape.js:exports.area
src/old.js:go calls src/shape.js:module.exports
src/old.js:go calls src/shape.js:exports.draw x2
src/old.js:go calls src/shape.js:exports.area
src/old.js:go references src/shape.js:module.exports
",
    );
}

#[test]
// tidy: table
fn what_is_imported_by_another_name_in_further_languages() {
    check(
        "
//- go.mod
module example.com/web
//- router/router.go
package router

func New() {}
//- main.go
package main

import (
	rt \"example.com/web/router\"
)

func main() {
	rt.New()
}
",
        "
main.go imports router/router.go
main.go:main calls router/router.go:New
",
    );
    check(
        "
//- App/Models/User.php
<?php
namespace App\\Models;
class User {
    public static function find() {}
}
//- index.php
<?php
use App\\Models\\User as Person;
function go() {
    Person::find();
}
",
        "
index.php imports App/Models/User.php
index.php imports App/Models/User.php:User
index.php:go calls App/Models/User.php:User.find
index.php:go uses type App/Models/User.php:User
",
    );
    check(
        "
//- Models/User.cs
namespace App.Models;
public class User {
    public static void Find() {}
}
//- Program.cs
using Person = App.Models.User;
public class Program {
    void Go() {
        Person.Find();
    }
}
",
        "
Program.cs imports Models/User.cs
Program.cs:Program.Go calls Models/User.cs:User.Find
Program.cs:Program.Go uses type Models/User.cs:User
",
    );
    check(
        "
//- app/models/User.kt
package app.models
class User {
    fun find() {}
}
fun make() {}
//- app/Main.kt
package app
import app.models.User as Person
import app.models.make as create
fun go(person: Person) {
    person.find()
    create()
}
",
        "
app/Main.kt imports app/models/User.kt x2
app/Main.kt imports app/models/User.kt:User
app/Main.kt imports app/models/User.kt:make
app/Main.kt:go calls app/models/User.kt:User.find (0.12)
app/Main.kt:go calls app/models/User.kt:make
app/Main.kt:go uses type app/models/User.kt:User
",
    );
    check(
        "
//- list.zig
pub const List = struct {
    pub fn init() void {}
};
pub fn sort() void {}
//- main.zig
const lists = @import(\"list.zig\");
const Rows = @import(\"list.zig\").List;
pub fn main() void {
    lists.sort();
    Rows.init();
}
",
        "
main.zig imports list.zig x2
main.zig imports list.zig:List
main.zig:main calls list.zig:List.init
main.zig:main calls list.zig:sort
main.zig:main uses type list.zig:List
",
    );
}

#[test]
// tidy: table
fn names_are_followed_through_those_who_hand_them_on() {
    check(
        "
//- web/__init__.py
from .blueprints import Blueprint as Blueprint
from .app import App as Web
//- web/app.py
class App: pass
//- web/blueprints.py
class Blueprint: pass
//- web/plain/blueprints.py
class Blueprint: pass
//- web/typing.py
def cast(): pass
//- main.py
import typing
import web
from web import Web

def go():
    web.Blueprint()
    Web()
    typing.cast()
",
        "
main.py imports web/__init__.py x2
main.py imports web/app.py:App
main.py:go calls web/app.py:App
main.py:go calls web/blueprints.py:Blueprint
web/__init__.py imports web/app.py
web/__init__.py imports web/app.py:App
web/__init__.py imports web/blueprints.py
web/__init__.py imports web/blueprints.py:Blueprint
",
    );
    check(
        "
//- src/index.ts
export { parse as read } from './text/parse';
export * from './all';
//- src/all.ts
export * from './text/count';
//- src/text/count.ts
export function count(text: string) {}
//- src/text/another.ts
export function count(text: string) {}
//- src/text/parse.ts
export function parse(text: string) {}
//- src/text/other.ts
export function read() {}
//- main.ts
import { read } from './src/index';
import * as all from './src/index';

export function go() {
    read('a');
    all.count('b');
    all.missing('c');
}
class Other {
    missing() {}
}
",
        "
main.ts imports src/index.ts x2
main.ts imports src/text/parse.ts:parse
main.ts:go calls src/text/count.ts:count
main.ts:go calls src/text/parse.ts:parse
src/all.ts imports src/text/count.ts
src/index.ts imports src/all.ts
src/index.ts imports src/text/parse.ts
src/index.ts imports src/text/parse.ts:parse
",
    );
}

#[test]
// tidy: table
fn what_scripts_import_without_its_name() {
    check(
        "
//- src/foo.ts
export default class Foo {
    static bar() {}
    helper() {}
}
//- src/a.ts
import Foo from './foo';

class A extends Foo {
    run() {
        Foo.bar();
        this.helper();
    }
}
//- src/b.js
const Foo = require('./foo');

class B extends Foo {
    go() {
        Foo.bar();
        this.helper();
    }
}
",
        "
src/a.ts imports src/foo.ts
src/a.ts:A uses type src/foo.ts:Foo
src/a.ts:A.run calls src/foo.ts:Foo.bar
src/a.ts:A.run calls src/foo.ts:Foo.helper
src/a.ts:A.run uses type src/foo.ts:Foo
src/b.js imports src/foo.ts
src/b.js:B uses type src/foo.ts:Foo
src/b.js:B.go calls src/foo.ts:Foo.bar
src/b.js:B.go calls src/foo.ts:Foo.helper
src/b.js:B.go uses type src/foo.ts:Foo
",
    );
    // What has no name is meant by those who import it, and by nobody else.
    check(
        "
//- src/a.ts
import Shape from './shape';

export function run() {
    Shape.draw();
}
//- src/b.ts
import Other from './other';

class B extends Other {
    go() {
        Other.draw();
        this.draw();
    }
}
//- src/other.ts
export const other = 1;
//- src/shape.ts
export default class {
    static draw() {}
}
",
        "
src/a.ts imports src/shape.ts
src/a.ts imports src/shape.ts:default
src/a.ts:run calls src/shape.ts:default.draw
src/a.ts:run uses type src/shape.ts:default
src/b.ts imports src/other.ts
src/b.ts:B.go calls src/shape.ts:default.draw (0.10)
",
    );
}

#[test]
fn what_a_file_defines_stands_in_for_an_import_that_cannot_be_had() {
    check(
        "
//- app/text.py
try:
    from fast import loads as json_loads, Decoder as JsonDecoder
except ImportError:
    def json_loads(text):
        return text

    class JsonDecoder:
        def decode(self):
            pass

        def reset(self):
            pass

class Reader(JsonDecoder):
    def read(self):
        json_loads('x')
        JsonDecoder.make()
        JsonDecoder.decode(self)
        self.reset()

def make():
    pass
//- app/other.py
class Decoder:
    def make(self):
        pass
",
        "
app/text.py:Reader uses type app/text.py:JsonDecoder
app/text.py:Reader.read calls app/text.py:json_loads
app/text.py:Reader.read calls app/text.py:JsonDecoder.decode
app/text.py:Reader.read calls app/text.py:JsonDecoder.reset
app/text.py:Reader.read uses type app/text.py:JsonDecoder x2
",
    );
}

#[test]
// tidy: table
fn of_several_modules_that_could_hand_a_name_on_the_first_of_ours_does() {
    check(
        "
//- app/__init__.py
try:
    from fast import read as loads
except ImportError:
    from .slow import parse as loads
from .slow import skip as loads
//- app/slow.py
def parse(text):
    pass

def skip(text):
    pass
//- main.py
from app import loads

def go():
    loads('x')
",
        "
app/__init__.py imports app/slow.py x2
app/__init__.py imports app/slow.py:parse
app/__init__.py imports app/slow.py:skip
main.py imports app/__init__.py
main.py imports app/slow.py:parse
main.py:go calls app/slow.py:parse
",
    );
    // Defined by fewer files than are taken whole, by as many, and by more of them.
    check(
        "
//- src/index.ts
export * from './z';
export * from './m';
export * from './a';
//- src/a.ts
export function two() {}
export function three() {}
export function alone() {}
export function both() {}
//- src/m.ts
export function both() {}
export function three() {}
//- other/n.ts
export function three() {}
export function two() {}
export function elsewhere() {}
//- src/z.ts
export function two() {}
export function three() {}
//- main.ts
import { alone, both, two, three, elsewhere } from './src/index';

export function go() {
    alone();
    both();
    two();
    three();
    elsewhere();
}
",
        "
main.ts imports src/a.ts:alone
main.ts imports src/index.ts
main.ts imports src/m.ts:both
main.ts imports src/z.ts:two
main.ts imports src/z.ts:three
main.ts:go calls src/a.ts:alone
main.ts:go calls src/m.ts:both
main.ts:go calls src/z.ts:two
main.ts:go calls src/z.ts:three
src/index.ts imports src/a.ts
src/index.ts imports src/m.ts
src/index.ts imports src/z.ts
",
    );
}
