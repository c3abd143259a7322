"""From community tables to examples: the contract of a task, and threads that training and evaluation share."""
