"""A client that lends its model, through the official Python SDK, over one transport; called as
sdk.py says. FOLDER holds the files a.rs, b.rs and so on, each of thirty functions of ten lines,
`step_1` to `step_30`.
"""

import asyncio
import json

from sdk import FOLDER, MODE, Client, check, server, types


def chooses(first, last):
    reason = "the step that is asked about"
    return json.dumps({
        "line_ranges": [{"start": first, "end": last, "reason": reason}],
        "summary": "one step of thirty", "preserved_percentage": 3})


class Model:
    """Answers as it is told, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    async def __call__(self, context, params):
        self.asked.append(params)
        answer = self.answers.pop(0) if self.answers else chooses(1, 10)
        if isinstance(answer, int):
            return types.ErrorData(code=answer, message="User rejected sampling request")
        content = types.TextContent(type="text", text=answer)
        return types.CreateMessageResult(role="assistant", content=content, model="small-1")


def connect(model):
    return Client(server(FOLDER), mode=MODE, sampling_callback=model)


async def read(client, path, step):
    seen = []

    async def progress(done, total, message):
        seen.append(message)

    answer = await client.call_tool(
        "read_file", {"path": path, "question": f"what does {step} do?"},
        progress_callback=progress)
    text = "".join(block.text for block in answer.content if block.type == "text")
    check(f"{path} is read", not answer.is_error, text)
    return text, (answer.meta or {}).get("foveal/curated"), seen


BY_MODEL = "a model chose these lines: the step that is asked about"


async def lends():
    model = Model(chooses(111, 120), "I do not know.", "[]", chooses(121, 130))
    async with connect(model) as client:
        text, by, seen = await read(client, "a.rs", "step_12")
        check("the client's model chose", BY_MODEL in text, text)
        check("what it chose is shown", "pub fn step_12()" in text and "= 13 * 3" not in text, text)
        check("its name is told", by and by["model"] == "client:small-1", by)
        check("that it is at work is told", any("curating" in told for told in seen), seen)
        asked = model.asked[0]
        check("it is asked as any curator", abs(asked.temperature - 0.3) < 1e-6
              and asked.max_tokens == 1500 and "line_ranges" in asked.system_prompt, asked)
        told = asked.messages[0].content.text
        check("with the question and numbered lines", "step_12 do?" in told
              and "111: pub fn step_12()" in told, told)
        check("without secrets", "[secret removed: " in told and "AKIA" not in told, told[-400:])

        text, by, seen = await read(client, "b.rs", "step_12")
        check("nonsense is answered by the built-in curator", by is None
              and "a model chose" not in text and "pub fn step_12()" in text, text)
        check("after a second try", len(model.asked) == 3, len(model.asked))
        text, by, _ = await read(client, "c.rs", "step_13")
        check("the next file may be asked about", by and "pub fn step_13()" in text, text)

    other = Model()
    async with connect(other) as client:
        text, by, _ = await read(client, "a.rs", "step_12")
        check("what was chosen is kept", by and BY_MODEL in text, text)
        check("and not asked about again", not other.asked, len(other.asked))


async def refuses():
    model = Model(-1)
    async with connect(model) as client:
        for path in ["d.rs", "e.rs"]:
            text, by, _ = await read(client, path, "step_12")
            check("a no shows no error", by is None and "pub fn step_12()" in text, text)
        check("and is heard once", len(model.asked) == 1, len(model.asked))


async def is_not_asked(path):
    model = Model()
    async with connect(model) as client:
        text, by, seen = await read(client, path, "step_12")
        check("nor is that tried", not any("curating" in told for told in seen), seen)
        check("the built-in curator chooses", by is None and "pub fn step_12()" in text, text)
        check("nobody is asked", not model.asked, len(model.asked))


async def main():
    if MODE == "legacy" and not (FOLDER / "nobody-is-asked").exists():
        await lends()
        await refuses()
    else:
        await is_not_asked("f.rs")
    print("all is well")


asyncio.run(main())
