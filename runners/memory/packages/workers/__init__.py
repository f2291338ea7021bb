"""Programs that an environment's own interpreter runs: they import the package, and nothing of ours."""
