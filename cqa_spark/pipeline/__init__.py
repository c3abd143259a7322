"""The jobs: one module or folder per arrow of the data flow, each a step on a run's tables; ``run`` does them all."""
