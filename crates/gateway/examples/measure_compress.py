"""Measures services that make the messages of prompts shorter (`POST /v1/compress`).

    python3 measure_compress.py [--kept-back] FOVEAL NAME=URL... -- SESSION...

Sends recorded sessions (ATIF) to each service as a gateway would: request by request, the whole
history each time. `--kept-back` sends what LiteLLM sends: results without their calls, and not the
newest exchange. FOVEAL, a `foveal serve`, counts the tokens of all answers alike (o200k).

For each service: how long requests took, tokens of all prompts together, and how many requests
changed a message that the service had answered before. What the provider's cache makes of that is told as cost,
with a tenth of the price for the prefix that is as before, and one and a quarter for the rest.
"""

import json
import sys
import time
import urllib.request

MODEL = "claude-sonnet-4-5"
READ, WRITTEN = 0.1, 1.25


def post(url, body, headers=()):
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **dict(headers)})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def prompts(path):
    """The messages of each request of a session, as OpenAI's Chat has them."""
    messages = []
    for step in json.load(open(path))["steps"]:
        text = step.get("message") or ""
        if not isinstance(text, str):
            text = "\n".join(part.get("text") or "" for part in text)
        if step["source"] != "agent":
            messages.append({"role": step["source"], "content": text})
            continue
        yield list(messages)
        calls = [
            {
                "id": call["tool_call_id"],
                "type": "function",
                "function": {"name": call["function_name"], "arguments": json.dumps(call["arguments"])},
            }
            for call in step.get("tool_calls") or []
        ]
        said = {"role": "assistant", "content": text or None}
        messages.append({**said, "tool_calls": calls} if calls else said)
        for result in (step.get("observation") or {}).get("results") or []:
            content = result.get("content") or ""
            if not isinstance(content, str):
                content = "\n".join(part.get("text") or "" for part in content)
            call = result.get("source_call_id")
            if call:
                messages.append({"role": "tool", "tool_call_id": call, "content": content})


def kept_back(messages):
    """The places of the messages that LiteLLM does not show the service."""
    users = [at for at, message in enumerate(messages) if message["role"] == "user"]
    assistants = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    back = set(assistants) | set(users[-1:])
    back |= {at for at, message in enumerate(messages) if message["role"] == "system"}
    if assistants:
        at = assistants[-1] + 1
        while at < len(messages) and messages[at]["role"] == "tool":
            back.add(at)
            at += 1
    return back


class Counter:
    """Tokens of messages, each counted once."""

    def __init__(self, foveal):
        self.url = foveal + "/v1/compress"
        self.known = {}

    def count(self, message):
        key = json.dumps(message)
        if key not in self.known:
            answer = post(self.url, {"messages": [message]}, {"x-headroom-bypass": "true"}.items())
            self.known[key] = answer["tokens_before"]
        return self.known[key]


def answered(url, messages, is_kept_back):
    """What goes to the provider, and how long that took to say."""
    back = kept_back(messages) if is_kept_back else set()
    shown = [message for at, message in enumerate(messages) if at not in back]
    if not shown:
        return messages, back, None
    began = time.perf_counter()
    answer = post(url + "/v1/compress", {"messages": shown, "model": MODEL})["messages"]
    took = time.perf_counter() - began
    if len(answer) != len(shown):
        raise SystemExit("the service changed the number of messages")
    answer = iter(answer)
    sent = [message if at in back else next(answer) for at, message in enumerate(messages)]
    return sent, back, took


def measured(url, sessions, is_kept_back, counter):
    times, tokens, cost, changed, requests = [], 0, 0.0, 0, 0
    for path in sessions:
        before, kept = [], set()
        for messages in prompts(path):
            requests += 1
            if url is None:
                sent, back, took = messages, set(), None
            else:
                sent, back, took = answered(url, messages, is_kept_back)
            if took is not None:
                times.append(took)
            counts = [counter.count(message) for message in sent]
            same = 0
            while same < len(before) and sent[same] == before[same]:
                same += 1
            answers = [at for at in range(len(before)) if at not in kept]
            changed += any(sent[at] != before[at] for at in answers)
            tokens += sum(counts)
            cost += READ * sum(counts[:same]) + WRITTEN * sum(counts[same:])
            before, kept = sent, back
    times.sort()
    return times, tokens, cost, changed, requests


def main():
    arguments = sys.argv[1:]
    is_kept_back = "--kept-back" in arguments
    arguments = [argument for argument in arguments if argument != "--kept-back"]
    split = arguments.index("--")
    (foveal, *services), sessions = arguments[:split], arguments[split + 1 :]
    counter = Counter(foveal)
    _, raw_tokens, raw_cost, _, requests = measured(None, sessions, is_kept_back, counter)
    print(f"{len(sessions)} sessions, {requests} requests, {raw_tokens:,} tokens of prompts")
    for service in services:
        name, url = service.split("=", 1)
        times, tokens, cost, changed, _ = measured(url, sessions, is_kept_back, counter)
        at = lambda share: 1e3 * times[min(int(share * len(times)), len(times) - 1)]
        print(
            f"{name}: {tokens / raw_tokens - 1:+.1%} tokens, {cost / raw_cost - 1:+.1%} cost, "
            f"{changed} requests changed what was answered before; "
            f"p50 {at(0.5):.1f} ms, p95 {at(0.95):.1f} ms, max {at(1):.1f} ms"
        )


main()
