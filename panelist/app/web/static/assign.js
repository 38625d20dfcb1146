// The page that assigns reviewers: the component below, in the common frame.
import { $ } from "./dom.js";
import { showAbout } from "./api.js";
import { assignmentDesk } from "./assignment.js";

const job = new URLSearchParams(location.search).get("job");
assignmentDesk($("#assignment"), { job });
showAbout().catch(() => { $("#about").textContent = "The server cannot be reached."; });
