void (() => {
  const world = WORLD;
  const { rtcAgent } = globalThis;
  const exit = { Code: 0, Called: false };
  const place = (path) => {
    path = String(path);
    if (path === "/dev/stdin") return "dev/stdin";
    const parts = [];
    for (const part of (path[0] === "/" ? path : world.cwd + "/" + path).split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    if (parts[0] !== "project") throw fault("EACCES", "permission denied", path);
    return parts.slice(1).join("/");
  };
  const fault = (code, text, path) => Object.assign(new Error(code + ": " + text + ", '" + path + "'"), { code, path });
  const told = async (path, f) => {
    try {
      return await f(place(path));
    } catch (e) {
      if (e && e.code === "not_found") throw fault("ENOENT", "no such file or directory", path);
      throw e;
    }
  };
  const promises = {
    readFile: (path) => told(path, (at) => rtcAgent.readFile(at)),
    writeFile: (path, data) => told(path, (at) => rtcAgent.writeFile(at, String(data))),
    appendFile: (path, data) => told(path, async (at) => rtcAgent.writeFile(at, (await rtcAgent.readFile(at).catch(() => "")) + data)),
    readdir: (path) => told(path, async (at) => (await rtcAgent.listDir(at)).map((name) => name.replace(/\/$/, ""))),
    access: (path) => told(path, async (at) => {
      const names = await rtcAgent.listDir(at.split("/").slice(0, -1).join("/"));
      const name = at.split("/").pop();
      if (at !== "" && !names.includes(name) && !names.includes(name + "/")) throw fault("ENOENT", "no such file or directory", path);
    }),
  };
  const refused = (name) => () => { throw new Error("fs." + name + " is not there: use await fs.promises." + name.replace(/Sync$/, "")); };
  const fs = { promises };
  for (const name of ["readFileSync", "writeFileSync", "appendFileSync", "readdirSync", "existsSync", "statSync"]) fs[name] = refused(name);
  const modules = { fs, "fs/promises": promises };
  const own = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const process = {
    argv: world.argv, env: world.env, platform: "linux", cwd: () => world.cwd,
    get exitCode() { return exit.Code; },
    set exitCode(code) { exit.Code = Number(code) | 0; },
    exit(code) {
      if (code !== undefined) exit.Code = Number(code) | 0;
      exit.Called = true;
      throw new Error("process.exit(" + exit.Code + ")");
    },
  };
  modules.process = process;
  own("fs", fs);
  own("process", process);
  own("require", (name) => {
    const found = modules[String(name).replace(/^node:/, "")];
    if (!found) throw new Error("There is no module " + name + ": fs, fs/promises and process are there, and files import each other by relative paths");
    return found;
  });
  own("__exit", () => JSON.stringify(exit));
})();
