"""Makes the archive of the standard library: library.py LIB OURS OUT.

Modules are there as .pyc files alone, which import in a tenth of the time; what needs
processes, sockets of the machine, a screen or a compiler is left out.
"""

import io
import os
import py_compile
import sys
import tarfile

WITHOUT = {
    "test", "tests", "idlelib", "tkinter", "turtledemo", "turtle.py", "lib2to3", "ensurepip", "venv", "distutils", "ctypes", "curses", "dbm", "msilib",
    "multiprocessing", "pydoc_data", "site-packages", "__pycache__", "_distutils_system_mod.py", "_aix_support.py", "_osx_support.py", "antigravity.py",
    "asynchat.py", "asyncore.py", "crypt.py", "ftplib.py", "imaplib.py", "lzma.py", "bz2.py", "mailbox.py", "nntplib.py", "nturl2path.py", "poplib.py", "pty.py",
    "smtpd.py", "smtplib.py", "ssl.py", "telnetlib.py", "tty.py", "webbrowser.py", "wsgiref", "unix_events.py", "windows_events.py", "windows_utils.py",
    "proactor_events.py",
}
# Of the codecs, those whose tables are not linked in.
TABLES = ("big5", "cp932", "cp949", "cp950", "euc_", "gb", "hz", "iso2022", "johab", "shift_jis")
TO = "/usr/lib/python3.11/"

# Where the library asks for what is not here.
CHANGES = {
    "asyncio/__init__.py": [("    from .unix_events import *  # pragma: no cover\n    __all__ += unix_events.__all__", "    from .wasi_events import *\n    __all__ += wasi_events.__all__")],
}


def sources(lib):
    for folder, folders, files in os.walk(lib):
        folders[:] = sorted(set(folders) - WITHOUT)
        for name in sorted(set(files) - WITHOUT):
            path = os.path.join(folder, name)
            rel = os.path.relpath(path, lib)
            if name.endswith(".py") and not (rel.startswith("encodings/") and name.startswith(TABLES)):
                with open(path, "rb") as f:
                    yield rel, f.read()


def main(lib, ours, out):
    files = dict(sources(lib))
    for name, to in (("_socket.py", ""), ("sitecustomize.py", ""), ("wasi_events.py", "asyncio/")):
        with open(os.path.join(ours, name), "rb") as f:
            files[to + name] = f.read()
    # Made when Python is installed; nothing here is asked about how it was built.
    files["_sysconfigdata__wasm32-wasi.py"] = b"build_time_vars = {}\n"
    for name, changes in CHANGES.items():
        text = files[name].decode()
        for old, new in changes:
            if text.count(old) != 1:
                sys.exit(f"library.py: {name} is not as it was")
            text = text.replace(old, new)
        files[name] = text.encode()
    with tarfile.open(out, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            with open("module.py", "wb") as f:
                f.write(files[name])
            py_compile.compile("module.py", "module.pyc", dfile=TO + name, doraise=True, optimize=0,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
            with open("module.pyc", "rb") as f:
                data = f.read()
            info = tarfile.TarInfo(name + "c")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


main(*sys.argv[1:])
