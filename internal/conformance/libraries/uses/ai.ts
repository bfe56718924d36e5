// ai
// generateText, streamText with tools and steps, Output.object with a zod schema, UI message streams, from a scripted server.
// GET /
// GET /ui
// GET /text
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { server } from "./parts/scripted";

const chunk = (delta: object, finish: string | null = null, usage?: object) => ({ id: "c", object: "chat.completion.chunk", created: 1700000000, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], usage });
const usage = { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 };
const fake = server({
  "POST /v1/chat/completions": (body) => {
    const asked = JSON.stringify(body.messages.at(-1).content);
    if (body.messages.at(-1).role === "tool") return { done: "[DONE]", sse: [chunk({ role: "assistant", content: "It is " }), chunk({ content: "7 °C." }), chunk({}, "stop", usage)] };
    if (body.tools) return { done: "[DONE]", sse: [
      chunk({ role: "assistant", content: null, tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }), chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bergen"}' } }] }), chunk({}, "tool_calls", usage)] };
    const content = body.response_format ? '{"name":"soup","steps":["boil","eat"]}' : `You said ${asked}`;
    if (body.stream) return { done: "[DONE]", sse: [chunk({ role: "assistant", content: "" }), ...content.match(/.{1,6}/gs)!.map((c) => chunk({ content: c })), chunk({}, "stop", usage)] };
    return { json: { id: "c", object: "chat.completion", created: 1700000000, model: "m", choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }], usage } };
  },
});
const model = createOpenAI({ apiKey: "k", baseURL: "http://fake.example/v1", fetch: fake.fetch }).chat("gpt-test");
let ids = 0;
const weather = tool({ description: "the weather", inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => ({ city, degrees: 7 }) });

export default {
  async fetch(request: Request) {
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
      steps: (await result.steps).map((s) => [s.finishReason, s.toolCalls.map((c) => c.input), s.toolResults.map((r) => r.output)]), partial, requests: fake.requests().length });
  },
};
