"""`python -m panelist` is the same as `panelist`."""

from panelist.cli.main import main

main()
