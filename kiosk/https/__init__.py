"""Certificates and the pages over TLS, and how a device learns to trust them."""
