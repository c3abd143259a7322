"""CQA-MD: Arabic medical questions with question-answer pairs from the web (SemEval-2016 Task 3, subtask D)."""
