// @trpc/server
// The fetch adapter: queries, mutations, middleware, zod input, errors, a batch, a streamed batch and a subscription.
// GET /trpc/greet?input=%22Ada%22
// GET /trpc/greet,user?batch=1&input=%7B%220%22%3A%22A%22%2C%221%22%3A%7B%22id%22%3A2%7D%7D
// GET /trpc/user?input=%7B%22id%22%3A%22x%22%7D
// GET /trpc/secret
// GET /trpc/none
// POST /trpc/add {"title":"new"}
// GET /trpc/ticks?input=3
// GET /caller
import { initTRPC, tracked, TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { z } from "zod";

const t = initTRPC.context<{ agent: string | null }>().create({ isDev: false, errorFormatter: ({ shape, error }) => ({ ...shape, issues: error.cause instanceof z.ZodError ? error.cause.issues.length : 0 }) });
const guarded = t.procedure.use(({ ctx, next }) => {
  if (ctx.agent !== "admin") throw new TRPCError({ code: "UNAUTHORIZED", message: "admins only" });
  return next({ ctx: { agent: ctx.agent } });
});
const router = t.router({
  greet: t.procedure.input(z.string()).query(({ input }) => `Hello ${input}`),
  user: t.procedure.input(z.object({ id: z.number() })).output(z.object({ id: z.number(), at: z.date() })).query(({ input }) => ({ id: input.id, at: new Date(0), hidden: 1 })),
  secret: guarded.query(() => 42),
  add: t.procedure.input(z.object({ title: z.string().min(2) })).mutation(async ({ input }) => ({ made: input.title.toUpperCase() })),
  ticks: t.procedure.input(z.number()).subscription(async function* ({ input }) { for (let i = 0; i < input; i++) yield tracked(String(i), { i }); }),
  nested: t.router({ deep: t.procedure.query(() => "deep") }),
});

export default {
  async fetch(request: Request) {
    if (new URL(request.url).pathname === "/caller") {
      const caller = t.createCallerFactory(router)({ agent: "admin" });
      const failed = await caller.user({ id: "1" } as any).catch((e) => [e.name, e.code, e.cause?.constructor?.name]);
      return Response.json([await caller.greet("me"), await caller.secret(), await caller.nested.deep(), failed]);
    }
    return fetchRequestHandler({ endpoint: "/trpc", req: request, router, createContext: () => ({ agent: request.headers.get("x-agent") }) });
  },
};
