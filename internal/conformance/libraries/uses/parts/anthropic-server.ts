// What the Messages API of Anthropic answers.
import { serve } from "./scripted";

const usage = { input_tokens: 5, output_tokens: 7 };
export default serve({
  "POST /v1/messages": (body, _, seen) => {
    if (body.model === "busy" && seen.filter((s) => s.includes("busy")).length === 1) return { status: 529, json: { type: "error", error: { type: "overloaded_error", message: "busy" } }, headers: { "retry-after-ms": "1" } };
    if (body.model === "bad") return { status: 400, json: { type: "error", error: { type: "invalid_request_error", message: "no such model" } }, headers: { "request-id": "req_1" } };
    if (!body.stream) return { json: { id: "m1", type: "message", role: "assistant", model: body.model, content: [{ type: "text", text: "Grüße" }], stop_reason: "end_turn", stop_sequence: null, usage } };
    return { named: true, sse: [
      { type: "message_start", message: { id: "m2", type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "ping" },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Once 🐉 " } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "upon" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "t", name: "find", input: {} } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"q": "dra' } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: 'gon"}' } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 9 } },
      { type: "message_stop" } ] };
  },
  "POST /v1/messages/count_tokens": () => ({ json: { input_tokens: 11 } }),
});
