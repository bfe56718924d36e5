// @anthropic-ai/sdk
// Messages plain and streamed with events and accumulated text, tool input, errors and retries, from a scripted server.
import Anthropic from "@anthropic-ai/sdk";
import { server } from "./parts/scripted";

const usage = { input_tokens: 5, output_tokens: 7 };
let tries = 0;
const fake = server({
  "POST /v1/messages": (body) => {
    if (body.model === "busy" && tries++ === 0) return { status: 529, json: { type: "error", error: { type: "overloaded_error", message: "busy" } }, headers: { "retry-after-ms": "1" } };
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

export default {
  async fetch() {
    const client = new Anthropic({ apiKey: "k", baseURL: "http://fake.example", fetch: fake.fetch });
    const ask = { max_tokens: 10, messages: [{ role: "user" as const, content: "tell" }] };
    const plain = await client.messages.create({ model: "m", ...ask });
    const raw = [];
    for await (const e of await client.messages.create({ model: "m", ...ask, stream: true })) raw.push(e.type);
    const stream = client.messages.stream({ model: "m", ...ask });
    const texts: string[] = [], inputs: unknown[] = [];
    stream.on("text", (t) => texts.push(t)).on("inputJson", (part, now) => inputs.push([part, now]));
    const final = await stream.finalMessage();
    const lines = await new Response(client.messages.stream({ model: "m", ...ask }).toReadableStream()).text();
    const aborted = client.messages.stream({ model: "m", ...ask });
    aborted.on("streamEvent", () => aborted.abort());
    return Response.json({
      text: plain.content, raw, texts, inputs, final, lines: lines.split("\n").length,
      aborted: await aborted.finalMessage().then(() => "finished", (e) => [e instanceof Anthropic.APIUserAbortError, e.message]),
      retried: (await client.messages.create({ model: "busy", ...ask })).id, tries,
      bad: await client.messages.create({ model: "bad", ...ask }).catch((e) => [e instanceof Anthropic.BadRequestError, e.status, e.message, e.requestID]),
      count: await client.messages.countTokens({ model: "m", messages: ask.messages }), requests: fake.requests(),
    });
  },
};
