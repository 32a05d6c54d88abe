"""Draw the pictures of the pages: ``python docs/pictures.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from marriage_env import boxes_v0, make_agent, saucers_v0

FOLDER = Path(__file__).parent / "pictures"
COLOURS = 256  # a byte a pixel: a third of the size, and nobody sees the difference
MODULES: dict[str, Any] = {"boxes": boxes_v0, "saucers": saucers_v0}


class Shot(NamedTuple):
    """A picture: of a table of so many, dealt from a seed, after so many actions of rule-based players."""

    game: str
    players: int
    seed: int
    actions: int

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.game}-{self.players}.png"


SHOTS = (
    Shot("boxes", 5, seed=11, actions=0),
    Shot("boxes", 6, seed=0, actions=6),
    Shot("boxes", 10, seed=1, actions=20),
    Shot("saucers", 3, seed=3, actions=0),
    Shot("saucers", 4, seed=2, actions=23),
    Shot("saucers", 6, seed=2, actions=500),
)


def picture(shot: Shot) -> Any:
    """Its pixels, as player_0 sees the table."""
    module = MODULES[shot.game]
    env = module.env(players=shot.players, render_mode="rgb_array", viewer="player_0")
    env.reset(seed=shot.seed)
    player = make_agent("rules")
    for _ in range(shot.actions):
        if any(env.terminations.values()):
            break
        env.step(player.act(env.observe(env.agent_selection)))
    return env.render()


def save(pixels: Any, path: Path) -> None:
    """Write a picture in the colours that suit it best."""
    few = Image.fromarray(pixels).quantize(COLOURS, dither=Image.Dither.NONE, kmeans=5)
    few.save(path, optimize=True)


def main() -> None:
    """Draw them all."""
    FOLDER.mkdir(exist_ok=True)
    for shot in SHOTS:
        save(picture(shot), FOLDER / shot.name)


if __name__ == "__main__":
    main()
