"""Which agents are not asked in a part of a tournament: the one thing that follows from other parts."""

from __future__ import annotations

from collections.abc import Mapping

from experiments.referee import BLOCKS, Conduct


class Patience:
    """In which parts each agent has used up the referee's patience, as far as they are played.

    Parts are known by their places in the tournament's order. Who is asked in a part follows from those before it, in
    whatever order, and wherever, they were played.
    """

    def __init__(self) -> None:
        self._conduct: dict[int, Mapping[int, Conduct]] = {}
        self._used_up: dict[int, set[int]] = {}

    def note(self, place: int, conduct: Mapping[int, Conduct]) -> None:
        """Take note of how the agents behaved in a part that has been played, or played again."""
        self._conduct[place] = conduct
        for agent, found in conduct.items():
            used_up = self._used_up.setdefault(agent, set())
            used_up.discard(place)
            if found.out_of_patience:
                used_up.add(place)

    def unasked(self, place: int) -> set[int]:
        """Agents that are not asked in a part."""
        counts = {agent: sum(before < place for before in places) for agent, places in self._used_up.items()}
        return {agent for agent, count in counts.items() if count >= BLOCKS}

    def played(self, place: int) -> bool:
        """Whether a part was played, with those asked who are to be asked in it."""
        unasked, conduct = self.unasked(place), self._conduct.get(place)
        return conduct is not None and not any(
            found.was_asked if agent in unasked else found.was_left_out for agent, found in conduct.items()
        )
