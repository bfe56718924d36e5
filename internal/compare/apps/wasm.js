// fib(25) in WebAssembly.
import module from "./fib.wasm";

const { fib } = new WebAssembly.Instance(module, {}).exports;

export default {
  fetch() {
    return new Response(String(fib(25)));
  },
};
