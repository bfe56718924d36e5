"""Functions of os that have no system call here say so.

Not those that programs look for before they use them, such as os.fork.
"""

import os


def _refuse(name):
    def refuse(*args, **kwargs):
        raise OSError(58, "there are no processes here", None)  # ENOTSUP
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__module__ = "os"
    setattr(os, name, refuse)


for _name in ("system", "execv", "execve", "kill"):
    if not hasattr(os, _name):
        _refuse(_name)
