// @octokit/core
// GitHub's API from a scripted server: routes with parameters, GraphQL, hooks, plugins, redirected errors and not-found.
import { Octokit } from "@octokit/core";
import { server } from "./parts/scripted";

const fake = server({ "GET /repos/a/b%20c/issues": (_, url) => ({ json: [{ n: 1, q: url.search }], headers: { link: '<http://x>; rel="next"', "x-ratelimit-remaining": "9" } }), "POST /repos/a/b/issues": (body) => ({ status: 201, json: { made: body } }), "GET /gone": () => ({ status: 404, json: { message: "Not Found", documentation_url: "https://docs.example", errors: [{ field: "x" }] } }),
  "POST /graphql": (body) => ({ json: body.query.includes("bad") ? { data: null, errors: [{ message: "Field 'bad' is wrong", path: ["bad"] }] } : { data: { viewer: { login: body.variables?.login ?? "me" } } } }) });
const log: unknown[] = [];
const Mine = Octokit.plugin((octokit) => { octokit.hook.before("request", (o) => { log.push(["before", o.method, o.url]); }); octokit.hook.error("request", (e: any) => { log.push(["error", e.status]); throw e; }); return { hello: () => "plugged" }; }).defaults({ userAgent: "mine" });
export default {
  async fetch() {
    const octokit = new Mine({ auth: "token123", baseUrl: "http://api.example", request: { fetch: fake.fetch }, log: { debug() {}, info() {}, warn() {}, error() {} } });
    const issues = await octokit.request("GET /repos/{owner}/{repo}/issues{?labels,page}", { owner: "a", repo: "b c", labels: "x,y", page: 2 });
    const made = await octokit.request("POST /repos/{owner}/{repo}/issues", { owner: "a", repo: "b", title: "Ü", labels: ["l"] });
    const gone = await octokit.request("GET /gone").catch((e) => [e.name, e.status, e.message, e.response.data.errors]);
    const ql = await octokit.graphql("query($login: String) { viewer { login } }", { login: "ada" }), bad = await octokit.graphql("{ bad }").catch((e) => [e.name, e.message, e.errors]);
    return Response.json({ issues: [issues.status, issues.data, issues.headers["x-ratelimit-remaining"], issues.headers.link], made: made.data, gone, ql, bad, hello: octokit.hello(), log, endpoint: octokit.request.endpoint("PUT /x/{id}", { id: 5, extra: true, headers: { "user-agent": "mine" } }), requests: fake.requests() });
  },
};
