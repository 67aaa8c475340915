"""The adapters that keep the engine's state: SQLAlchemy tables, repositories, unit of work."""
