// graphql-yoga
// A schema with arguments, fragments, errors, variables and introspection, asked over GET and POST.
// GET /graphql?query={hello(name:"GET")}
// POST /graphql {"query":"query Q($id: ID!, $deep: Boolean = true) { book(id: $id) { ...B author @include(if: $deep) { name books { title } } } } fragment B on Book { id title tags }","variables":{"id":"2"}}
// POST /graphql {"query":"mutation { add(title: \"New\", tags: [\"x\"]) { id title author { name } } }"}
// POST /graphql {"query":"{ fails secret book(id: 9) { title } }"}
// POST /graphql {"query":"{ nope book }"}
// POST /graphql {"query":"{ broken "}
// POST /graphql {"query":"{ __schema { queryType { name } types { name kind } } }"}
// POST /graphql [{"query":"{ hello }"},{"query":"{ __typename }"}]
// GET /health
import { createGraphQLError, createSchema, createYoga } from "graphql-yoga";

const authors = [{ id: "a", name: "Le Guin" }, { id: "b", name: "Lem" }];
const books = [{ id: "1", title: "Lathe", by: "a", tags: ["sf"] }, { id: "2", title: "Solaris", by: "b", tags: ["sf", "film"] }];

const yoga = createYoga<{ waitUntil?: unknown }>({
  graphqlEndpoint: "/graphql",
  logging: false,
  batching: true,
  schema: createSchema({
    typeDefs: /* GraphQL */ `
      type Author { id: ID!, name: String!, books: [Book!]! }
      "A book" type Book { id: ID!, title: String!, author: Author!, tags: [String!]! }
      type Query { hello(name: String = "world"): String!, book(id: ID!): Book, fails: Int, secret: Int }
      type Mutation { add(title: String!, tags: [String!] = []): Book! }
    `,
    resolvers: {
      Query: {
        hello: (_: unknown, { name }: { name: string }) => `Hello ${name}`,
        book: async (_: unknown, { id }: { id: string }) => books.find((b) => b.id === id),
        fails: () => { throw createGraphQLError("on purpose", { extensions: { code: "PURPOSE", n: 1 } }); },
        secret: () => { throw new Error("never shown"); },
      },
      Mutation: { add: (_: unknown, a: { title: string; tags: string[] }) => ({ id: "3", by: "a", ...a }) },
      Book: { author: (b: { by: string }) => authors.find((a) => a.id === b.by) },
      Author: { books: (a: { id: string }) => books.filter((b) => b.by === a.id) },
    },
  }),
});

export default { fetch: (request: Request, env: object, ctx: object) => yoga.fetch(request, env, ctx) };
