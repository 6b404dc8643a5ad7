"""What a model gets right and wrong on test data: the numbers behind the report of a model, and its page."""
