"""The laws every game keeps. A game added to the registry is held to them with no edit here."""

from __future__ import annotations

from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.batched import call, same, stack, unstack
from helpers.cases import cases
from helpers.knowledge import CONSERVED, NUM_SYMMETRIES, OTHER_SIDE, pieces
from helpers.study import POSITIONS, SAMPLES, Study, study

from ludus.core.game import Game, legal_actions

pytestmark = pytest.mark.parametrize("game", cases())


# --- the rules are those of the slow reference --------------------------------------------------------------


def test_legal_moves_are_those_of_the_reference(game: Game) -> None:
    s = study(game)
    for i, (state, text) in enumerate(zip(s.each, s.texts, strict=True)):
        wanted = s.reference.moves(text)
        assert len(s.legal_actions(i)) == len(wanted), text  # before an illegal move is asked for its name
        assert sorted(game.format_move(state, action) for action in s.legal_actions(i)) == wanted, text


def test_a_step_is_that_of_the_reference(game: Game) -> None:
    s = study(game)
    for i, k in _moves(s):
        move = s.move(i, k)
        assert game.format(unstack(s.stepped, i, k)) == s.reference.play(s.texts[i], move), (s.texts[i], move)


def test_the_end_and_the_result_are_those_of_the_reference(game: Game) -> None:
    s = study(game)
    assert s.facts.done.any(), "no finished position was tried"
    assert s.live.any(), "no unfinished position was tried"
    assert s.facts.returns.shape == (POSITIONS, game.num_players)
    for text, done, returns in zip(s.texts, s.facts.done, s.facts.returns, strict=True):
        result = s.reference.result(text)
        assert bool(done) == (result is not None), text
        assert result is None or tuple(returns.tolist()) == result, text


def test_a_finished_game_has_no_legal_action(game: Game) -> None:
    s = study(game)
    for i in (*np.flatnonzero(s.facts.done)[:3], *np.flatnonzero(s.live)[:3]):
        assert legal_actions(game, s.each[i]) == s.legal_actions(i)


# --- counting and choosing among legal moves ----------------------------------------------------------------


def test_the_number_of_legal_moves_is_that_of_the_mask(game: Game) -> None:
    facts = study(game).facts
    assert facts.legal.shape == (POSITIONS, game.num_actions)
    np.testing.assert_array_equal(facts.num_legal, facts.legal.sum(axis=1))
    assert facts.num_legal.max() <= game.max_legal


def test_nth_legal_runs_through_the_mask_in_order(game: Game) -> None:
    s = study(game)
    for legal, count, actions in zip(s.facts.legal, s.facts.num_legal, s.nth_legal, strict=True):
        np.testing.assert_array_equal(actions[:count], np.flatnonzero(legal))


def test_afterstates_are_what_each_legal_move_leads_to(game: Game) -> None:
    s = study(game)
    after = s.afterstates
    np.testing.assert_array_equal(after.valid.sum(axis=1), s.facts.num_legal)
    for i in np.flatnonzero(s.live).tolist():
        assert after.actions[i][after.valid[i]].tolist() == s.legal_actions(i)
    for i, k in _moves(s):
        place = s.legal_actions(i).index(s.samples[i, k])
        assert same(unstack(after.states, i, place), unstack(s.stepped, i, k)), s.texts[i]


# --- seats and shapes ---------------------------------------------------------------------------------------


def test_a_game_is_a_value(game: Game) -> None:
    again = type(game)(**game.options())
    assert again == game
    assert hash(again) == hash(game)
    assert game.describe().split()[0] == game.name
    assert len(game.seats) == game.num_players


def test_a_step_keeps_shapes_and_types(game: Game) -> None:
    state = study(game).each[0]
    after = jax.eval_shape(game.step, state, np.int32(0))
    assert jax.tree.structure(after) == jax.tree.structure(state)
    for old, new in zip(jax.tree.leaves(state), jax.tree.leaves(after), strict=True):
        assert (new.shape, new.dtype) == (np.shape(old), old.dtype)


def test_a_step_takes_a_plain_number(game: Game) -> None:
    """As a person writes it, without compiling anything."""
    s = study(game)
    i, k = _moves(s)[0]
    after = game.step(jax.tree.map(jnp.asarray, s.each[i]), int(s.samples[i, k]))
    assert game.format(after) == game.format(unstack(s.stepped, i, k))
    for leaf, wanted in zip(jax.tree.leaves(after), jax.tree.leaves(s.each[i]), strict=True):
        assert (np.shape(leaf), np.asarray(leaf).dtype) == (np.shape(wanted), wanted.dtype)


def test_every_action_has_an_output_of_a_coarser_head(game: Game) -> None:
    outputs, group = game.action_groups()
    assert group.shape == (game.num_actions,)
    np.testing.assert_array_equal(np.unique(group), np.intersect1d(np.arange(outputs), group))


def test_whose_turn_it_is_is_a_seat(game: Game) -> None:
    players = study(game).facts.player
    assert players.min() >= 0
    assert players.max() < game.num_players
    assert len(np.unique(players)) == game.num_players


def test_one_winner_costs_the_other_as_much(game: Game) -> None:
    if game.num_players == 2:
        np.testing.assert_array_equal(study(game).facts.returns.sum(axis=1), 0)


def test_the_observation_is_the_movers(game: Game) -> None:
    if game.name not in OTHER_SIDE or getattr(game, "swap", False):
        pytest.skip(f"{game.describe()} has no other side stated in OTHER_SIDE")
    s = study(game)
    others = stack([game.parse(OTHER_SIDE[game.name](text)) for text in s.texts])
    seen = call(game, "facts", others)
    np.testing.assert_array_equal(seen.observe, s.facts.observe)
    np.testing.assert_array_equal(seen.player, 1 - s.facts.player)


def test_observations_tell_positions_apart(game: Game) -> None:
    s = study(game)
    by_observation: dict[bytes, set[str]] = {}
    for text, player, seen in zip(s.texts, s.facts.player, s.facts.observe, strict=True):
        alike = game.name in OTHER_SIDE and not getattr(game, "swap", False)
        turned = OTHER_SIDE[game.name](text) if alike and player else text
        by_observation.setdefault(seen.tobytes(), set()).add(turned)
    assert all(len(texts) == 1 for texts in by_observation.values())


# --- symmetries ---------------------------------------------------------------------------------------------


def test_the_first_image_is_the_position_itself(game: Game) -> None:
    s = study(game)
    assert same(jax.tree.map(lambda leaf: leaf[:, 0], s.images.states), s.states).all()
    np.testing.assert_array_equal(
        s.images.actions[:, 0], np.resize(np.arange(game.num_actions), (POSITIONS, game.num_actions))
    )


def test_images_permute_the_actions(game: Game) -> None:
    actions = study(game).images.actions
    kind = f"{game.name} with swap" if getattr(game, "swap", False) else game.name
    assert actions.shape == (POSITIONS, NUM_SYMMETRIES.get(kind, actions.shape[1]), game.num_actions)
    np.testing.assert_array_equal(
        np.sort(actions, axis=-1), np.broadcast_to(np.arange(game.num_actions), actions.shape)
    )


def test_images_are_a_whole_group(game: Game) -> None:
    """All images of some position differ, and those of an image are those of the position."""
    s = study(game)
    num_images = s.images.actions.shape[1]
    orbits = [{game.format(unstack(s.images.states, i, g)) for g in range(num_images)} for i in range(POSITIONS)]
    assert max(map(len, orbits)) == num_images
    some = jax.tree.map(lambda leaf: leaf[::8], s.images.states)
    again, _ = call(game, "symmetries", some, axes=2)
    for i, g in np.ndindex(POSITIONS // 8, num_images):
        images = {game.format(unstack(again, i, g, h)) for h in range(num_images)}
        assert images == orbits[8 * i], s.texts[8 * i]


def test_legal_moves_of_an_image_are_the_images_of_the_legal_moves(game: Game) -> None:
    s = study(game)
    there = np.take_along_axis(s.images.facts.legal, s.images.actions, axis=-1)
    wrong = (there != s.facts.legal[:, None, :]).any(axis=-1) & s.live[:, None]
    assert not wrong.any(), [(s.texts[i], f"image {g}") for i, g in np.argwhere(wrong)]


def test_a_step_commutes_with_symmetry(game: Game) -> None:
    s = study(game)
    equal = same(s.images.stepped, s.images.of_stepped)
    assert equal.shape == (POSITIONS, SAMPLES, s.images.actions.shape[1])
    assert equal[s.live].all(), [s.texts[i] for i in np.flatnonzero(s.live & ~equal.all(axis=(1, 2)))]


def test_the_movers_result_is_that_of_every_image(game: Game) -> None:
    s = study(game)
    there = s.images.facts
    np.testing.assert_array_equal(there.relative, np.broadcast_to(s.facts.relative[:, None], there.relative.shape))
    np.testing.assert_array_equal(there.done, np.broadcast_to(s.facts.done[:, None], there.done.shape))


def test_canonical_forms_are_the_same_for_the_mover(game: Game) -> None:
    s, c = study(game), study(game).canonical
    assert same(c.states, c.again).all()
    np.testing.assert_array_equal(c.back, np.resize(np.arange(game.num_actions), c.back.shape))
    for here, there in ((c.facts.observe, s.facts.observe), (c.facts.done, s.facts.done)):
        np.testing.assert_array_equal(here, there)
    np.testing.assert_array_equal(c.facts.relative, s.facts.relative)
    assert same(c.stepped, c.of_stepped)[s.live].all()
    np.testing.assert_array_equal(np.take_along_axis(c.facts.legal, c.actions, axis=-1)[s.live], s.facts.legal[s.live])


# --- what a move does to the pieces -------------------------------------------------------------------------


def test_pieces_are_conserved(game: Game) -> None:
    if game.name not in CONSERVED:
        pytest.skip(f"{game.name} has no law of its pieces stated in CONSERVED")
    s = study(game)
    for i, k in _moves(s):
        move, after = s.move(i, k), game.format(unstack(s.stepped, i, k))
        holds = CONSERVED[game.name](pieces(s.texts[i]), pieces(after), int(s.facts.player[i]), move)
        assert holds, f"{s.texts[i]} -- {move} --> {after}"


# --- text and pictures --------------------------------------------------------------------------------------


def test_positions_survive_text(game: Game) -> None:
    s = study(game)
    after = [unstack(s.stepped, i, k) for i, k in _moves(s)]
    for state in (*s.each, *after):
        text = game.format(state)
        assert same(game.parse(text), state), text


def test_moves_survive_text(game: Game) -> None:
    s = study(game)
    for i in np.flatnonzero(s.live)[::3].tolist():
        for action in s.samples[i, :3].tolist():
            assert game.parse_move(s.each[i], game.format_move(s.each[i], action)) == action, s.texts[i]


def test_moves_have_different_names(game: Game) -> None:
    s = study(game)
    for i in np.flatnonzero(s.live).tolist():
        names = {game.format_move(s.each[i], action) for action in s.legal_actions(i)}
        assert len(names) == s.facts.num_legal[i], s.texts[i]


def test_drawings_show_the_position(game: Game) -> None:
    s = study(game)
    for state, text in zip(s.each[::4], s.texts[::4], strict=True):
        drawing = ElementTree.fromstring(game.svg(state))
        assert drawing.findtext("{http://www.w3.org/2000/svg}title") == text
        assert len(list(drawing)) > 2
    drawings = {game.draw(state) for state in s.each}
    assert len(drawings) == len(set(s.texts))


def _moves(s: Study) -> list[tuple[int, int]]:
    """The index of every sampled move of an unfinished position."""
    return [(i, k) for i in np.flatnonzero(s.live).tolist() for k in range(SAMPLES)]
