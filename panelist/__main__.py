"""`python -m panelist` is the same as `panelist`."""

from panelist.app.cli.main import main

main()
