"""The inside of a wasi.Python: it reads what is to be run from its host, and tells how it went."""

import ast
import builtins
import codeop
import io
import linecache
import os
import sys
import traceback
import types

OURS = __file__, "/usr/lib/python3.11/asyncio/", "/usr/lib/python3.11/codeop.py"  # frames that are not about the caller's code


class Session:
    def __init__(self):
        self.main = types.ModuleType("__main__")
        self.names = vars(self.main)
        self.names["__builtins__"] = builtins
        sys.modules["__main__"] = self.main
        self.command = codeop.CommandCompiler()
        self.command.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.cells = 0
        self.loop = None
        self.reserve = bytearray(1 << 20)  # for telling that there is no more

    def line(self, name, source):
        wrong = None
        try:
            code = self.command(source, name, "single")
        except SyntaxError as e:
            wrong = e
        if wrong:
            if wrong.msg != "incomplete input":
                raise wrong
            code = self.command.compiler(source + "\n", name, "single")  # it is wrong for another reason, as a line
        if code is None:
            return b"more"
        self.execute(code, self.names)

    def cell(self, name, source):
        self.cells += 1
        name = f"<cell {self.cells}>"
        linecache.cache[name] = len(source), None, source.splitlines(True), name
        linecache.cache.pop(f"<cell {self.cells - 100}>", None)
        tree = compile(source, name, "exec", self.command.compiler.flags | ast.PyCF_ONLY_AST, True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self.execute(self.command.compiler(tree, name, "exec"), self.names)
        if last:
            self.execute(self.command.compiler(ast.Interactive([last]), name, "single"), self.names)

    def file(self, name, *args):
        with open(name, "rb") as f:
            code = compile(f.read(), name, "exec", dont_inherit=True)
        scope = types.ModuleType("__main__")
        scope.__file__, scope.__builtins__ = name, builtins
        argv, path = sys.argv, list(sys.path)
        sys.modules["__main__"], sys.argv, sys.path[0] = scope, [name, *args], os.path.dirname(os.path.abspath(name))
        try:
            exec(code, vars(scope))
        finally:
            sys.modules["__main__"], sys.argv, sys.path[0] = self.main, argv, path[0]
            self.names.update((k, v) for k, v in vars(scope).items() if not k.startswith("__"))

    def execute(self, code, names):
        if code.co_flags & 0x80:  # it awaits
            import asyncio
            if self.loop is None:
                self.loop = asyncio.Runner()
            self.loop.run(types.FunctionType(code, names)())
        else:
            exec(code, names)

    def run(self, kind, *args):
        try:
            return getattr(self, kind)(*args) or b"ok"
        except SystemExit as e:
            if e.code is None or isinstance(e.code, int):
                return b"exit %d" % ((e.code or 0) & 255)
            print(e.code, file=sys.stderr)
            return b"exit 1"
        except BaseException as e:
            if isinstance(e, MemoryError):
                self.reserve = None
            self.report(e)
            return b"interrupt" if isinstance(e, KeyboardInterrupt) else b"error"

    def report(self, e):
        tb = e.__traceback__
        while tb and tb.tb_frame.f_code.co_filename.startswith(OURS):
            tb = tb.tb_next
        e.__traceback__ = tb
        sys.last_type, sys.last_value, sys.last_traceback = type(e), e, tb
        try:
            if sys.excepthook is sys.__excepthook__:
                traceback.print_exception(e)  # it has the lines of cells, too
            else:
                sys.excepthook(type(e), e, tb)
        except BaseException:
            traceback.print_exc()

    def serve(self, control):
        request = b""
        while part := os.read(control, 1 << 14):
            request += part
        kind, *args = request.decode("utf-8", "surrogateescape").split("\0")
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8", errors="surrogateescape")
        reply = self.run(kind, *args)
        for stream in sys.stdout, sys.stderr:
            try:
                stream.flush()
            except Exception:
                pass
        os.write(control, reply)
        if self.reserve is None:
            try:
                self.reserve = bytearray(1 << 20)
            except MemoryError:
                pass


def main():
    control = os.open("/dev/session", os.O_RDWR)
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(line_buffering=True)
    sys.argv = [""]
    sys.path[0] = ""
    session = Session()
    while True:
        try:
            session.serve(control)
        except KeyboardInterrupt:
            pass  # it came too late to be about anything


main()
