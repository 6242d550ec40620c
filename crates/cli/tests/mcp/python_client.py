"""An agent's course of work through the official Python SDK, over one transport; called as sdk.py
says.
"""

import asyncio
import sys

from sdk import FOLDER, MODE, TRANSPORT, Client, check, fail, server, types

SOURCE = FOLDER / "ledger.py"


def source():
    """Forty functions; the test of the eleventh fails until it is mended."""
    yield "import sys\n"
    for n in range(1, 41):
        factor = 7 if n == 11 else n
        yield f"\n\ndef entry_{n}(amount):\n    scaled = amount * {factor}\n"
        yield f"    total = scaled + {n}\n    return total\n"
    yield "\n\nif __name__ == '__main__':\n    assert entry_11(2) == 33, entry_11(2)\n"
    yield "    print('all is well')\n"


class Agent:
    """Calls tools, and keeps what was said meanwhile."""

    def __init__(self, client, session=None):
        self.client = client
        # Over HTTP the newest version has no sessions: requests say whose they are.
        self.meta = {"foveal/session": session} if session else None

    async def ask(self, tool, _progress=None, **arguments):
        return await self.client.call_tool(
            tool, arguments, progress_callback=_progress, meta=self.meta
        )

    async def text(self, tool, _progress=None, **arguments):
        answer = await self.ask(tool, _progress, **arguments)
        text = "".join(block.text for block in answer.content if block.type == "text")
        if answer.is_error:
            fail(f"{tool} {arguments} works", text)
        return text

    async def refused(self, tool, **arguments):
        answer = await self.ask(tool, **arguments)
        text = "".join(block.text for block in answer.content if block.type == "text")
        if not answer.is_error:
            fail(f"{tool} {arguments} is refused", text)
        return text


async def course(agent):
    """Reads, edits, is overtaken by somebody else, mends, runs, searches twice, expands."""
    read = await agent.text("read_file", path="ledger.py", question="what does entry_11 scale by?")
    check("the first read is curated", "(curated)" in read and "entry_11" in read, read)
    check("what matters is there, the rest named", "scaled = amount * 7" in read
          and "left out" in read and len(read) < SOURCE.stat().st_size, read)
    again = await agent.text("read_file", path="ledger.py", question="what does entry_11 scale by?")
    check("the second is a pointer", len(again) < 400 and "amount * 7" not in again, again)

    lines = SOURCE.read_text().splitlines()
    at = lines.index("def entry_30(amount):") + 1
    gap = await agent.text("read_lines", path="ledger.py", start=at, end=at + 3)
    check("a gap is read verbatim", all(line in gap for line in lines[at - 1 : at + 3]), gap)

    await agent.text("edit_file", path="ledger.py", old_str="scaled = amount * 30\n",
                     new_str="scaled = amount * 15 * 2\n", intent="say it in two steps")
    check("the edit is on disk", "amount * 15 * 2" in SOURCE.read_text())
    delta = await agent.text("read_file", path="ledger.py")
    check("read again, what changed is shown", "amount * 15 * 2" in delta, delta)
    check("and not all of it", len(delta) < SOURCE.stat().st_size, delta)

    SOURCE.write_text(SOURCE.read_text().replace("amount * 7\n", "amount * 8\n"))
    why = await agent.refused("edit_file", path="ledger.py", old_str="scaled = amount * 7\n",
                              new_str="scaled = amount * 11\n")
    check("an edit of what somebody else changed is refused", "amount * 8" in why or
          "changed" in why, why)
    check("and nothing is written", "amount * 8\n" in SOURCE.read_text())
    news = await agent.text("read_file", path="ledger.py")
    check("the change is shown", "amount * 8" in news, news)
    await agent.text("edit_file", path="ledger.py", old_str="scaled = amount * 8\n    total = scaled + 11",
                     new_str="scaled = amount * 11\n    total = scaled + 11")

    seen = []

    async def progress(done, total, message):
        seen.append(message)

    command = f"seq 1 4000; {sys.executable} ledger.py; sleep 0.3"
    ran = await agent.ask("bash", progress, command=command)
    text = ran.content[0].text
    check("the tests run", not ran.is_error and "all is well" in text, text)
    check("output came meanwhile", any(seen), seen)
    check("long output is shortened", len(text) < 19_000, len(text))
    handle = (ran.meta or {}).get("foveal/handle")
    check("and has a handle", handle and handle in text, ran.meta, text[:200])

    first = await agent.text("grep", pattern="milestone [0-9]+")
    check("a search finds what was not shown", "milestone 20" in first, first)
    twice = await agent.ask("grep", pattern="milestone [0-9]+")
    again = (twice.meta or {}).get("foveal/cached")
    check("the same search is answered from the one before", again, twice)

    whole = await agent.text("expand", handle=handle, start=1990, end=2010)
    check("what was left out can be had", "\n2000\n" in whole, whole)
    resource = await agent.client.read_resource(f"foveal://content/{handle}", meta=agent.meta)
    check("as a resource too", "\n2000\n" in resource.contents[0].text)
    report = await agent.client.read_resource("foveal://session", meta=agent.meta)
    check("the session is reported", "| bash | 1 |" in report.contents[0].text, report)

    await agent.text("reset")
    anew = await agent.text("read_lines", path="ledger.py", start=1, end=1)
    check("after a reset everything is shown anew", "import sys" in anew, anew)



async def main():
    SOURCE.write_text("".join(source()))
    plan = "".join(f"On day {n}, milestone {n} is due.\n" for n in range(1, 41))
    (FOLDER / "plan.txt").write_text(plan)
    (FOLDER / ".env").write_text("KEY=value\n")
    asked = []

    async def list_roots(context):
        return types.ListRootsResult(roots=[types.Root(uri=FOLDER.as_uri())])

    async def elicit(context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"allow": "once"})

    client = Client(
        server("/"), mode=MODE, list_roots_callback=list_roots, elicitation_callback=elicit
    )
    async with client:
        print(f"{TRANSPORT} {MODE}: {client.protocol_version}")
        check("the server says its name", client.server_info.name == "foveal", client.server_info)
        tools = (await client.list_tools()).tools
        check("tools have schemas and hints", all(
            tool.input_schema["type"] == "object" and tool.annotations for tool in tools))
        names = [tool.name for tool in tools]
        check("all tools are there", "read_file" in names and "bash" in names, names)
        is_alone = TRANSPORT == "http" and client.protocol_version >= "2026"
        agent = Agent(client, "course" if is_alone else None)
        await course(agent)

        secret = await agent.text("read_file", path=".env")
        check("the person is asked about secrets", len(asked) == 1 and ".env" in asked[0], asked)
        check("and heard", "KEY=value" in secret, secret)

        slow = asyncio.create_task(agent.ask(
            "bash", command="echo begun > begun; sleep 1; echo on > went_on"))
        while not (FOLDER / "begun").exists():
            await asyncio.sleep(0.02)
        slow.cancel()
        await asyncio.sleep(1.5)
        check("a call that is cancelled stops", not (FOLDER / "went_on").exists())

        many = await asyncio.gather(*(
            agent.text("bash", command=f"sleep 0.1; echo {n}") for n in range(20)))
        check("calls run beside each other", [int(text) for text in many] == list(range(20)), many)

    if TRANSPORT == "http":
        async with Client(server("/"), mode=MODE, list_roots_callback=list_roots) as other:
            agent = Agent(other, "other" if is_alone else None)
            read = await agent.text("read_lines", path="ledger.py", start=1, end=1)
            check("another client is shown what the first was", "import sys" in read, read)
    print("all is well")


asyncio.run(main())
