"""`ludus eval`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import NO_OPTIONS, Flag, GameOptions, Json, Whole, check_range, print_json, print_progress
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.truth.grade import Grade
    from ludus.games.hex.truth import HexGrade
    from ludus.truth.sampled import Sampled


def eval(
    agent: Annotated[str, Parameter(help="random, perfect, lgame/best, the folder of a run, ...")],
    /,
    *,
    against: Annotated[
        tuple[str, ...], Parameter(help="Opponents to play sampled games with.", negative="", consume_multiple=True)
    ] = (),
    games: Annotated[Whole, Parameter(help="Sampled games with each opponent.")] = 1000,
    exact: Annotated[Flag, Parameter(help="Exact strength on every position, without sampling.")] = False,
    every_defence: Annotated[
        Flag, Parameter(help="With --exact on 5 x 5 Hex: follow every defence (for an accelerator: minutes there).")
    ] = False,
    epsilon: Annotated[float, Parameter(help="Share of random moves against the random player, with --exact.")] = 0.01,
    game: Annotated[str | None, Parameter(help="The game, for an agent that plays any.")] = None,
    seed: Annotated[Whole, Parameter(help="What chance begins from, for sampled games.")] = 0,
    options: GameOptions = NO_OPTIONS,
    as_json: Json = False,
) -> None:
    """Measure the strength of one agent: exactly where the game is small, else by games.

    For example:

        ludus eval lgame/best --exact
        ludus eval runs/mine --against random perfect --games 10000
        ludus eval random --game lgame --exact
    """
    check_range("--epsilon", epsilon, 0, 1)
    check_range("--games", games, 1, 10**8)
    check_range("--seed", seed, 0, 2**31 - 1)
    if every_defence and not exact:
        raise BadInput("--every-defence goes with --exact: it says how far the proof goes.")
    made = game_for([agent, *against], game, options)
    from ludus.training.agents import find_agent

    if every_defence:
        from ludus.games.hex.truth import leaves_defences_out

        if not leaves_defences_out(made):
            raise BadInput(
                f"--every-defence is for 5 x 5 Hex, where some are left out without it, not {made.describe()}."
            )
    player = find_agent(agent, made)
    report: dict[str, Any] = {"agent": agent, "game": made.describe()}
    if exact:
        if made.num_players != 2:
            raise BadInput(f"{made.name} is a puzzle for one: there is no opponent to be exact about.")
        found = exactly(player, made, epsilon, every_defence)
        report |= found.to_json()
        if not as_json:
            print(f"{agent} at {made.describe()}")
            print_grade(found)
    results = []
    for name in against or (() if exact else ("random",)):
        results.append({"against": name, **sampled(made, player, find_agent(name, made), games, seed)})
        if not as_json:
            print_match(agent, name, results[-1])
    if len(results) == 1:
        report |= results[0]
    elif results:
        report["results"] = results
    if as_json:
        print_json(report)


def exactly(player: Any, game: Game, epsilon: float, every_defence: bool) -> Grade | HexGrade:
    """The exact strength; on larger Hex boards what the solvers can tell."""
    from ludus.truth.grade import grade
    from ludus.games.hex.truth import can_be_graded, grade_hex

    if not game.small and can_be_graded(game):
        return grade_hex(player, game, every_defence, _print_defences)
    return grade(player, game, epsilon)


def _print_defences(opening: str, ply: int, positions: int, beaten: bool | None) -> None:
    """How far the defences after a first move have been followed, on stderr: as it goes on a terminal."""
    live = sys.stderr.isatty()
    if beaten is None and not live:
        return
    so_far = f" up to move {ply + 1}" if beaten is None else ", beaten" if beaten else ""
    text = f"after {opening}: {positions:,} positions{so_far}"
    print(("\r" if live else "") + text.ljust(60), end="" if beaten is None else "\n", file=sys.stderr, flush=True)


def game_for(agents: list[str], game: str | None, options: GameOptions) -> Game:
    """The game these agents play, or the one named: what is asked for, and what each was trained for, must agree."""
    from ludus.training.agents import find_agent, game_of
    from ludus.games import make_game

    trained = [(name, made) for name in agents if (made := game_of(name)) is not None]
    for name, made in trained:
        if game is not None and game != made.name:
            raise BadInput(f"the agent '{name}' plays {made.name}, not {game}.")
        own = {field.name: getattr(made, field.name) for field in made.options()}
        asked = make_game(made.name, **own | options.given(type(made)))
        if asked != made:
            raise BadInput(f"the agent '{name}' plays {made.describe()}, not {asked.describe()}.")
        first, its_game = trained[0]
        if made != its_game:
            raise BadInput(
                f"the agents '{first}' and '{name}' cannot meet: one plays {its_game.describe()}, the other "
                f"{made.describe()}."
            )
    if trained:
        return trained[0][1]
    if game is None:
        for name in agents:  # a name that is none at all is the first thing to say
            find_agent(name, make_game("lgame"))
        raise BadInput(f"'{agents[0]}' plays any game; name one with --game.")
    return options.setup(game)[0]


def sampled(game: Game, player: Any, other: Any, games: int, seed: int) -> dict[str, Any]:
    """A match, as it stands in the JSON document."""
    import jax

    from ludus.play.arena import match

    if game.num_players != 2:
        raise BadInput(f"{game.name} is a puzzle for one: there is no opponent to play.")

    result = match(game, player, other, games, jax.random.key(seed), on_batch=print_progress)
    by_seat = [{"games": t.games, "wins": t.wins, "draws": t.draws, "losses": t.losses} for t in result.by_seat]
    return {
        "games": result.games,
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "score": result.score,
        "ci95": list(result.ci95),
        "by_seat": dict(zip(("first", "second"), by_seat, strict=True)),
        "mean_plies": result.mean_plies,
    }


def print_match(name: str, other: str, result: dict[str, Any]) -> None:
    low, high = result["ci95"]
    print(
        f"{name} against {other}: {result['wins']:,} won, {result['draws']:,} drawn, {result['losses']:,} lost of "
        f"{result['games']:,}; score {100 * result['score']:.2f}% (95% interval {100 * low:.2f} to {100 * high:.2f})"
    )


def print_grade(grade: Grade | HexGrade | Sampled) -> None:
    """The strength, for people."""
    from ludus.truth.grade import Grade
    from ludus.truth.sampled import Sampled

    if isinstance(grade, Sampled):
        low, high = grade.result.ci95
        return print(f"  {grade.summary()} (95% interval {100 * low:.1f} to {100 * high:.1f})")
    if not isinstance(grade, Grade):
        return _print_hex(grade)
    share = 100 * grade.value_preserving / grade.positions
    print(f"  keeps the value in {grade.value_preserving:,} of {grade.positions:,} positions ({share:.2f}%)")
    if grade.vs_random and grade.vs_perfect:
        first, second = grade.vs_random
        print(
            f"  wins {100 * first.win:.3f}% first and {100 * second.win:.3f}% second against random "
            f"(moving at random {100 * grade.epsilon:g}% of the time)"
        )
        first, second = grade.vs_perfect
        print(
            f"  does not lose {100 * first.no_loss:.2f}% first and {100 * second.no_loss:.2f}% second against perfect"
        )
    if grade.unbeatable:
        print("  proved unbeatable: no line of play from the start beats it, in either seat")
    else:
        seat = ("first", "second")[grade.beaten_in_seat or 0]
        print(f"  beaten as {seat} player by: {' '.join(grade.beaten_by)}")


def _print_hex(grade: HexGrade) -> None:
    print(f"  {grade.summary()}{', all there are' if grade.every else ', a sample'}")
    if grade.openings is not None:
        print(f"  judges {grade.openings_right} of {grade.openings} first moves rightly")
    if grade.wins_from is not None and grade.winning_openings is not None:
        beaten = sorted(set(grade.winning_openings) - set(grade.wins_from))
        defences = "every defence" if grade.every_defence else "all defences that were followed"
        print(
            f"  beats {defences} ({grade.followed:,} positions) after {len(grade.wins_from)} of "
            f"{len(grade.winning_openings)} winning ones"
        )
        if beaten:
            print(f"  can be beaten after {' '.join(beaten)}")
    if grade.first_player_win:
        print("  moving first, it wins against every defence: all were followed")
    elif grade.beaten_by:
        print(f"  beaten as first player by: {' '.join(grade.beaten_by)}")
