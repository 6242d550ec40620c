//! Web languages.

use super::check;

#[test]
#[allow(clippy::too_many_lines)] // A flat table.
fn typescript() {
    check(
        "src/engine.ts",
        r#"
import start, { Part, type Mode as RunMode } from "./part";
import * as fs from 'node:fs';
export * from "./other";

/** Runs parts. */
@Injectable({ scope: "request" })
export class Engine<T> extends Base<T> implements Runner {
  @Input() private limit: number = 10;
  #name = "engine";

  constructor(readonly parts: Part[]) {
    super();
  }

  get size(): number {
    return this.parts.length;
  }

  private async start<K>(part: K): Promise<void> {
    if (part) {
      await this.launch<K>(part);
    }
  }
}

export interface Runner {
  name: string;
  run(part: Part): void;
}

type State = { open: boolean } | "closed";

export enum Mode {
  Fast,
  Slow = 2,
}

export const launch = async (
  part: Part,
): Promise<State> => {
  return fs.open(part);
};

const LIMITS = {
  fast: 1,
  check: (part: Part) => part.size,
};

export default function () {}

describe("engine", () => {
  const engine = new Engine([]);
  it("runs", async () => {
    expect(engine.size).toBe(0);
  });
});
"#,
        r#"
1-3 imports imports private
5-24 type Engine, doc 5, attributes 6, signature 7, body 7-24
  8 field limit private
  9 field #name private
  11-13 method constructor, signature 11
  15-17 method size, signature 15
  19-23 method start private, signature 19
26-29 trait Runner, signature 26
  27 field name
  28 method run
31 type State private
  31 field open private
33-36 enum Mode, signature 33
  34 field Fast
  35 field Slow
38-42 function launch, signature 38-40, body 40-42
44-47 constant LIMITS private, signature 44
  46 method check private
49 function default
51-56 test engine private, signature 51
  53-55 test runs private, signature 53
imports: ./part[default=start Part Mode=RunMode]@1 node:fs[*=fs]@2 ./other[*]@3
blocks: constructor:12 size:16 start:20-22 +start:21 launch:41 engine:52 runs:54
names: Injectable() scope Base <Runner> Input() parts <Part> parts length part <Promise> part launch() part part <Part> part <Part> <Promise> <State> fs open() part fast part <Part> part size engine Engine() expect() engine size toBe()
"#,
    );
}

#[test]
fn tsx() {
    check(
        "src/view.tsx",
        r#"
import { useState } from "react";

// Shows a part.
export function View({ part }: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  const toggle = () => {
    setOpen(!open);
  };
  return <Panel onClick={toggle}>{part.name}</Panel>;
}
"#,
        r#"
1 imports imports private
3-10 function View, doc 3, signature 4, body 4-10
  6-8 function toggle private, signature 6
imports: react[useState]@1
blocks: View:5 toggle:7 View:9
names: <Props> JSX <Element> open setOpen useState() setOpen() open Panel onClick toggle part name Panel
"#,
    );
}

#[test]
fn javascript() {
    check(
        "lib/application.js",
        r#"
'use strict';

/**
 * Module dependencies.
 */

var http = require('http');
const { resolve, join: joined } = require('path');

var app = exports = module.exports = {};

/**
 * Mounts a function.
 */
app.use = function use(fn) {
  this.stack.push(fn);
};

exports.create = (options) => {
  return resolve(options);
};

Router.prototype.param = function (name) {};

class Layer extends Base {
  static count = 0;
  match(path) {
    return path;
  }
}

module.exports = {
  Layer,
  open() {},
  close: function () {},
};
"#,
        r#"
7-8 imports imports private
10 constant app private
12-17 method use (of app), doc 12-14, signature 15, body 15-17
19-21 function create (of exports), signature 19
23 method param (of Router)
25-30 type Layer, signature 25
  26 field count
  27-29 method match, signature 27
32-36 constant exports (of module), signature 32
  34 method open private
  35 method close private
imports: http@7 path[resolve join=joined]@8
blocks: :1 use:16 create:20 match:28
names: exports module exports app use() fn stack push() fn exports options resolve() options Router prototype name Base path path module Layer
"#,
    );
}

#[test]
fn php() {
    check(
        "src/Engine.php",
        r#"
<?php

namespace Example\Run;

use Example\Parts\Part as P;
use Example\{Mode, State};

/** Runs parts. */
#[Service]
final class Engine extends Base implements Runner
{
    use Logs;

    const LIMIT = 10;
    private ?Part $part = null;

    public function __construct(private string $name)
    {
        $this->start(new Part());
        Log::write($name);
    }

    abstract protected function run(): void;
}

enum Mode: string
{
    case Fast = 'fast';
}

function launch(int $limit): string
{
    return strtolower($limit);
}
"#,
        r#"
3 module Example\Run
5-6 imports imports private
8-24 type Engine, doc 8, attributes 9, signature 10, body 11-24
  14 field LIMIT
  15 field part private
  17-21 method __construct, signature 17, body 18-21
  23 method run restricted
26-29 enum Mode, signature 26, body 27-29
  28 field Fast
31-34 function launch, signature 31, body 32-34
imports: Example\Parts[Part=P]@5 Example[Mode State]@6
blocks: :1 Engine:12 __construct:19 __construct:20 launch:33
names: Run Service <Base> <Runner> Logs <Part> name start() Part() Log write() name limit strtolower() limit
"#,
    );
}

#[test]
fn html() {
    check(
        "index.html",
        r#"
<!DOCTYPE html>
<html>
<head>
  <title>Engines</title>
  <style>
    p { color: red; }
  </style>
</head>
<body>
  <!-- What runs. -->
  <div id="main" class="wide">
    <h1>Engines</h1>
    <p>They run.</p>
  </div>
  <script>
    start();
  </script>
</body>
</html>
"#,
        r#"
2-19 section html, signature 2, body 3-19
  3-8 section head, signature 3, body 4-8
    4 section title Engines
    5-7 section style, signature 5
  9-18 section body, signature 9, body 10-18
    10-14 section div#main, doc 10, signature 11, body 12-14
      12 section h1 Engines
    15-17 section script, signature 15
blocks: :1 html:2 head:3 style:5-7 head:8 body:9 div#main:11 div#main:13 div#main:14 script:15-17 body:18 html:19
"#,
    );
}

#[test]
fn css() {
    check(
        "style.css",
        r#"
@import "base.css";

/* Colours. */
:root {
  --main: #333;
  --back: #fff;
}

.panel, #main > p {
  color: var(--main);
}

@media (max-width: 600px) {
  .panel { display: none; }
}
"#,
        r#"
1 imports imports private
3-7 section :root, doc 3, signature 4, body 4-7
9-11 section .panel, #main > p, signature 9
13-15 section @media (max-width: 600px), signature 13
  14 section .panel
imports: base.css@1
blocks: :root:4-7 +:root:5 +:root:6 .panel, #main > p:9-11 +.panel, #main > p:10
names: root panel main panel
"#,
    );
}

#[test]
fn what_modules_are_called_in_scripts() {
    check(
        "src/old.js",
        r#"
const a = require('a'), b = wrap(require('./b')), c = require('./c').open;
const area = require('./shape').area;
const deep = require('./deep').a.b;
const { one, // first
  two: second } = require(/* it's here */ './two'), three = require('./three');
import { first, last // "last"
} from './x';
import web from 'https://example.org/web.js';
"#,
        r#"
1-2 imports imports private
3 constant deep private
4-8 imports imports private
imports: a@1 ./b@1 ./c[open=c]@1 ./shape[area]@2 ./two[one two=second]@5 ./three=three@5 ./x[first last]@7 https://example.org/web.js[default=web]@8
names: require()
"#,
    );
    check(
        "src/new.ts",
        r#"
const fs: typeof import('fs') = require('fs');
const s: Shape<A, B> = require('./s'), t: Shape = require('./t');
const { one, two: second }: Shape = require('./two');
import path = require('path');
"#,
        r#"
1-4 imports imports private
imports: fs@1 ./s=s@2 ./t=t@2 ./two[one two=second]@3 path@4
"#,
    );
}
