"""The rules of the conformance suite, in the order in which they are reported."""

from __future__ import annotations

from runners.memory import conformance_limits as limits
from runners.memory import conformance_results as results
from runners.memory.conformance_bench import Rule

RULES: dict[str, Rule] = {
    "declares itself": results.declares_itself,
    "tools are usable": results.tools_are_usable,
    "memory is filled": results.memory_is_filled,
    "ids come back": results.ids_come_back,
    "tokens are not remembered": results.tokens_are_not_remembered,
    "k is respected": results.k_is_respected,
    "scratch equivalence": results.scratch_equivalence,
    "same question, same answer": results.same_question_same_answer,
    "ties keep position": results.ties_keep_position,
    "empty haystack": limits.empty_haystack,
    "empty query": limits.empty_query,
    "hostile queries": limits.hostile_queries,
    "scripts without spaces": limits.scripts_without_spaces,
    "200 kB session": limits.large_session,
    "empty turns": limits.empty_turns,
    "same content twice": limits.same_content_twice,
    "unprepared session is refused": limits.unprepared_session_is_refused,
    "now is accepted": limits.now_is_accepted,
    "context fits": results.context_fits,
    "clone is independent": limits.clone_is_independent,
    "rank agrees": results.rank_agrees,
    "close twice": limits.close_twice,
    "closing gives back": limits.closing_gives_back,
    "door calls are declared": limits.door_calls_are_declared,
    "declared numbers of calls": limits.declared_numbers_of_calls,
    "no network beyond the door": limits.no_network_beyond_the_door,
}
