"""Tables of a run file (one SQLite file per run); see docs/architecture.md.

`rev` grows with every transaction on updatable rows, so a viewer reads `WHERE rev > last`; steps are
insert-only and are followed by rowid.
"""

from __future__ import annotations

APPLICATION_ID = 0x6D656D74  # "memt"
SCHEMA_VERSION = 1

TABLES = """
CREATE TABLE run(
  id INTEGER PRIMARY KEY CHECK(id=1), rev INTEGER NOT NULL, uid TEXT NOT NULL, name TEXT NOT NULL,
  protocol TEXT NOT NULL, config TEXT NOT NULL, config_hash TEXT NOT NULL, mode TEXT NOT NULL,
  budget INTEGER NOT NULL, alpha REAL NOT NULL, judge TEXT NOT NULL, planned INTEGER NOT NULL,
  scales TEXT NOT NULL, dataset TEXT NOT NULL, versions TEXT NOT NULL, seeds TEXT NOT NULL,
  state TEXT NOT NULL, note TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, finished_at TEXT);
CREATE TABLE arm(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, memory TEXT NOT NULL,
  config TEXT NOT NULL, form TEXT NOT NULL, provenance TEXT NOT NULL, note TEXT NOT NULL);
CREATE TABLE cell(
  id INTEGER PRIMARY KEY, arm_id INTEGER NOT NULL, conditions TEXT NOT NULL, scale REAL,
  UNIQUE(arm_id, conditions));
CREATE TABLE item(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, question TEXT NOT NULL, gold TEXT,
  gold_raw TEXT NOT NULL, qtype TEXT NOT NULL, cluster TEXT NOT NULL, answerable INTEGER NOT NULL,
  question_date TEXT, tempting TEXT, flags TEXT NOT NULL, meta TEXT NOT NULL);
CREATE TABLE evidence(
  item_id INTEGER NOT NULL, ord INTEGER NOT NULL, raw TEXT NOT NULL, session TEXT, turn INTEGER,
  status TEXT NOT NULL, PRIMARY KEY(item_id, ord)) WITHOUT ROWID;
CREATE TABLE session(
  id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, sha TEXT NOT NULL, source TEXT NOT NULL,
  date TEXT, n_turns INTEGER NOT NULL, tokens INTEGER NOT NULL, z BLOB NOT NULL);
CREATE TABLE passage(ref TEXT PRIMARY KEY, z BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE haystack(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, item_id INTEGER NOT NULL, scale REAL NOT NULL,
  ladder_seed INTEGER NOT NULL, date_policy TEXT NOT NULL, n_sessions INTEGER NOT NULL,
  n_irrelevant INTEGER NOT NULL, tokens INTEGER NOT NULL, tokenizer TEXT NOT NULL,
  borrowed INTEGER NOT NULL, contaminated INTEGER NOT NULL, pools TEXT NOT NULL, evidence_age REAL,
  available INTEGER NOT NULL, note TEXT NOT NULL, z BLOB NOT NULL);
CREATE TABLE episode(
  id INTEGER PRIMARY KEY, rev INTEGER NOT NULL, uid TEXT NOT NULL UNIQUE, key TEXT NOT NULL,
  cell_id INTEGER NOT NULL, item_id INTEGER NOT NULL, haystack_id INTEGER, repeat INTEGER NOT NULL,
  attempt INTEGER NOT NULL, counts INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0,
  end_reason TEXT, requested INTEGER NOT NULL DEFAULT 0, executed INTEGER NOT NULL DEFAULT 0,
  first_hit INTEGER, t_star INTEGER, gold_total INTEGER, gold_found INTEGER,
  redundant INTEGER NOT NULL DEFAULT 0, zero_yield INTEGER NOT NULL DEFAULT 0,
  strip TEXT NOT NULL DEFAULT '', forced INTEGER NOT NULL DEFAULT 0,
  abstained INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER, completion_tokens INTEGER,
  cached_tokens INTEGER, cost REAL, wall_ms REAL, answer TEXT, answer_raw TEXT,
  error TEXT NOT NULL DEFAULT '', coverage TEXT NOT NULL DEFAULT '[]',
  views TEXT NOT NULL DEFAULT '{}', usage TEXT NOT NULL DEFAULT '{}',
  started_at TEXT NOT NULL, finished_at TEXT);
CREATE TABLE step(
  id INTEGER PRIMARY KEY, episode_id INTEGER NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
  at TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL, counts_as_call INTEGER NOT NULL,
  call_no INTEGER, query TEXT, k_asked INTEGER, k_returned INTEGER, k_shown INTEGER, hits BLOB,
  gold_ranks BLOB, gold_new INTEGER, gold_cum INTEGER, new_hits INTEGER, similarity REAL,
  similarity_kind TEXT NOT NULL, raw TEXT NOT NULL, text TEXT NOT NULL, usage TEXT, wall_ms REAL,
  data TEXT NOT NULL, UNIQUE(episode_id, seq));
CREATE TABLE message(step_id INTEGER PRIMARY KEY, z BLOB NOT NULL);
CREATE TABLE verdict(
  id INTEGER PRIMARY KEY, rev INTEGER NOT NULL, episode_id INTEGER NOT NULL, judge TEXT NOT NULL,
  label TEXT NOT NULL, reason TEXT NOT NULL, raw TEXT NOT NULL, usage TEXT, at TEXT NOT NULL);
CREATE TABLE ledger(
  id INTEGER PRIMARY KEY, owner TEXT NOT NULL, phase TEXT NOT NULL, paid TEXT NOT NULL,
  cold TEXT NOT NULL, wall_ms REAL);
CREATE TABLE heartbeat(
  id INTEGER PRIMARY KEY CHECK(id=1), at TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL,
  snapshot TEXT NOT NULL);
CREATE TABLE event(
  id INTEGER PRIMARY KEY, at TEXT NOT NULL, level TEXT NOT NULL, kind TEXT NOT NULL,
  text TEXT NOT NULL, data TEXT NOT NULL);
"""

INDICES = """
CREATE INDEX episode_facts ON episode(
  counts, done, cell_id, item_id, end_reason, requested, executed, first_hit, t_star, gold_total,
  gold_found, redundant, zero_yield, forced, abstained, repeat, attempt, rev);
CREATE INDEX episode_rev ON episode(rev);
CREATE INDEX episode_key ON episode(key);
CREATE INDEX verdict_rev ON verdict(rev);
CREATE INDEX verdict_latest ON verdict(judge, episode_id, id, label);
"""
