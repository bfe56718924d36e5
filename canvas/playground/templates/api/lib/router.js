// A router in the manner of the well-known ones, small enough to read.

/** An error that is answered with its status and message. */
export function problem(status, message) {
  return Object.assign(new Error(message), { status });
}

export class Router {
  #routes = [];

  #add(method, path, handler) {
    const pattern = new RegExp("^" + path.replace(/:(\w+)/g, "(?<$1>[^/]+)") + "$");
    this.#routes.push({ method, pattern, handler });
    return this;
  }

  get(path, handler) { return this.#add("GET", path, handler); }
  post(path, handler) { return this.#add("POST", path, handler); }
  put(path, handler) { return this.#add("PUT", path, handler); }
  delete(path, handler) { return this.#add("DELETE", path, handler); }

  async handle(request, env, ctx) {
    try {
      const answer = await this.#find(request, env, ctx);
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (e) {
      if (!e.status) console.error(e);
      return Response.json({ error: e.status ? e.message : "Something went wrong." }, { status: e.status ?? 500 });
    }
  }

  #find(request, env, ctx) {
    const url = new URL(request.url);
    let known = false;
    for (const { method, pattern, handler } of this.#routes) {
      const match = pattern.exec(url.pathname);
      if (!match) continue;
      known = true;
      if (method !== request.method) continue;
      const params = Object.fromEntries(Object.entries(match.groups ?? {}).map(([k, v]) => [k, decodeURIComponent(v)]));
      return handler({ request, env, ctx, url, params });
    }
    throw known ? problem(405, "This can't be done here.") : problem(404, "There is nothing here.");
  }
}
