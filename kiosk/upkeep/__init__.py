"""What keeps an installation well: doctor, backup, restore, upgrade, metrics, the offline bundle, paper forms."""
