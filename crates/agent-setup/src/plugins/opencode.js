// Written by `foveal init`; `foveal init --remove opencode` takes it out again.
//
// Gives what opencode's own tools answer to foveal, and puts in its place what foveal makes of it.
// Whatever goes wrong, an answer stays as it is.

import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const TOOLS = new Set(["bash", "read", "grep", "glob", "list"])
// There is little to gain from shorter answers.
const CHARS_MIN = 400
// Of the conversation, the last so many characters.
const CONVERSATION_CHARS_MAX = 6_000_000
const SESSIONS_MAX = 50
const TIME_MAX_MS = 3_000
// After so many calls that took too long, foveal is not asked any more.
const TIMEOUTS_MAX = 2

let timeouts = 0

// What foveal answers to an event; nothing if it does not in time, or cannot be started.
function ask(event) {
  return new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => {
      timeouts += 1
      child.kill("SIGKILL")
      resolve(undefined)
    }, TIME_MAX_MS)
    const end = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const parts = []
    child.stdout.on("data", (part) => parts.push(part))
    child.on("error", () => end(undefined))
    child.on("close", (code) => end(code === 0 ? Buffer.concat(parts).toString("utf8") : undefined))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })
}

// A part as the model is sent it.
function sent(part) {
  if (part.type !== "tool" || !part.state?.time?.compacted) return part
  return { ...part, state: { ...part.state, output: "", attachments: [] } }
}

// The last messages as opencode exports them.
function conversation(id, directory, messages) {
  const kept = []
  let left = CONVERSATION_CHARS_MAX
  for (const { info, parts } of messages.toReversed()) {
    const told = parts.filter((part) => part.type !== "file").map(sent)
    const text = JSON.stringify({ info, parts: told })
    left -= text.length
    if (left < 0) break
    kept.push(text)
  }
  const head = JSON.stringify({ id, directory })
  return `{"info":${head},"messages":[${kept.toReversed().join(",")}]}`
}

export const Foveal = async ({ directory }) => {
  // What each session's model was sent last.
  const prompts = new Map()
  // The address of the session's provider.
  const addresses = new Map()
  const remember = (all, session, value) => {
    all.delete(session)
    all.set(session, value)
    if (all.size > SESSIONS_MAX) all.delete(all.keys().next().value)
  }
  return {
    event: async ({ event }) => {
      if (event.type !== "session.compacted" || timeouts >= TIMEOUTS_MAX) return
      const session_id = event.properties?.sessionID
      await ask({ hook_event_name: "PostCompact", session_id, cwd: directory })
    },
    "chat.params": async (input) => {
      remember(addresses, input.sessionID, input.provider?.options?.baseURL ?? input.model?.api?.url)
    },
    "experimental.chat.messages.transform": async (_, output) => {
      const session = output.messages[0]?.info?.sessionID
      if (session === undefined) return
      remember(prompts, session, output.messages)
    },
    "tool.execute.after": async (input, output) => {
      try {
        const { tool, sessionID, callID, args } = input
        const text = output.output
        if (timeouts >= TIMEOUTS_MAX || !TOOLS.has(tool) || !args) return
        if (typeof text !== "string" || text.length < CHARS_MIN) return
        const answer = await ask({
          hook_event_name: "PostToolUse",
          session_id: sessionID,
          tool_use_id: callID,
          tool_name: tool,
          tool_input: args,
          tool_response: text,
          cwd: directory,
          provider_url: addresses.get(sessionID),
          conversation: conversation(sessionID, directory, prompts.get(sessionID) ?? []),
        })
        const shaped = answer ? JSON.parse(answer).output : undefined
        if (typeof shaped === "string") output.output = shaped
      } catch {
        // The answer stays as it is.
      }
    },
  }
}
