"""What a person loaded, ran and decided, kept on disk the moment it happens."""
