"""The event loop where there is nothing to wait for but time: no sockets, threads or processes."""

import time

from . import base_events, events

__all__ = ("DefaultEventLoopPolicy",)


class _Clock:
    """Stands where other loops have a selector."""

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("deadlock: every task waits for something that nothing here can bring")
        if timeout > 0:
            time.sleep(timeout)
        return ()


class WasiEventLoop(base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = _Clock()

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass


class DefaultEventLoopPolicy(events.BaseDefaultEventLoopPolicy):
    _loop_factory = WasiEventLoop
