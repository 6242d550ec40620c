//! Tests of the resolution of imported names: aliases, re-exports, and imports without a name.

use super::name_resolution::check;

#[test]
#[allow(clippy::too_many_lines)] // A flat table.
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
#[allow(clippy::too_many_lines)] // A flat table.
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
app/Main.kt:go calls app/models/User.kt:User.find
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
#[allow(clippy::too_many_lines)] // A flat table.
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
#[allow(clippy::too_many_lines)] // A flat table.
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
    // A default export without a name is resolved by files that import it, and by no others.
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
#[allow(clippy::too_many_lines)] // A flat table.
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
    // Definitions in fewer files than the limit, in as many, and in more.
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
