"""All tables of a server: in memory are those where somebody is connected, in their folder are all."""

from __future__ import annotations

import asyncio
import logging

from anyio import to_thread

from marriage_env.app.match import Match
from marriage_env.app.server.hosted import PATIENCE, HostedTable, Listener
from marriage_env.app.server.keys import WATCH, digest, new_secret, new_table_id, opened_by, parsed_key
from marriage_env.app.server.orders import Order
from marriage_env.app.server.table_files import SavedTable, TableFiles
from marriage_env.errors import TableError
from marriage_env.render.view import Viewer

MOST_TABLES = 1_000
MOST_LISTENERS = 40  # at one table
THINKING = 2  # agents at once
logger = logging.getLogger("marriage_env.server")


class Tables:
    """The tables of a server.

    Args:
        files: where they are kept.
        patience: seconds an agent has for an action.
        most: tables in the folder.
    """

    def __init__(self, files: TableFiles, patience: float = PATIENCE, most: int = MOST_TABLES) -> None:
        self.files = files
        self.open: dict[str, HostedTable] = {}
        self._patience = patience
        self._most = most
        self._turns = asyncio.Semaphore(THINKING)
        self._opening = asyncio.Lock()

    async def create(self, order: Order) -> dict[str, str]:
        """Set up a table: its keys, by what they open: the seats of people as numbers, and `WATCH`.

        Raises:
            OptionError, AgentError: it cannot be played as asked for.
            TableError: there are too many tables, or it cannot be saved.
        """
        if len(self.files.ids()) >= self._most:
            raise TableError(f"there are {self._most} tables here, as many as are allowed: remove some from the folder")
        try:
            return await to_thread.run_sync(self._created, order)
        except OSError as error:
            logger.error("a new table cannot be saved: %s", error)
            raise TableError("the server cannot save a new table") from error

    def _created(self, order: Order) -> dict[str, str]:
        match = Match(order.game, order.rules, order.seats, names=order.names)
        table_id = new_table_id()
        secrets = {opened: new_secret() for opened in (*map(str, match.humans), WATCH)}
        digests = {opened: digest(secret) for opened, secret in secrets.items()}
        self.files.save(SavedTable(table_id, digests, match.record))
        return {opened: f"{table_id}.{secret}" for opened, secret in secrets.items()}

    async def join(self, key: str, listener: Listener) -> tuple[HostedTable, Viewer]:
        """Let somebody listen at the table that his key opens: the table, and as whom he sees it.

        Raises:
            TableError: the key opens no table, the table is damaged, or too many listen there.
        """
        table_id, secret = parsed_key(key)
        if table_id not in self.open:
            async with self._opening:  # one after the other: no table may be open twice
                if table_id not in self.open:
                    self.open[table_id] = await self._loaded(table_id, secret)
        table = self.open[table_id]
        opened = opened_by(secret, table.saved.digests)
        if len(table.listeners) >= MOST_LISTENERS:
            raise TableError(f"{MOST_LISTENERS} are connected to this table, as many as are allowed")
        viewer: Viewer = "public" if opened == WATCH else int(opened)
        table.join(listener, viewer)
        self._forget_idle()
        return table, viewer

    async def _loaded(self, table_id: str, secret: str) -> HostedTable:
        """A table from its file, for who has a key to it."""
        saved = await to_thread.run_sync(self.files.load, table_id)
        opened_by(secret, saved.digests)
        return await to_thread.run_sync(self._hosted, saved)

    def _hosted(self, saved: SavedTable) -> HostedTable:
        match = Match.of_record(saved.record)
        return HostedTable(saved, match, self.files, self._turns, self._patience)

    def leave(self, table: HostedTable, listener: Listener) -> None:
        """Let somebody go. A table where nobody is left is forgotten; it comes back from its file when it is wanted."""
        table.leave(listener)
        self._forget_idle()

    def _forget_idle(self) -> None:
        self.open = {table_id: table for table_id, table in self.open.items() if not table.idle}
