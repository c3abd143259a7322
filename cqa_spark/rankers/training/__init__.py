"""Training in the tasks of one Spark stage: the rows of each task, and the messages between tasks."""
