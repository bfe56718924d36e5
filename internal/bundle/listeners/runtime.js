// Workers of the form that came before modules: listeners in the place of handlers, bindings in
// the place of env. It is loaded before the Worker is.
const listeners = { fetch: [], scheduled: [] };
const add = globalThis.addEventListener, remove = globalThis.removeEventListener;

Object.assign(globalThis, {
  addEventListener(type, listener, options) {
    const list = Object.hasOwn(listeners, type) ? listeners[type] : undefined;
    if (!list) return add.call(globalThis, type, listener, options);
    if (listener && !list.includes(listener)) list.push(listener);
  },
  removeEventListener(type, listener, options) {
    if (!Object.hasOwn(listeners, type)) return remove.call(globalThis, type, listener, options);
    listeners[type] = listeners[type].filter((l) => l !== listener);
  },
});

class ExtendableEvent extends Event {
  #ctx;
  constructor(type, ctx) {
    super(type);
    this.#ctx = ctx;
  }
  waitUntil(promise) { this.#ctx.waitUntil(promise); }
  passThroughOnException() { this.#ctx.passThroughOnException(); }
}

class FetchEvent extends ExtendableEvent {
  constructor(request, ctx) {
    super("fetch", ctx);
    Object.defineProperties(this, {
      request: { value: request, enumerable: true },
      answer: { writable: true }, // what respondWith was given, in an object
    });
  }
  respondWith(response) {
    if (this.answer) throw new DOMException("FetchEvent.respondWith() has already been called; it can only be called once.", "InvalidStateError");
    this.answer = { response };
  }
}
globalThis.ExtendableEvent = ExtendableEvent;
globalThis.FetchEvent = FetchEvent;

function bind(bindings) {
  for (const name of Object.keys(bindings)) {
    Object.defineProperty(globalThis, name, { value: Reflect.get(bindings, name), writable: true, enumerable: true, configurable: true });
  }
}
bind(globalThis.__samkit_env ?? {});

function tell(listener, event) {
  return typeof listener === "function" ? listener.call(globalThis, event) : listener.handleEvent(event);
}

export function handlers() {
  const made = {};
  if (listeners.fetch.length) made.fetch = async (request, bindings, ctx) => {
    bind(bindings);
    const event = new FetchEvent(request, ctx);
    for (const listener of listeners.fetch) {
      const done = tell(listener, event);
      if (event.answer) return event.answer.response;
      if (done instanceof Promise) ctx.waitUntil(done);
    }
    throw new Error("The fetch listener did not call event.respondWith() before it returned.");
  };
  if (listeners.scheduled.length) made.scheduled = async (controller, bindings, ctx) => {
    bind(bindings);
    const event = Object.assign(new ExtendableEvent("scheduled", ctx), { cron: controller.cron, scheduledTime: controller.scheduledTime, noRetry() {} });
    for (const listener of listeners.scheduled) await tell(listener, event);
  };
  return made;
}
