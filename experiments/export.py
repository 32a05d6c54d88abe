"""Make a model's file, to be shipped, of what `experiments.train` has trained: its weights alone, with a card.

The run's model is unpickled: export only what you trained or trust. The file made of it is never unpickled.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.cards import Card, new_card
from agents.models import ENDING, save_model
from agents.ppo import load, network_of
from experiments.options import reported
from experiments.runs import MODEL, commit, read_settings
from marriage_env.games import rule_options


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.export",
        description=__doc__,
        epilog="Example: python -m experiments.export runs/boxes-5 --out agents/weights/boxes-5.safetensors --half",
    )
    parser.add_argument("run", type=Path, metavar="FOLDER", help="a run of experiments.train")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=f"the model's file, NAME{ENDING}")
    parser.add_argument("--half", action="store_true", help="write weights as float16: half the size")
    return parser.parse_args(arguments)


def card_of(settings: dict[str, Any]) -> Card:
    """The card of a run's model."""
    rules = rule_options(settings["game"], settings["rules"])
    facts = {name: settings.get(name) for name in ("command", "seed")}
    done_by = settings.get("commit", commit())
    return new_card(settings["game"], rules, steps=settings.get("steps_learned", 0), commit=done_by, **facts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    with reported("export"):
        settings = read_settings(options.run)
        network = network_of(load(str(options.run / MODEL)).policy)
        save_model(options.out, card_of(settings), network, half=options.half)
        print(f"saved {options.out} and its card")


if __name__ == "__main__":
    main()
