export default {
  async fetch(request, env) {
    const id = new URL(request.url).searchParams.get("id");
    return Response.json(await env.CRM.lookup({ id }));
  },
};
