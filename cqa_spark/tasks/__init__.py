"""Tasks, a package each: everything about a ranking problem; ``task_contract`` says what a task declares."""
