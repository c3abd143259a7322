"""Files of rankings, judgments and scores: SemEval's, TREC's, and tables of pairs."""
