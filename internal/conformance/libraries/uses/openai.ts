// openai
// Chat completions plain and streamed, tools, responses, embeddings and API errors, from a scripted server over HTTP.
// server: openai-server
import OpenAI from "openai";

export default {
  async fetch(request: Request, env: { SERVER: string }) {
    const base = `${env.SERVER}/${crypto.randomUUID()}`;
    const client = new OpenAI({ apiKey: "sk-test", baseURL: base + "/v1", maxRetries: 1 });
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
      embedding: (await client.embeddings.create({ model: "e", input: "x" })).data[0].embedding, limited, requests: ((await (await fetch(base + "/requests")).json()) as string[]).sort(),
    });
  },
};
