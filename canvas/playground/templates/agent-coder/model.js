// Two formats in which models are called: chat completions as OpenAI made them, and Anthropic's messages. Both stream.
// A conversation is a list of { role: "user", text }, { role: "assistant", text, calls: [{ id, name, args }] } and
// { role: "tool", id, text, error }; args is the JSON as the model wrote it. Other roles are the page's own.

export const formats = {
  openai: {
    title: "OpenAI-compatible",
    base: "https://api.openai.com/v1",
    path: "/chat/completions",
    headers: (key) => (key ? { Authorization: `Bearer ${key}` } : {}),
    body: ({ model, system, tools }, messages) => ({
      model, stream: true, stream_options: { include_usage: true },
      messages: [{ role: "system", content: system }, ...messages.flatMap((m) => {
        if (m.role === "user") return { role: "user", content: m.text };
        if (m.role === "tool") return { role: "tool", tool_call_id: m.id, content: m.text };
        if (m.role !== "assistant") return [];
        const calls = m.calls.map((c) => ({ id: c.id, type: "function", function: { name: c.name, arguments: JSON.stringify(object(c.args)) } }));
        return { role: "assistant", content: m.text || null, ...(calls.length && { tool_calls: calls }) };
      })],
      ...(tools.length && { tools: tools.map((t) => ({ type: "function", function: t })) }),
    }),
    read(event, out) {
      const { delta, finish_reason } = event.choices?.[0] ?? {};
      if (delta?.content) out.say(delta.content);
      for (const t of delta?.tool_calls ?? []) {
        const c = (out.calls[t.index ?? 0] ??= { id: "", name: "", args: "" });
        if (t.id) c.id = t.id;
        c.name += t.function?.name ?? "";
        c.args += t.function?.arguments ?? "";
      }
      if (finish_reason) out.end = finish_reason;
      const u = event.usage;
      if (u) Object.assign(out.usage, { in: u.prompt_tokens, out: u.completion_tokens, cached: u.prompt_tokens_details?.cached_tokens ?? 0 });
    },
  },

  anthropic: {
    title: "Anthropic",
    base: "https://api.anthropic.com/v1",
    path: "/messages",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" }),
    body({ model, system, tools }, messages) {
      const out = [];
      for (const m of messages) {
        const content = m.role === "user" ? [{ type: "text", text: m.text }]
          : m.role === "tool" ? [{ type: "tool_result", tool_use_id: m.id, content: m.text || "(empty)", ...(m.error && { is_error: true }) }]
          : m.role === "assistant" ? [...(m.text.trim() ? [{ type: "text", text: m.text.trimEnd() }] : []), ...m.calls.map((c) => ({ type: "tool_use", id: c.id, name: c.name, input: object(c.args) }))]
          : [];
        if (!content.length) continue;
        const role = m.role === "assistant" ? "assistant" : "user";
        if (out.at(-1)?.role === role) out.at(-1).content.push(...content); // the results of one answer's calls are one message
        else out.push({ role, content });
      }
      return { model, max_tokens: 8192, stream: true, system, messages: out, tools: tools.map((t) => ({ name: t.name, description: t.description, input_schema: t.parameters })) };
    },
    read(event, out) {
      const { index, content_block: block, delta } = event;
      switch (event.type) {
        case "content_block_start":
          if (block.type === "tool_use") out.calls[index] = { id: block.id, name: block.name, args: "" };
          break;
        case "content_block_delta":
          if (delta.type === "text_delta") out.say(delta.text);
          if (delta.type === "input_json_delta") out.calls[index].args += delta.partial_json;
          break;
        case "message_start":
        case "message_delta": {
          const u = event.message?.usage ?? event.usage;
          if (u?.input_tokens !== undefined) out.usage.cached = u.cache_read_input_tokens ?? 0;
          if (u?.input_tokens !== undefined) out.usage.in = u.input_tokens + out.usage.cached + (u.cache_creation_input_tokens ?? 0);
          if (u?.output_tokens !== undefined) out.usage.out = u.output_tokens;
          break;
        }
        case "message_stop":
          out.end = "stop";
      }
    },
  },
};

/** The object that args say; what is none is sent back as an empty one, which both formats take. */
function object(args) {
  try {
    const v = JSON.parse(args || "{}");
    return v && typeof v === "object" && !Array.isArray(v) ? v : {};
  } catch {
    return {};
  }
}

const tries = 5;
const busy = new Set([408, 429, 500, 502, 503, 504, 529]);

/** Calls the model and returns its answer. say is given the text as it comes, wait how many seconds until it is called again. */
export async function call(settings, request, messages, { signal, say, wait }) {
  const format = formats[settings.format];
  const url = settings.base.replace(/\/+$/, "") + format.path;
  for (let n = 1; ; n++) {
    const answer = await fetch(url, {
      method: "POST", signal, credentials: "omit", referrerPolicy: "no-referrer",
      headers: { "Content-Type": "application/json", ...format.headers(settings.key) },
      body: JSON.stringify(format.body({ ...request, model: settings.model }, messages)),
    });
    if (answer.ok) return read(answer.body, format, say);
    const seconds = after(answer.headers.get("Retry-After")) ?? 2 ** n / 2;
    if (!busy.has(answer.status) || n === tries || seconds > 120) throw new Error(await complaint(answer));
    await answer.body?.cancel();
    wait(seconds);
    await pause(seconds * 1000, signal);
  }
}

/** Retry-After is a number of seconds or a date. */
function after(value) {
  if (!value) return undefined;
  const seconds = Number(value) || (Date.parse(value) - Date.now()) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

async function complaint(answer) {
  const text = await answer.text();
  let message = text.slice(0, 300);
  try {
    const { error } = JSON.parse(text);
    message = error.message ?? error;
  } catch {}
  return `The model answered ${answer.status}: ${message}`;
}

function pause(ms, signal) {
  return new Promise((yes, no) => {
    const stop = () => { clearTimeout(timer); no(signal.reason); };
    const timer = setTimeout(() => { signal.removeEventListener("abort", stop); yes(); }, ms);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}

const broken = "The model's answer broke off.";

/** Reads the events of a stream. One that ends early says so: half an answer must not look whole. */
async function read(body, format, say) {
  const out = { text: "", calls: [], usage: { in: 0, out: 0, cached: 0 }, end: "", say: (s) => { out.text += s; say(s); } };
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let last = false; !last;) {
    const { value, done } = await reader.read().catch((e) => { throw e.name === "AbortError" ? e : new Error(broken); });
    const events = (rest += value ?? "").split(/\r\n\r\n|\n\n|\r\r/);
    if (!(last = done)) rest = events.pop();
    for (const event of events) {
      const data = event.split(/\r\n|\n|\r/).filter((l) => l.startsWith("data:")).map((l) => l.slice(5).trim()).join("\n");
      if (!data) continue;
      if (data === "[DONE]") { out.end ||= "stop"; continue; }
      let parsed;
      try {
        parsed = JSON.parse(data);
      } catch {
        throw new Error(last ? broken : "The model sent what is no JSON.");
      }
      if (parsed.error) throw new Error(`The model broke off: ${parsed.error.message ?? parsed.error}`);
      format.read(parsed, out);
    }
  }
  if (!out.end) throw new Error(broken);
  return { text: out.text, calls: out.calls.filter(Boolean), usage: out.usage };
}
