// What a server of chat completions answers, with calls of a tool and objects by a schema.
import { serve } from "./scripted";

const chunk = (delta: object, finish: string | null = null, usage?: object) => ({ id: "c", object: "chat.completion.chunk", created: 1700000000, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], usage });
const usage = { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 };
export default serve({
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
