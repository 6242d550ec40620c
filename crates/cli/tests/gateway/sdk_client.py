"""The official SDKs against two servers, which are to be told apart by nothing.

sdk_client.py URL URL

Each case runs against both, in the same order; what the SDK gives back, or the error that it
raises, is compared. Ends with 1 and both results where they differ, with 77 without the SDKs.
"""

import base64
import json
import sys
import zlib
import struct

try:
    import anthropic
    import openai
    from google import genai
    from google.genai import errors as google_errors
    from google.genai import types
except ImportError as missing:
    print(f"no usable SDK: {missing}")
    sys.exit(77)

BASES = sys.argv[1:3]
CLAUDE, GPT, GEMINI = "claude-opus-4-5", "gpt-5", "gemini-2.5-pro"
LONG = "".join(f"{n}: a line of a long result that repeats itself\n" for n in range(4000))
SYSTEM = "".join(f"Rule {n}: say what you do before you do it.\n" for n in range(900))


def picture():
    """A PNG of one red point."""
    def chunk(kind, data):
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


PICTURE = base64.b64encode(picture()).decode()
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def plain(value):
    """What an SDK gives back, as plain values."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True, warnings=False)
    return value


def without_usage(value):
    """Where results were long, what is billed may differ, and only that."""
    if isinstance(value, dict):
        hidden = ("usage", "usage_metadata", "input_tokens", "total_tokens",
                  "sdk_http_response")
        return {key: without_usage(each) for key, each in value.items() if key not in hidden}
    if isinstance(value, list):
        return [without_usage(each) for each in value]
    return value


# Anthropic


def anthropic_client(base):
    return anthropic.Anthropic(base_url=base, api_key="sk-ant-none", max_retries=0)


def claude(said, **more):
    messages = said if isinstance(said, list) else [{"role": "user", "content": said}]
    return {"model": CLAUDE, "max_tokens": 4000, "messages": messages, **more}


TOOLS = [
    {"name": name, "description": name, "input_schema": SCHEMA} for name in ("weather", "time")
]


def anthropic_whole(client, said="hello", **more):
    return [plain(client.messages.create(**claude(said, **more)))]


def anthropic_stream(client, said="hello", **more):
    with client.messages.stream(**claude(said, **more)) as stream:
        events = [plain(event) for event in stream]
        return events + [plain(stream.get_final_message())]


def anthropic_tools(client, result="18 degrees"):
    first = client.messages.create(**claude("case-tools", tools=TOOLS))
    blocks = [plain(block) for block in first.content]
    calls = [block for block in blocks if block["type"] == "tool_use"]
    assert len(calls) == 3, blocks
    assert any(block.get("signature") for block in blocks), blocks
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": result} for call in calls
    ]
    results[1]["is_error"] = True
    results[2]["content"] = [
        {"type": "text", "text": result},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
    ]
    said = [
        {"role": "user", "content": "case-tools"},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": results},
    ]
    count = client.messages.count_tokens(model=CLAUDE, messages=said, tools=TOOLS)
    thinking = {"type": "enabled", "budget_tokens": 1024}
    more = {"tools": TOOLS, "thinking": thinking}
    return [plain(first), plain(count), *anthropic_stream(client, said, **more)]


def anthropic_caching(client):
    system = [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
    said = [{"role": "user", "content": "again"}]
    answers = [plain(client.messages.create(**claude(said, system=system))) for _ in range(2)]
    assert answers[1]["usage"]["cache_read_input_tokens"] > 4096, answers
    return answers


def anthropic_image(client):
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "what is it?"}]
    return anthropic_whole(client, [{"role": "user", "content": content}])


# OpenAI


def openai_client(base):
    return openai.OpenAI(base_url=f"{base}/v1", api_key="sk-none", max_retries=0)


def chat(client, said="hello", **more):
    messages = said if isinstance(said, list) else [{"role": "user", "content": said}]
    return client.chat.completions.create(model=GPT, messages=messages, **more)


CHAT_TOOLS = [
    {"type": "function", "function": {"name": name, "description": name, "parameters": SCHEMA}}
    for name in ("weather", "time")
]
RESPONSE_TOOLS = [
    {"type": "function", "name": name, "description": name, "parameters": SCHEMA, "strict": False}
    for name in ("weather", "time")
]


def chat_stream(client, said="hello", **more):
    options = {"include_usage": True}
    return [plain(each) for each in chat(client, said, stream=True, stream_options=options, **more)]


def chat_tools(client, result="18 degrees"):
    first = plain(chat(client, "case-tools", tools=CHAT_TOOLS))
    message = first["choices"][0]["message"]
    assert len(message["tool_calls"]) == 3, message
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": result}
        for call in message["tool_calls"]
    ]
    said = [{"role": "user", "content": "case-tools"}, message, *results]
    return [first, *chat_stream(client, said, tools=CHAT_TOOLS)]


def chat_image(client):
    url = {"url": f"data:image/png;base64,{PICTURE}"}
    content = [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": url}]
    return [plain(chat(client, [{"role": "user", "content": content}]))]


def chat_caching(client):
    said = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "again"}]
    answers = [plain(chat(client, said)) for _ in range(2)]
    assert answers[1]["usage"]["prompt_tokens_details"]["cached_tokens"] > 1024, answers
    return answers


def responses(client, said="hello", **more):
    return plain(client.responses.create(model=GPT, input=said, store=False, **more))


def responses_stream(client, said="hello", **more):
    events = client.responses.create(model=GPT, input=said, store=False, stream=True, **more)
    return [plain(event) for event in events]


def responses_tools(client, result="18 degrees"):
    asked = {"role": "user", "content": "case-tools"}
    first = responses(client, [asked], tools=RESPONSE_TOOLS)
    calls = [item for item in first["output"] if item["type"] == "function_call"]
    assert len(calls) == 3, first
    results = [
        {"type": "function_call_output", "call_id": call["call_id"], "output": result}
        for call in calls
    ]
    said = [asked, *first["output"], *results]
    return [first, *responses_stream(client, said, tools=RESPONSE_TOOLS)]


# Google


def google_client(base):
    options = types.HttpOptions(base_url=base, retry_options=types.HttpRetryOptions(attempts=1))
    return genai.Client(api_key="none", http_options=options)


def gemini(client, said="hello", **more):
    return [plain(client.models.generate_content(model=GEMINI, contents=said, **more))]


def gemini_stream(client, said="hello", **more):
    stream = client.models.generate_content_stream(model=GEMINI, contents=said, **more)
    return [plain(each) for each in stream]


def gemini_tools(client, result="18 degrees"):
    declared = [
        types.FunctionDeclaration(name=name, description=name, parameters_json_schema=SCHEMA)
        for name in ("weather", "time")
    ]
    manual = types.AutomaticFunctionCallingConfig(disable=True)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=declared)], automatic_function_calling=manual
    )
    asked = types.Content(role="user", parts=[types.Part(text="case-tools")])
    first = client.models.generate_content(model=GEMINI, contents=[asked], config=config)
    calls = first.function_calls
    assert len(calls) == 3, first
    results = [
        types.Part(
            function_response=types.FunctionResponse(
                id=call.id, name=call.name, response={"output": result}
            )
        )
        for call in calls
    ]
    said = [asked, first.candidates[0].content, types.Content(role="user", parts=results)]
    count = client.models.count_tokens(model=GEMINI, contents=said)
    return [plain(first), plain(count), *gemini_stream(client, said, config=config)]


def gemini_image(client):
    image = types.Part.from_bytes(data=picture(), mime_type="image/png")
    return gemini(client, [image, "what is it?"])


# What is compared

ERRORS = (anthropic.AnthropicError, openai.OpenAIError, google_errors.APIError)


def error_of(error):
    """An error as a program that uses the SDK sees it."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    return {
        "error": type(error).__name__,
        "status": getattr(error, "status_code", None) or getattr(error, "code", None),
        "body": getattr(error, "body", None) or getattr(error, "details", None),
        "retry-after": headers.get("retry-after"),
    }


def outcome(case, client, arguments):
    try:
        return case(client, *arguments)
    except ERRORS as error:
        return [error_of(error)]
    except Exception as error:
        # A connection that breaks is a reset to one and an early end to the other: a gateway
        # ends what it cannot finish.
        assert type(error).__name__ in ("ReadError", "RemoteProtocolError"), error
        return [{"error": "the connection broke"}]


BROKEN = ["case-overloaded", "case-limited", "case-broken", "case-refused"]
CASES = [
    (anthropic_client, [
        (anthropic_whole, ()), (anthropic_stream, ()), (anthropic_tools, ()),
        (anthropic_tools, (LONG,)), (anthropic_caching, ()), (anthropic_image, ()),
        *[(anthropic_whole, (each,)) for each in BROKEN],
        *[(anthropic_stream, (each,)) for each in [*BROKEN, "case-error-event", "case-cut"]],
    ]),
    (openai_client, [
        (lambda client: [plain(chat(client))], ()), (chat_stream, ()), (chat_tools, ()),
        (chat_tools, (LONG,)), (chat_caching, ()), (chat_image, ()),
        (lambda client: [responses(client)], ()), (responses_stream, ()), (responses_tools, ()),
        (responses_tools, (LONG,)), (lambda client: [plain(client.models.list())], ()),
        *[(lambda client, said: [plain(chat(client, said))], (each,)) for each in BROKEN],
        *[(chat_stream, (each,)) for each in ["case-error-event", "case-cut"]],
        *[(responses_stream, (each,)) for each in [*BROKEN, "case-error-event", "case-cut"]],
    ]),
    (google_client, [
        (gemini, ()), (gemini_stream, ()), (gemini_tools, ()), (gemini_tools, (LONG,)),
        (gemini_image, ()),
        *[(gemini, (each,)) for each in BROKEN],
        *[(gemini_stream, (each,)) for each in ["case-limited", "case-error-event", "case-cut"]],
    ]),
]


def main():
    compared = failures = 0
    for start, cases in CASES:
        clients = [start(base) for base in BASES]
        for case, arguments in cases:
            bare, behind = (outcome(case, client, arguments) for client in clients)
            if LONG in arguments:
                assert len(bare) > 1, bare
                bare, behind = without_usage(bare), without_usage(behind)
            bare, behind = (json.dumps(each, sort_keys=True) for each in (bare, behind))
            for base in BASES:
                # The address is the one thing that may differ.
                bare, behind = bare.replace(base, "BASE"), behind.replace(base, "BASE")
            name = f"{case.__name__} {str(arguments)[:40]}"
            compared += 1
            if strip_times(bare) != strip_times(behind):
                failures += 1
                print(f"DIFFERENT: {name}", bare[:3000], behind[:3000], sep="\n")
    print(f"{compared} cases of three SDKs")
    if failures:
        sys.exit(1)
    print("all is well")


def strip_times(text):
    """Without the time at which an answer was made, which is in some."""
    value = json.loads(text)

    def strip(each):
        if isinstance(each, dict):
            hidden = ("date", "created", "created_at", "completed_at", "parsed", "create_time")
            return {key: strip(value) for key, value in each.items() if key not in hidden}
        return [strip(value) for value in each] if isinstance(each, list) else each

    return strip(value)


main()
