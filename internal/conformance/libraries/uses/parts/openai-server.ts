// What the APIs of OpenAI answer.
import { serve } from "./scripted";

export default serve({
  "POST /v1/chat/completions": (body) => body.stream
    ? { sse: ["Hel", "lo, wör", "ld 🌍"].map((content, i) => ({ id: "c1", object: "chat.completion.chunk", created: 1, model: body.model, choices: [{ index: 0, delta: i ? { content } : { role: "assistant", content }, finish_reason: null }] }))
        .concat([{ id: "c1", object: "chat.completion.chunk", created: 1, model: body.model, choices: [{ index: 0, delta: {} as any, finish_reason: "stop" as any }] }]), done: "[DONE]" }
    : { json: { id: "c2", object: "chat.completion", created: 1, model: body.model, choices: [{ index: 0, finish_reason: body.tools ? "tool_calls" : "stop",
        message: body.tools && body.messages.length === 1 ? { role: "assistant", content: null, tool_calls: [{ id: "t1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }] } : { role: "assistant", content: "It is cold." } }],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } } },
  "POST /v1/embeddings": () => ({ json: { object: "list", model: "e", data: [{ object: "embedding", index: 0, embedding: "AACAPwAAAEAAAEDA" }], usage: { prompt_tokens: 1, total_tokens: 1 } } }),
  "GET /v1/models": () => ({ json: { object: "list", data: [{ id: "m1", object: "model" }, { id: "m2", object: "model" }] } }),
  "POST /v1/responses": (body) => ({ sse: [
    { type: "response.created", sequence_number: 0, response: { id: "r1", object: "response", output: [] } },
    { type: "response.output_text.delta", sequence_number: 1, item_id: "i", output_index: 0, content_index: 0, delta: "de" },
    { type: "response.output_text.delta", sequence_number: 2, item_id: "i", output_index: 0, content_index: 0, delta: "lta" },
    { type: "response.completed", sequence_number: 3, response: { id: "r1", object: "response", model: body.model, output: [] } }], named: true }),
  "POST /v1/moderations": () => ({ status: 429, json: { error: { message: "slow down", type: "rate", code: "rate_limit" } }, headers: { "x-request-id": "req_9", "retry-after-ms": "1" } }),
});
