"""The witness's page and acts."""
