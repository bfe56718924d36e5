// openai
// Chat completions plain and streamed, tools, responses, embeddings and API errors, from a scripted server.
import OpenAI from "openai";
import { server } from "./parts/scripted";

const fake = server({
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

export default {
  async fetch() {
    const client = new OpenAI({ apiKey: "sk-test", baseURL: "http://fake.example/v1", fetch: fake.fetch, maxRetries: 1 });
    const plain = await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const chunks = [];
    for await (const c of await client.chat.completions.create({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] })) chunks.push(c.choices[0].delta.content ?? c.choices[0].finish_reason);
    const runner = client.chat.completions.runTools({ model: "m", messages: [{ role: "user", content: "weather?" }],
      tools: [{ type: "function", function: { name: "weather", description: "w", parse: JSON.parse, parameters: { type: "object", properties: { city: { type: "string" } } }, function: ({ city }: { city: string }) => `-3 in ${city}` } }] });
    const helper = client.chat.completions.stream({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const seen: string[] = [];
    helper.on("content", (delta, snapshot) => seen.push(delta + "|" + snapshot));
    const events = [];
    for await (const e of await client.responses.create({ model: "m", input: "x", stream: true })) events.push(e.type);
    const models = [];
    for await (const m of client.models.list()) models.push(m.id);
    const limited = await client.moderations.create({ input: "x" }).catch((e) => [e.constructor.name, e instanceof OpenAI.RateLimitError, e.status, e.message, e.code, e.requestID]);
    return Response.json({
      text: plain.choices[0].message.content, usage: plain.usage, chunks, tool: await runner.finalContent(), final: (await helper.finalChatCompletion()).choices[0].message, seen, events, models,
      embedding: (await client.embeddings.create({ model: "e", input: "x" })).data[0].embedding, limited, requests: fake.requests(),
    });
  },
};
