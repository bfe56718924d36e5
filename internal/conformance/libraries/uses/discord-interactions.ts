// discord-interactions
// Interactions of Discord: signatures verified, pings and commands answered, forged ones refused.
// GET /
import { InteractionResponseFlags, InteractionResponseType, InteractionType, verifyKey } from "discord-interactions";

const hex = (b: ArrayBuffer) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join("");
export default {
  async fetch() {
    const keys = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
    const pub = hex((await crypto.subtle.exportKey("raw", keys.publicKey)) as ArrayBuffer), encoder = new TextEncoder();
    const handle = async (request: Request) => {
      const body = await request.text();
      if (!(await verifyKey(body, request.headers.get("x-signature-ed25519") ?? "", request.headers.get("x-signature-timestamp") ?? "", pub))) return new Response("bad signature", { status: 401 });
      const i = JSON.parse(body);
      if (i.type === InteractionType.PING) return Response.json({ type: InteractionResponseType.PONG });
      return Response.json({ type: InteractionResponseType.CHANNEL_MESSAGE_WITH_SOURCE, data: { content: `Hi ${i.member.user.username} 👋`, flags: InteractionResponseFlags.EPHEMERAL } });
    };
    const send = async (body: object, forge = false) => {
      const text = JSON.stringify(body), signature = hex(await crypto.subtle.sign("Ed25519", keys.privateKey, encoder.encode("1700000000" + text)));
      const r = await handle(new Request("https://bot.example/", { method: "POST", body: text + (forge ? " " : ""), headers: { "x-signature-ed25519": signature, "x-signature-timestamp": "1700000000" } }));
      return [r.status, await r.text()];
    };
    return Response.json([await send({ type: 1 }), await send({ type: 2, member: { user: { username: "zoë" } }, data: { name: "hi" } }), await send({ type: 1 }, true), await verifyKey("x", "zz", "1", pub)]);
  },
};
