// Written by `foveal init`; `foveal init --remove pi` takes it out again.
//
// Gives what pi's own tools answer to foveal, and puts in its place what foveal makes of it.
// Whatever goes wrong, an answer stays as it is.

import { spawn } from "node:child_process";

const PROGRAM = "@PROGRAM@";
const TOOLS = new Set(["bash", "read", "grep", "find", "ls"]);
// There is little to gain from shorter answers.
const CHARS_MIN = 400;
// Of the conversation, the last so many characters.
const CONVERSATION_CHARS_MAX = 6_000_000;
const TIME_MAX_MS = 3_000;
// After so many calls that took too long, foveal is not asked any more.
const TIMEOUTS_MAX = 2;

let timeouts = 0;

// What foveal answers to an event; nothing if it does not in time, or cannot be started.
function ask(event: unknown): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook", "pi"], { stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => {
      timeouts += 1;
      child.kill("SIGKILL");
      resolve(undefined);
    }, TIME_MAX_MS);
    const end = (answer: string | undefined) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.on("error", () => end(undefined));
    child.on("close", (code) => end(code === 0 ? Buffer.concat(parts).toString("utf8") : undefined));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}

// All longer texts of a request.
function collect(value: unknown, texts: Set<string>) {
  if (typeof value === "string") {
    if (value.length >= CHARS_MIN) texts.add(value);
  } else if (Array.isArray(value)) {
    for (const one of value) collect(one, texts);
  } else if (value !== null && typeof value === "object") {
    for (const one of Object.values(value)) collect(one, texts);
  }
}

// A message as the model was sent it: without the results that were not in the last request.
function sent(message: any, texts: Set<string>): any {
  if (message.role !== "toolResult") return message;
  const content = message.content?.filter((part: any) => part.type === "text" && texts.has(part.text));
  return { ...message, content: content ?? [] };
}

// The last messages of the branch as pi records them.
function conversation(session: any, texts: Set<string>): string {
  const lines: string[] = [];
  let left = CONVERSATION_CHARS_MAX;
  for (const entry of session.getBranch().toReversed()) {
    if (entry.type !== "message") continue;
    const { timestamp, message } = entry;
    const line = JSON.stringify({ type: "message", timestamp, message: sent(message, texts) });
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
  }
  const head = { type: "session", version: 3, id: session.getSessionId(), cwd: session.getCwd() };
  return [JSON.stringify(head), ...lines.toReversed()].join("\n");
}

export default function (pi: any) {
  // The longer texts of the last request.
  let texts = new Set<string>();
  pi.on("before_provider_request", (event: any) => {
    texts = new Set();
    collect(event.payload, texts);
  });
  pi.on("tool_result", async (event: any, ctx: any) => {
    try {
      const [part] = event.content;
      if (timeouts >= TIMEOUTS_MAX || !TOOLS.has(event.toolName)) return;
      if (event.content.length !== 1 || part.type !== "text" || part.text.length < CHARS_MIN) return;
      const answer = await ask({
        hook_event_name: "PostToolUse",
        session_id: ctx.sessionManager.getSessionId(),
        tool_use_id: event.toolCallId,
        tool_name: event.toolName,
        tool_input: event.input,
        tool_response: part.text,
        cwd: ctx.cwd,
        provider_url: ctx.model?.baseUrl,
        conversation: conversation(ctx.sessionManager, texts),
      });
      const shaped = answer ? JSON.parse(answer).output : undefined;
      if (typeof shaped === "string") return { content: [{ type: "text", text: shaped }] };
    } catch {
      // The answer stays as it is.
    }
  });
}
