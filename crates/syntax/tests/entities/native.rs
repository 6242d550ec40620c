//! Compiled languages.

use super::check;

#[test]
#[allow(clippy::too_many_lines)] // A flat table.
fn rust() {
    check(
        "src/line.rs",
        r#"
//! Lines of a file.

use std::{fmt, io::{self, Read as Input}};
use crate::place::*;

/// Longest line, in bytes.
pub const BYTES_MAX: usize = 1 << 16;

/// A line.
///
/// Without its break.
#[derive(Debug, Clone)]
pub struct Line<T> {
    /// Where it is.
    pub place: usize,
    text: Vec<T>,
}

pub(crate) enum Kind {
    Blank,
    Code { indent: usize },
}

pub trait Measure {
    type Unit;
    fn length(&self) -> usize;
}

impl<T> fmt::Display for Line<T>
where
    T: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each part by itself.
        for part in &self.text {
            write!(f, "{part:?}")?;
        }
        Ok(())
    }
}

impl<T> Line<T> {
    pub fn parts(
        &self,
        limit: usize,
    ) -> Option<&[T]> {
        match self.text.len() {
            0 => None,
            length => {
                let end = length.min(limit);
                self.text.get(..end)
            }
        }
    }
}

macro_rules! line {
    ($text:expr) => { Line::of($text) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_parts() {
        assert_eq!(line!("a").parts(1), None);
    }
}
"#,
        r#"
3-4 imports imports private
6-7 constant BYTES_MAX, doc 6, signature 7, body 7
9-17 type Line, doc 9-11, attributes 12, signature 13, body 13-17
  14-15 field place, doc 14, signature 15
  16 field text private
19-22 enum Kind restricted, signature 19
  20 field Blank restricted
  21 field Code restricted
24-27 trait Measure, signature 24
  25 field Unit
  26 method length
29-40 impl Display for Line (of Line), signature 29-31, body 32-40
  33-39 method fmt, signature 33
42-55 impl Line (of Line) private, signature 42
  43-54 method parts, signature 43-46, body 46-54
57-59 function line private, signature 57, body 58-59
61-69 module tests private, attributes 61, signature 62, body 62-69
  63 imports imports private
  65-68 test a_line_has_parts private, attributes 65, signature 66, body 66-68
file doc: 1
imports: std[fmt]@3 std::io[Read=Input]@3 crate::place[*]@4 super[*]@63
blocks: fmt:34-37 +fmt:36 fmt:38 parts:47-53 +parts:48 +parts:49-52 ++parts:50 ++parts:51 a_line_has_parts:67
names: derive() Debug Clone <Vec> indent fmt <Display> <Line> fmt <Debug> fmt <Formatter> fmt <Result> part text write() Ok() <Line> limit <Option> text len() None length end length min() limit text get() end Line of() cfg() test test assert_eq() line() parts() None
"#,
    );
}

#[test]
fn go() {
    check(
        "engine_test.go",
        r#"
// Package engine runs things.
package engine

import "fmt"
import (
	"net/http"
	log "example.org/log"
)

// Modes of running.
const (
	Fast = iota
	slow
)

// Engine runs.
type Engine struct {
	http.Handler
	Name, Label string // how it is called
}

type Runner interface {
	Run(addr string) error
}

// Run listens.
func (e *Engine) Run(addr string) error {
	if addr == "" {
		return fmt.Errorf("no address")
	}
	handler := func() { log.Print(e.Name) }
	handler()
	return http.ListenAndServe(addr, e)
}

func TestRun(t *testing.T) {
	New[int]().Run("")
}
"#,
        r#"
4-8 imports imports private
10-12 constant Fast, doc 10, signature 11-12, body 12
13 constant slow private
16-20 type Engine, doc 16, signature 17, body 17-20
  18 field Handler
  19 field Name
22-24 trait Runner, signature 22
  23 method Run
26-34 method Run (of Engine), doc 26, signature 27, body 27-34
36-38 test TestRun, signature 36
file doc: 1
imports: fmt@4 net/http@6 example.org/log=log@7
blocks: :1-2 Run:28-30 +Run:29 Run:31 Run:32 Run:33 TestRun:37
names: <Handler> Label <string> addr <string> <error> <Engine> addr <string> <error> addr fmt Errorf() handler log Print() Name handler() http ListenAndServe() addr New int Run()
"#,
    );
}

#[test]
fn java() {
    check(
        "src/Engine.java",
        r#"
package org.example;

import java.util.List;
import static org.junit.Assert.*;

/**
 * Runs things.
 */
@Deprecated
public class Engine<T> extends Base implements Runner {
    private static final int LIMIT = 10;
    @Inject
    List<T> parts;

    public Engine(int limit) {
        super(limit);
    }

    // What it does.
    @Override
    @Test(expected = Failure.class)
    public void run(String name)
            throws Failure {
        parts.forEach(part -> part.start());
        new Timer().stop();
    }

    protected enum Mode { FAST, SLOW { int speed() { return 1; } } }

    interface Listener {
        void heard(Event event);
    }
}
"#,
        r#"
3-4 imports imports private
6-33 type Engine, doc 6-8, attributes 9, signature 10, body 10-33
  11 field LIMIT private
  12-13 field parts restricted, attributes 12, signature 13
  15-17 method Engine, signature 15
  19-26 test run, doc 19, attributes 20-21, signature 22-23, body 23-26
  28 enum Mode restricted
    28 field FAST restricted
    28 field SLOW restricted
      28 method speed restricted
  30-32 trait Listener restricted, signature 30
    31 method heard restricted
imports: java.util[List]@3 org.junit.Assert[*]@4
blocks: :1 Engine:16 run:24 run:25
names: Deprecated <Base> <Runner> Inject <List> limit limit Override Test() expected <Failure> <String> name <Failure> parts forEach() part part start() Timer() stop() <Event> event
"#,
    );
}

#[test]
fn c() {
    check(
        "src/list.c",
        r#"
/* Lists. */
#include <stdio.h>
#include "list.h"

#define LIMIT 16
#define EACH(list, node) \
    for (node = (list)->head; node; node = node->next)

typedef struct node {
    struct node *next;
    int (*compare)(const void *, const void *);
} node;

enum order { ASCENDING, DESCENDING };

static const char *names[] = {
    "ascending",
    "descending",
};

int length(const list *of);

/* Adds at the end. */
static node *
append(list *to, void *value)
{
    node *added = create(value);
    if (to->tail) {
        to->tail->next = added;
    } else {
        to->head = added;
    }
    return added;
}
"#,
        r#"
2-3 imports imports private
5 constant LIMIT
6-7 function EACH, signature 6, body 7
9-12 type node, signature 9
  10 field next
  11 field compare
14 enum order
  14 field ASCENDING
  14 field DESCENDING
16-19 constant names private, signature 16
21 function length
23-34 function append private, doc 23, signature 24-25, body 26-34
file doc: 1
imports: stdio.h@2 list.h@3
blocks: append:27 append:28-32 +append:29 +append:31 append:33
names: list node <node> <node> <list> of <node> <list> to value <node> added create() value to tail to tail next added to head added added
"#,
    );
}

#[test]
fn cpp() {
    check(
        "src/engine.hpp",
        r#"
#include <vector>

namespace run::engine {

/// Runs parts.
template <typename T>
class Engine : public Base<T> {
public:
    explicit Engine(int limit) : limit_(limit) {}
    virtual ~Engine() = default;
    virtual void run() const = 0;
    bool operator==(const Engine& other);

private:
    int limit_ = 1;
};

template <typename T>
void Engine<T>::start(std::vector<T> parts)
{
    for (auto& part : parts) {
        part.run();
    }
}

using Ints = Engine<int>;

TEST(EngineTest, Runs) {
    EXPECT_TRUE(Ints(1).start({}));
}

}  // namespace run::engine
"#,
        r#"
1 imports imports private
3-32 module run::engine, signature 3
  6-16 type Engine, signature 6-7, body 7-16
    9 method Engine
    10 method ~Engine
    11 method run
    12 method operator==
    15 field limit_ private
  18-24 method start (of Engine), signature 18-19, body 20-24
  26 type Ints
  28-30 test EngineTest.Runs, signature 28
imports: vector@1
blocks: start:21-23 +start:22 EngineTest.Runs:29
names: <Base> limit limit_() limit Engine() <Engine> other <Engine> <vector> parts part parts part run() <Engine> TEST() <EngineTest> <Runs> EXPECT_TRUE() Ints() start()
"#,
    );
}

#[test]
fn c_sharp() {
    check(
        "Engine.cs",
        r#"
using System;
using Parts = Example.Parts;

namespace Example.Run
{
    /// <summary>Runs parts.</summary>
    [Serializable]
    public class Engine : Base, IRunner
    {
        private readonly int _limit = 10;

        public string Name { get; set; } = "";

        public Engine(int limit) : base(limit)
        {
            _limit = limit;
        }

        [Fact]
        public async Task<Part> RunAsync(Part part)
        {
            await part.Start<int>(1);
            return new Part();
        }
    }

    interface IRunner { void Run(); }

    enum Mode { Fast, Slow = 2 }
}
"#,
        r#"
1-2 imports imports private
4-30 module Example.Run, signature 4, body 5-30
  6-25 type Engine, doc 6, attributes 7, signature 8, body 9-25
    10 field _limit private
    12 field Name
    14-17 method Engine, signature 14, body 15-17
    19-24 test RunAsync, attributes 19, signature 20, body 21-24
  27 trait IRunner restricted
    27 method Run restricted
  29 enum Mode restricted
    29 field Fast restricted
    29 field Slow restricted
imports: System@1 Example.Parts=Parts@2
blocks: Engine:16 RunAsync:22 RunAsync:23
names: Run Serializable <Base> <IRunner> limit limit _limit limit Fact Task <Part> Part part part Start() Part()
"#,
    );
}

#[test]
fn kotlin() {
    check(
        "Engine.kt",
        r#"
package org.example

import org.example.parts.Part
import org.example.other.*

/** Runs parts. */
@Serializable
data class Engine(val limit: Int, private var name: String = "") : Base(limit), Runner {
    companion object {
        const val LIMIT = 10
    }

    override fun run(part: Part): Result {
        val started = part.start()
        return Result(started)
    }
}

interface Runner {
    fun run(part: Part): Result
}

enum class Mode { FAST, SLOW }

fun Part.twice() = listOf(this, this)

@Test
fun `it runs`() {
    Engine(1).run(Part())
}
"#,
        r#"
3-4 imports imports private
6-17 type Engine, doc 6, attributes 7, signature 8, body 8-17
  8 field limit
  8 field name private
  9-11 type companion, signature 9
    10 field LIMIT
  13-16 method run, signature 13
19-21 trait Runner, signature 19
  20 method run
23 enum Mode
  23 field FAST
  23 field SLOW
25 function twice (of Part)
27-30 test `it runs`, attributes 27, signature 28, body 28-30
imports: org.example.parts[Part]@3 org.example.other[*]@4
blocks: :1 run:14 run:15 `it runs`:29
names: <Serializable> <Int> <String> Base() limit <Runner> part <Part> <Result> started part start() Result() started part <Part> <Result> <Part> listOf() <Test> Engine() run() Part()
"#,
    );
}

#[test]
fn swift() {
    check(
        "Engine.swift",
        r#"
import Foundation

/// Runs parts.
@available(iOS 13, *)
public final class Engine: Base, Runner {
    private var limit: Int = 10
    let name: String

    init(limit: Int) {
        self.limit = limit
    }

    public func run(_ part: Part) -> Result {
        let started = part.start()
        return Result(started)
    }
}

enum Mode {
    case fast
    case slow(Int)
}

protocol Runner {
    func run(_ part: Part) -> Result
}

extension Engine: Equatable {
    static func same(a: Engine) -> Bool { return true }
}
"#,
        r#"
1 imports imports private
3-17 type Engine, doc 3, attributes 4, signature 5, body 5-17
  6 field limit private
  7 field name restricted
  9-11 method init restricted, signature 9
  13-16 method run, signature 13
19-22 enum Mode restricted, signature 19
  20 field fast restricted
  21 field slow restricted
24-26 trait Runner restricted, signature 24
  25 method run restricted
28-30 impl Equatable for Engine (of Engine) restricted, signature 28
  29 method same restricted
imports: Foundation@1
blocks: init:10 run:14 run:15
names: available() iOS <Base> <Runner> <Int> <String> limit <Int> limit limit part <Part> <Result> started part start() Result() started <Int> part <Part> <Result> <Engine> <Equatable> <Engine> <Bool>
"#,
    );
}

#[test]
fn zig() {
    check(
        "engine.zig",
        r#"
const std = @import("std");

/// Runs parts.
pub const Engine = struct {
    limit: u32 = 10,

    pub fn run(self: *Engine, part: Part) !void {
        if (part.ready) {
            try self.start(part);
        }
    }
};

const Mode = enum { fast, slow };

const limit = 10;

test "it runs" {
    try std.testing.expect(true);
}
"#,
        r#"
1 imports imports private
3-12 type Engine, doc 3, signature 4, body 4-12
  5 field limit
  7-11 method run, signature 7
14 enum Mode private
  14 field fast private
  14 field slow private
16 constant limit private
18-20 test it runs private, signature 18
imports: std@1
blocks: run:8-10 +run:9 it runs:19
names: Engine part Part part ready start() part std testing expect()
"#,
    );
}

#[test]
fn what_modules_are_called_with_more_than_a_name_before_them() {
    check(
        "run.go",
        r#"
package run

import (
	/* plain */ "fmt"
	log "example.org/log" // "old"
	/* a
	   b */ _ "example.org/side"
)
"#,
        r#"
3-8 imports imports private
imports: fmt@4 example.org/log=log@5 example.org/side@7
blocks: :1
"#,
    );
    check(
        "run.zig",
        r#"
const list: type = @import("list.zig");
comptime {
    _ = foo(@import("y.zig"));
}
const x = @import("x.zig").make(@import("z.zig"));
"#,
        r#"
1 imports imports private
3 constant _ private
5 imports imports private
imports: list.zig=list@1 x.zig@5
names: foo()
"#,
    );
}
