// stripe
// A webhook verified with constructEventAsync, and the fetch client: creation, expansion, paging, idempotency and errors.
// GET /
import Stripe from "stripe";
import { server } from "./parts/scripted";

const customer = (n: number) => ({ id: "cus_" + n, object: "customer", email: `c${n}@example.com` });
const fake = server({
  "POST /v1/customers": () => ({ json: customer(1) }),
  "GET /v1/customers": (_, url) => ({ json: url.searchParams.has("starting_after") ? { object: "list", url: "/v1/customers", has_more: false, data: [customer(3)] } : { object: "list", url: "/v1/customers", has_more: true, data: [customer(1), customer(2)] } }),
  "POST /v1/payment_intents": () => ({ status: 402, json: { error: { type: "card_error", code: "card_declined", message: "Your card was declined.", decline_code: "generic_decline" } }, headers: { "request-id": "req_5" } }),
  "GET /v1/balance": () => ({ json: { object: "balance", available: [{ amount: 5, currency: "eur" }] } }),
}, (text) => Object.fromEntries(new URLSearchParams(text)));

export default {
  async fetch() {
    const stripe = new Stripe("sk_test_1", { httpClient: Stripe.createFetchHttpClient(fake.fetch), maxNetworkRetries: 0, telemetry: false });
    const payload = JSON.stringify({ id: "evt_1", object: "event", type: "checkout.session.completed", data: { object: { id: "cs_1", customer: "cus_ü" } } });
    const provider = Stripe.createSubtleCryptoProvider();
    const header = await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: "whsec_test", cryptoProvider: provider, timestamp: 1700000000 });
    const event = await stripe.webhooks.constructEventAsync(payload, header, "whsec_test", 1e10, provider);
    const wrong = await stripe.webhooks.constructEventAsync(payload + " ", header, "whsec_test", 1e10, provider).catch((e) => [e.constructor.name, e.type, e.message.split("\n")[0]]);
    const old = await stripe.webhooks.constructEventAsync(payload, header, "whsec_test", 300, provider).catch((e) => e.message.split("\n")[0]);
    const made = await stripe.customers.create({ email: "a+b@example.com", metadata: { order: "6735", note: "ü & =" }, address: { line1: "1 Way" }, expand: ["sources"] }, { idempotencyKey: "key-1" });
    const all = [];
    for await (const c of stripe.customers.list({ limit: 2 })) all.push(c.id);
    const declined = await stripe.paymentIntents.create({ amount: 500, currency: "eur", payment_method_types: ["card"] }).catch((e) => [e.constructor.name, e.type, e.code, e.statusCode, e.message, e.requestId]);
    return Response.json({ header, type: event.type, object: event.data.object, wrong, old, made: [made.id, made.lastResponse.statusCode], all, declined, balance: (await stripe.balance.retrieve()).available, requests: fake.requests() });
  },
};
