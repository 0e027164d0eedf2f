"""Score sheets as files, as every client makes them: a record, one page of paper, rows."""
