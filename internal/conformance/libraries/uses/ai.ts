// ai
// generateText, streamText with tools and steps, Output.object with a zod schema, UI message streams, from a scripted server over HTTP.
// server: ai-server
// GET /
// GET /ui
// GET /text
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

let ids = 0;
const weather = tool({ description: "the weather", inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => ({ city, degrees: 7 }) });

export default {
  async fetch(request: Request, env: { SERVER: string }) {
    const base = `${env.SERVER}/${crypto.randomUUID()}`, model = createOpenAI({ apiKey: "k", baseURL: base + "/v1" }).chat("gpt-test");
    const path = new URL(request.url).pathname;
    const run = () => streamText({ model, prompt: "weather in Bergen?", tools: { weather }, stopWhen: stepCountIs(3) });
    if (path === "/ui") return run().toUIMessageStreamResponse({ generateMessageId: () => "msg-" + ids++ });
    if (path === "/text") return streamText({ model, prompt: "hi" }).toTextStreamResponse();
    const text = await generateText({ model, system: "be brief", prompt: "hello" });
    const object = await generateText({ model, prompt: "a recipe", output: Output.object({ schema: z.object({ name: z.string(), steps: z.array(z.string()) }) }) });
    const result = run();
    const parts = [];
    for await (const p of result.fullStream) parts.push(p.type);
    const partial = [];
    for await (const p of streamText({ model, prompt: "a recipe", output: Output.object({ schema: z.object({ name: z.string(), steps: z.array(z.string()) }) }) }).partialOutputStream) partial.push(p);
    return Response.json({ text: text.text, usage: text.usage, finish: text.finishReason, object: object.output, parts, final: await result.text,
      steps: (await result.steps).map((s) => [s.finishReason, s.toolCalls.map((c) => c.input), s.toolResults.map((r) => r.output)]), partial, requests: ((await (await fetch(base + "/requests")).json()) as string[]).length });
  },
};
