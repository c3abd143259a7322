"""The jobs: one module per arrow of the data flow, each a step on tables of a run, and ``run`` that does them all."""
