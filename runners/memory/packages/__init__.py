"""Published memory packages, each in an environment and a process of its own, under the one contract."""
