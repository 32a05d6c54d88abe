"""# Boxes, version 0

The trick-taking Marriage (the French *Guimbarde*): five boxes of chips, declarations, side payments, kings and queens
that marry on the table, a queen who must jump in out of turn, and fines. General-sum, imperfect information.

| | |
|---|---|
| Import | `from marriage_env import boxes_v0` |
| Agents | `player_0` ... `player_9` (5 to 10 players) |
| Actions | `Discrete(61)` |
| Observations | `Dict`: `observation`, float32 in [0, 1]; `action_mask`, int8 of 61 |
| Rewards | chips, each the change of the player's balance |
| Manual control | no |

## Use

```python
from marriage_env import boxes_v0

env = boxes_v0.env(players=5, render_mode="ansi")
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        action = None
    else:
        action = env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

With `render_mode="rgb_array"`, `marriage_env.video.RecordVideo(env, "films")` films each match.

`env` ends the match at an illegal action, as PettingZoo's wrapped environments do: a reward of -1 for him who took
it, who pays one chip into box `sequence`, and 0 for the others. (At the very first action the contributions are
given back.) `raw_env` raises `IllegalActionError` instead, and nothing changes. Both are the same class, without
wrappers: each checks by itself that it was reset, and that an action is an action. `parallel_env` is `env` behind
PettingZoo's `turn_based_aec_to_parallel`.

## Arguments

`players` and every other rule option (`marriage_env.boxes.BoxesRules`), by name, and:

- `render_mode`: None; `"ansi"`: `render()` returns the table in words; `"rgb_array"`: a picture, uint8 of shape
  (height, width, 3); `"human"`: a window shows the picture after each step. Pictures need
  `pip install 'marriage-env[pictures]'`; a clone or copy of an environment with a window has `render_mode` None.
- `render_width`: of pictures, in pixels, 320 to 3840 (default 1000); 16 to 10 is their shape.
- `mask_in`: `"observation"` (default), or `"info"`: observations are the vector alone. The mask is in
  `infos[agent]["action_mask"]` in both forms.
- `viewer`: whose hand `render` shows, in words and pictures: an agent, `"all"`, or None for whoever is to act.
- `record`: a file to which a record of each match is added, to be checked, replayed, and gone on from by
  `resume(record)`: `docs/records.md`. `env.record` is that of the match so far.

`reset(seed, options)` takes in `options`, each alone or with others: `dealer`, a seat; `pots`, the chips in each pot;
`packs`, for each of the first deals the ids of all its cards, top first.

## Actions

| action | |
|---|---|
| 0-51 | play that card: 4 x rank + suit, ranks 2 ... A = 0 ... 12, suits C D H S = 0 ... 3 |
| 52-56 | declare `sequence`, `marriage`, `jester`, `king`, `queen` |
| 57-59 | declare `marriage_clubs`, `marriage_diamonds`, `marriage_spades` |
| 60 | pass |

When a king is played, whoever still has to play and holds the queen of his suit acts next, out of turn. With
`conduct="fined"` he may pass instead, and every card in hand may be played: breaches cost chips.

## Observations

Seats are counted from the observer: 0 is he himself, 1 his left-hand neighbour. All that he has been shown in this deal
is in the vector, and nothing else; `env.decode(observation)` names it. The mask is all zeros for an agent that is not
to act. The fields are listed in `docs/environments/boxes.md`.

`state()` is what player_0 sees, followed by the hands of the other players, card by card.

## Rewards

A reward is the change of the player's balance in the last step of anybody, so that an episode's sum is his gain in
chips. The first contributions are charged with the first step. Chips only move: balances
and boxes always add up to the same. `env.ledger` lists each payment of the last step, with its reason.

## Version history

- v0: first version.
"""

from typing import Any

from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from marriage_env.aec import TableEnv
from marriage_env.boxes import GAME

__all__ = ["env", "parallel_env", "raw_env"]


class raw_env(TableEnv):
    """Boxes as an AEC environment that raises on an illegal action. See the module for its page."""

    game = GAME
    metadata = {  # noqa: RUF012  (PettingZoo's way)
        "name": "boxes_v0",
        "render_modes": ["ansi", "human", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }


class env(raw_env):
    """Boxes as an AEC environment in which an illegal action ends the match. See the module for its page."""

    illegal_ends_match = True


def parallel_env(**options: Any) -> turn_based_aec_to_parallel:
    """Boxes in PettingZoo's parallel API: one agent acts in each step, the actions of others are not looked at."""
    return turn_based_aec_to_parallel(env(**options))
