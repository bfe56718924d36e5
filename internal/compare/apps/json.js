export default {
  fetch() {
    return Response.json({ hello: "world", n: 42 });
  },
};
