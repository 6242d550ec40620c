"""Draws docs/picture/before-after.svg: one tool result as the agent's own tool gave it, and what
foveal puts in its place.

    python3 docs/picture/picture.py [PROGRAM]

PROGRAM is the built `foveal`; without it, `cargo run --release` builds it. All text and all
figures in the two panels come from replaying a session in examples/sessions.
"""

import re
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(__file__).with_name("before-after.svg")
SESSION = "examples/sessions/shape-words.json"
# A file that the agent read before, edited, and now reads once more.
REQUEST, MESSAGE = 28, "61"

WIDTH, MARGIN, GUTTER = 960, 24, 24
PANEL = (WIDTH - 2 * MARGIN - GUTTER) // 2
LINE, TOP = 18, 124
HEAD_LINES, TAIL_LINES, COLUMNS = 12, 3, 58
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
SANS = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif"
INK, FAINT, RULE = "#1f2328", "#59636e", "#d1d9e0"
OLD, NEW = "#cf222e", "#1a7f37"


def replayed(program):
    """The prompt of the request, with the original of each result that was replaced."""
    command = [*program, "replay", SESSION, "--profile", "balanced", "--show", str(REQUEST)]
    done = subprocess.run([*command, "--diff"], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def result(lines):
    """The original and the projected lines of the result, and the tokens of both."""
    heading = re.compile(r"[ +] (\d\d) tool_result \w+: (\w+) (\S+) (\S+)t -> .*?, (\S+)t, handle")
    for at, line in enumerate(lines):
        found = heading.match(line)
        if not found or found[1] != MESSAGE:
            continue
        before, after = [], []
        for row in lines[at + 1 :]:
            if not row.startswith("  "):
                break
            kind, text = row[2:3], row[3:]
            if row.startswith(("  ---", "  +++", "  @@", "  \\")):
                continue
            if kind in " -":
                before.append(text)
            if kind in " +":
                after.append(text)
        return found[3], before, after, found[4], found[5]
    sys.exit(f"message {MESSAGE} was not replaced: choose another result")


class Drawing:
    def __init__(self):
        self.parts = []

    def text(self, x, y, text, size=14, fill=INK, font=SANS, weight="400"):
        self.parts.append(
            f'<text x="{x}" y="{y}" font-family="{font}" font-size="{size}" fill="{fill}" '
            f'font-weight="{weight}" xml:space="preserve">{escape(text)}</text>'
        )

    def box(self, x, y, width, height, fill, stroke="none", radius=6):
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" '
            f'fill="{fill}" stroke="{stroke}"/>'
        )

    def code(self, x, y, text, fill=INK):
        if len(text) > COLUMNS:
            text = text[: COLUMNS - 1] + "…"
        self.text(x, y, text, 12, fill, MONO)


def main():
    program = sys.argv[1:] or ["cargo", "run", "--quiet", "--release", "--"]
    name, before, after, tokens_before, tokens_after = result(replayed(program))
    drawing = Drawing()
    left, right = MARGIN, MARGIN + PANEL + GUTTER
    height = TOP + (HEAD_LINES + TAIL_LINES + 2) * LINE + MARGIN
    drawing.box(0.5, 0.5, WIDTH - 1, height - 1, "#ffffff", RULE, 10)
    drawing.text(left, 40, f"The agent edits {name}, runs its tests, and reads it again", 18, weight="600")
    for x, title, tokens, colour in [
        (left, "Before: what the agent’s own tool gives", tokens_before, OLD),
        (right, "After: what foveal gives", tokens_after, NEW),
    ]:
        drawing.text(x, 76, title, 14, FAINT)
        drawing.text(x, 98, f"{tokens} tokens", 18, colour, weight="600")
        drawing.box(x, TOP - 14, PANEL, height - TOP - MARGIN + 14, "#f6f8fa", RULE)
    share = number_of(tokens_after) / number_of(tokens_before)
    for x, width, colour in [(left, PANEL - 124, OLD), (right, (PANEL - 124) * share, NEW)]:
        drawing.box(x + 124, 87, max(round(width), 3), 10, colour, radius=2)
    panel_before(drawing, left + 10, before)
    panel_after(drawing, right + 10, after)
    TARGET.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Before: {tokens_before} tokens. '
        f'After: {tokens_after} tokens.">\n' + "\n".join(drawing.parts) + "\n</svg>\n"
    )
    print(f"{TARGET.relative_to(ROOT)}: {tokens_before} tokens before, {tokens_after} after")


def number_of(tokens):
    return float(tokens.rstrip("k")) * (1000 if tokens.endswith("k") else 1)


def panel_before(drawing, x, lines):
    shown = lines[:HEAD_LINES]
    left_out = len(lines) - HEAD_LINES - TAIL_LINES
    rows = [*shown, None, *lines[-TAIL_LINES:]]
    for row, line in enumerate(rows):
        y = TOP + 8 + row * LINE
        if line is None:
            drawing.text(x, y, f"⋮  {left_out} more lines", 12, FAINT)
        else:
            drawing.code(x, y, line)


def panel_after(drawing, x, lines):
    y = TOP + 8
    for line in lines:
        drawing.code(x, y, line, FAINT if line.startswith("[") else INK)
        y += LINE
    y += LINE
    for text in [
        "Lines that the model can still see above are not sent again:",
        "a note names them. What changed since is sent.",
        "",
        "If one of those lines left the prompt, it would be sent, too.",
        "Whatever is left out can be had again by its handle.",
    ]:
        drawing.text(x, y, text, 13, FAINT)
        y += LINE + 2


main()
