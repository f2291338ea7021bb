"""A foreign agent loop, recorded: `python docs/examples/foreign_loop.py my.memtui`, then `memtui my.memtui`."""

import sys

from memtui import Recorder

SESSIONS = {
    "s1": [("user", "I moved to Lisbon in May."), ("assistant", "How is the weather there?")],
    "s2": [("user", "My guitar needs new strings."), ("assistant", "Nylon or steel?")],
}
QUESTIONS = [("Where did I move?", "Lisbon", ["s1"]), ("What needs strings?", "guitar", ["s2"])]


def search(query: str) -> list[str]:  # your memory system
    words = set(query.lower().strip("?").split())
    score = {
        s: sum(w in t.lower() for _, t in turns for w in words) for s, turns in SESSIONS.items()
    }
    return sorted(score, key=lambda s: -score[s])


with Recorder(sys.argv[1], name="my loop", arm="word-count/first-hit", budget=2) as rec:
    for id, turns in SESSIONS.items():
        rec.session(id, turns)
    for question, gold, evidence in QUESTIONS:
        with rec.episode(
            question=question, gold=gold, evidence=evidence, haystack=list(SESSIONS)
        ) as ep:
            found = search(question)
            ep.memory_call("search", question, hits=found, k=2)
            answer = SESSIONS[found[0]][0][1]  # your agent
            ep.answer(answer, right=gold.lower() in answer.lower())
