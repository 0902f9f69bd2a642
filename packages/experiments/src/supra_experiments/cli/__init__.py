"""The ``supra`` command; one file a command. Only the files here print."""
