"""Slips: the queue, a spool for each printer, what people decide."""
