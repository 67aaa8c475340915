"""The desks: the register, held prizes, envelopes, papers, slips."""
