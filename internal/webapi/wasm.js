// What the WebAssembly API needs of the language: its error classes, and built-ins
// as they are before code can replace them.
(() => {
  const { construct, defineProperty, setPrototypeOf } = Reflect;
  const { asIntN } = BigInt;
  const { preventExtensions, create } = Object;
  const hidden = (o, name, value) => defineProperty(o, name, { value, writable: true, configurable: true, enumerable: false });
  const make = (name) => {
    const E = function (message) { return construct(Error, arguments, this instanceof E ? new.target || E : E); };
    defineProperty(E, "name", { value: name, configurable: true });
    const proto = create(Error.prototype);
    hidden(proto, "constructor", E);
    hidden(proto, "name", name);
    hidden(proto, "message", "");
    defineProperty(E, "prototype", { value: proto, writable: false, enumerable: false, configurable: false });
    setPrototypeOf(E, Error);
    return E;
  };
  return [make("CompileError"), make("LinkError"), make("RuntimeError"), preventExtensions, (v) => asIntN(64, v), (v) => [...v]];
})()
