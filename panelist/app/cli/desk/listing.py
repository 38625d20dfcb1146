"""`panelist desk list`: the kept submissions and the conferences, with the ids that the other commands take."""

from __future__ import annotations

from panelist.app.cli.options import JsonOption, WorkspaceOption


def listing(json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List the conferences and the kept submissions, the newest first.

    **Examples**

        panelist desk list

        panelist desk list --json --workspace journal.workspace
    """
    from panelist.app.cli.desk.opened import opened_desk
    from panelist.app.cli.output import print_json, say
    from panelist.app.desk.conference.files import read_records
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.submissions import KeptSubmissions

    with opened_desk(workspace) as desk:
        conferences = Conferences(desk).list()
        submissions = KeptSubmissions(desk).listing(limit=-1)[1]
    if json:
        print_json(
            {
                "conferences": [
                    {"id": one.id, "name": one.name, "created": one.created, "files": list(read_records(one))}
                    for one in conferences
                ],
                "submissions": [
                    {"id": one.id, "title": one.title, "created": one.created, "changed": one.changed}
                    for one in submissions
                ],
            }
        )
        return
    for one in conferences:
        say(f"conference  {one.id}  {one.created.date()}  {one.name}")
    for kept in submissions:
        say(f"submission  {kept.id}  {kept.created[:10]}  {' '.join(kept.title.split())}")
