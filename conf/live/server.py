"""Serve the site to a browser, and tell the browser when what it shows has changed."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from sphinx_autobuild.middleware import JavascriptInjectorMiddleware
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketDisconnect

HOST = "127.0.0.1"


class _Site(StaticFiles):
    """Serves files, and tells the server which page was opened."""

    def __init__(self, folder: Path, server: Server) -> None:
        super().__init__(directory=folder, html=True, check_dir=False)
        self._server = server

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.endswith(".html"):
            self._server.looked(path.removesuffix(".html"))
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"  # a script keeps its address when it changes
        return response


class Server:
    """A server in a thread of its own.

    Parameters
    ----------
    folder : Path
        What to serve.
    port : int
        0 is any free one.

    Attributes
    ----------
    address : str
        Host and port.
    looked : callable
        Gets the name of each page that a browser opens, in the server's thread.
    """

    def __init__(self, folder: Path, port: int) -> None:
        self.looked: Callable[[str], object] = str
        self._socket = socket.create_server((HOST, port))
        self.address = f"{HOST}:{self._socket.getsockname()[1]}"
        self._browsers: set[WebSocket] = set()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        # sphinx-autobuild adds the script that reloads; its own server would build in a new process each time.
        reloading = Middleware(JavascriptInjectorMiddleware, ws_url=self.address)
        routes = [WebSocketRoute("/websocket-reload", self._browser), Mount("/", _Site(folder, self))]
        app = Starlette(routes=routes, middleware=[reloading], lifespan=self._lifespan)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        self._thread = threading.Thread(target=server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def start(self) -> None:
        """Serve, until the process ends."""
        self._thread.start()
        self._ready.wait()

    def tell(self) -> None:
        """Have all browsers load their page again."""
        self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._reload()))

    async def _reload(self) -> None:
        await asyncio.gather(*(browser.send_text("refresh") for browser in self._browsers), return_exceptions=True)

    async def _browser(self, browser: WebSocket) -> None:
        await browser.accept()
        self._browsers.add(browser)
        try:
            while True:
                await browser.receive_text()
        except WebSocketDisconnect:
            self._browsers.discard(browser)

    @asynccontextmanager
    async def _lifespan(self, _app: Any) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        yield
