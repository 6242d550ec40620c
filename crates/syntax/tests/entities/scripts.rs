//! Scripting languages.

use super::check;

#[test]
#[allow(clippy::too_many_lines)] // A flat table.
fn python() {
    check(
        "src/engine.py",
        r#"
#!/usr/bin/env python3
"""Runs parts."""

import os, sys
from . import parts as p
from ..base import (
    Base,
    Mode as M,
)

LIMIT = 10
NAMES: dict[str, int] = {
    "fast": 1,
    "slow": 2,
}


# Not for others.
@dataclass(frozen=True)
class _Engine(Base):
    """Runs one part."""

    # How many.
    limit: int = LIMIT

    def run(self, part: Part,
            mode=None) -> Result:
        """Runs it."""
        if mode:
            part.start()
        else:
            # Slowly.
            part.crawl(mode)
        return Result()

    @property
    async def size(self): return len(self.parts)


def outer():
    def inner():
        return 1
    return inner


def test_engine():
    assert _Engine().run(None)


if __name__ == "__main__":
    sys.exit(outer())
"#,
        r#"
4-9 imports imports private
11 constant LIMIT
12-15 constant NAMES, signature 12
18-37 type _Engine private, doc 21, attributes 19, signature 20, body 21-37
  23-24 field limit, doc 23, signature 24, body 24
  26-34 method run, doc 28, signature 26-27, body 28-34
  36-37 method size, attributes 36, signature 37, body 37
40-43 function outer, signature 40, body 41-43
  41-42 function inner, signature 41, body 42
46-47 test test_engine, signature 46, body 47
file doc: 2
imports: os@4 sys@4 .[parts=p]@5 ..base[Base Mode=M]@6
blocks: run:29-33 +run:30 +run:32-33 run:34 inner:42 outer:43 test_engine:47 :50-51 +:51
names: <dict> <str> <int> dataclass() frozen Base <int> LIMIT part <Part> mode <Result> mode part start() part crawl() mode Result() property len() parts inner _Engine() run() __name__ sys exit() outer()
"#,
    );
}

#[test]
fn ruby() {
    check(
        "lib/engine.rb",
        r#"
require 'json'
require_relative "part"

module Run
  # Runs parts.
  class Engine < Base
    include Logs
    attr_reader :limit, :name
    LIMIT = 10

    def initialize(limit)
      @limit = limit
      start limit
    end

    def self.build(limit) = new(limit)

    private

    def stop
      parts.each do |part|
        part.stop
        log part
      end
    end
  end
end

RSpec.describe Run::Engine do
  it "runs" do
    expect(Run::Engine.build(1)).to be_running
  end
end
"#,
        r#"
1-2 imports imports private
4-27 module Run, signature 4, body 6-27
  5-26 type Engine, doc 5, signature 6, body 7-26
    8 field limit
    9 constant LIMIT
    11-14 method initialize, signature 11, body 12-14
    16 method build
    20-25 method stop private, signature 20, body 21-25
29-33 test Run::Engine, signature 29, body 30-33
  30-32 test runs, signature 30, body 31-32
imports: json@1 part@2
blocks: Engine:7 initialize:12 initialize:13 stop:21-24 +stop:22 +stop:23 runs:31
names: Base include() Logs attr_reader() limit limit start() limit limit new() limit parts each() part part stop() log() part RSpec Run Engine expect() Run Engine build() to() be_running
"#,
    );
}

#[test]
fn bash() {
    check(
        "run",
        r#"
#!/usr/bin/env bash
set -eu

source ./parts.sh
readonly LIMIT=10
NAME="engine"

# Starts a part.
start() {
  local part=$1
  if [ -f "$part" ]; then
    launch "$part"
  fi
}

function stop {
  halt
}

case "$1" in
  start) start "$2" ;;
  *) stop ;;
esac
"#,
        r#"
4 imports imports private
5 constant LIMIT
6 constant NAME
8-14 function start, doc 8, signature 9, body 9-14
16-18 function stop, signature 16
file doc: 1
imports: ./parts.sh@4
blocks: :1-2 start:10 start:11-13 +start:11 +start:12 stop:17 :20-23 +:20 +:21 +:22
names: set() part part launch() part halt() start() stop()
"#,
    );
}
