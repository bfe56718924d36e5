// @anthropic-ai/sdk
// Messages plain and streamed with events and accumulated text, tool input, errors and retries, from a scripted server over HTTP.
// server: anthropic-server
import Anthropic from "@anthropic-ai/sdk";

export default {
  async fetch(request: Request, env: { SERVER: string }) {
    const base = `${env.SERVER}/${crypto.randomUUID()}`;
    const client = new Anthropic({ apiKey: "k", baseURL: base });
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
      retried: (await client.messages.create({ model: "busy", ...ask })).id,
      bad: await client.messages.create({ model: "bad", ...ask }).catch((e) => [e instanceof Anthropic.BadRequestError, e.status, e.message, e.requestID]),
      count: await client.messages.countTokens({ model: "m", messages: ask.messages }), requests: await (await fetch(base + "/requests")).json(),
    });
  },
};
