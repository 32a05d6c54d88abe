"""placeholder"""
from typing import Any
from marriage_env.cards import lowest
from marriage_env.compiled import compiled


@compiled
def choose(table: Any, seat: Any) -> Any:
    return lowest(table.legal)
