"""Constants of the extractive agents, set on the `tune` split of the synthetic data and nowhere else.

`benchmarks/tune_extractive.py` prints the table behind them. What is maximised is plain accuracy over
scales 0 to 400 less a small price per call: nothing is tuned to a budget, to the test split or to real
data. Found with data seed 7, ladder seed 1, memory `bm25`:

    until-confident   threshold 0.55, patience 1 -> 0.706  (0.30: 0.683, 0.80: 0.704; patience 2: 0.700)
    verify            2 further searches -> 0.696  (1: 0.693, 3: 0.696)
    search-once       abstains below 0.20 -> 0.669  (0: 0.643, 0.40: 0.637)
"""

from __future__ import annotations

CONFIDENT = 0.55
"""`until-confident` stops searching at this confidence."""
ABSTAIN_BELOW = 0.2
"""Below this score of the best candidate every policy says that it was not mentioned."""
PATIENCE = 1
"""`until-confident` gives up after so many searches in a row that showed nothing new."""
CHECKS = 2
"""`verify` searches at most so many times again to see whether its candidate holds."""
CALL_PRICE = 0.005
"""Accuracy one call is worth when thresholds are chosen."""
