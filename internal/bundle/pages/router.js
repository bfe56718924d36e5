// The functions of a Pages project: one module for each route, chosen by its place in the folder.
const methods = ["Get", "Head", "Post", "Put", "Patch", "Delete", "Options", "Connect", "Trace"];

function compile(segments, whole) {
  let text = "^";
  for (const { name, kind } of segments) {
    text += kind === "all" ? "(?:/(.*))?" : kind === "one" ? "/([^/]+)" : "/" + name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  }
  return new RegExp(text + (whole ? "/?$" : "(?:/|$)"));
}

function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function match(route, path) {
  const found = route.pattern.exec(path);
  if (!found) return undefined;
  const params = {};
  let i = 1;
  for (const { name, kind } of route.segments) {
    if (kind === "one") params[name] = decode(found[i++]);
    if (kind === "all") {
      const rest = found[i++];
      if (rest) params[name] = rest.replace(/\/$/, "").split("/").map(decode);
    }
  }
  return params;
}

// handlersOf returns what a module has for a method, which goes before what it has for all.
function handlersOf(module, method) {
  const own = methods.find((m) => m.toUpperCase() === method);
  const found = (own && module["onRequest" + own]) ?? module.onRequest;
  return found === undefined ? [] : [found].flat();
}

// A response of assets or of fetch has headers that cannot be changed.
function open(response) {
  if (response.status < 200) return response;
  return new Response([204, 205, 304].includes(response.status) ? null : response.body, response);
}

export function pages(list) {
  const routes = list.map((r) => ({ ...r, pattern: compile(r.segments, !r.middleware) }));
  return {
    async fetch(request, env, ctx) {
      const data = {};
      const path = new URL(request.url).pathname, steps = [];
      let routed = false;
      for (const route of routes) { // middleware first, from the root on; then the routes, the closest first
        if (routed) break;
        const params = match(route, path);
        const found = params ? handlersOf(route.module, request.method) : [];
        routed = found.length > 0 && !route.middleware;
        for (const handler of found) steps.push({ handler, params, path: route.middleware ? route.path : path });
      }
      const run = async (i, request) => {
        if (i === steps.length) return open(await env.ASSETS.fetch(request));
        const { handler, params, path } = steps[i];
        const context = {
          request, functionPath: path, params, data, env,
          next: (input, init) => run(i + 1, input === undefined ? request : new Request(typeof input === "string" ? new URL(input, request.url) : input, init)),
          waitUntil: (promise) => ctx.waitUntil(promise),
          passThroughOnException: () => ctx.passThroughOnException(),
        };
        const response = await handler(context);
        if (!(response instanceof Response)) throw new TypeError("A function of " + path + " did not return a Response.");
        return open(response);
      };
      return run(0, request.clone());
    },
  };
}
