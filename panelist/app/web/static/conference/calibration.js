// The scores of a conference's reviews: sent, compared with the assignment, calibrated, and kept.
import { $, plural } from "../dom.js";
import { askJson, save } from "../api.js";
import { calibrationView } from "../calibration-view.js";
import { begin, change, id, knownLabels, onConference, paperPage } from "./shell.js";
import { refused, sent, upload } from "./upload.js";

const query = () => new URLSearchParams({ accept: $("#accept").value || "0.25", target: $("#target").value, lower_is_better: $("#lower").checked });

async function show() {
  const { texts, scores, calibrated } = await askJson("GET", `conferences/${id}/reviews`);
  $("#sent").replaceChildren(sent(scores ?? texts));
  $("#run").disabled = !(scores ?? texts);
  $("#run-help").textContent = scores || !texts ? "" : "The scores are those of the reviews that were sent as texts.";
  if (!calibrated) return;
  const found = await askJson("GET", `conferences/${id}/calibration`);
  $("#accept").value = found.settings.accept;
  $("#target").value = found.settings.target;
  $("#lower").checked = found.settings.lower_is_better;
  $("#stale").hidden = !found.stale;
  $("#result").replaceChildren(...calibrationView(found, { report, link: paperPage, labels: await knownLabels() }));
  $("#status").textContent = `${plural(found.papers.length, "paper")} calibrated`;
}

async function calibrate() {
  $("#problem").hidden = true;
  $("#loading").hidden = false;
  try {
    await change("POST", `/calibration?${query()}`);
  } catch (problem) {
    $("#problem").textContent = problem.message;
    $("#problem").hidden = problem.status === 409;
  } finally {
    $("#loading").hidden = true;
  }
}

const report = () => save("GET", `conferences/${id}/calibration/report`);

$("#upload").replaceChildren(upload({
  id: "scores", title: "Drop a CSV file of scores here", help: "with the columns paper, reviewer, score",
  take: async (file) => {
    $("#refused").replaceChildren();
    try {
      await change("PUT", `/reviews/scores?${new URLSearchParams({ name: file.name })}`, { body: file, type: "text/csv" });
    } catch (problem) {
      refused($("#refused"), problem);
      return;
    }
    await calibrate();
  },
}));
$("#settings").addEventListener("submit", (event) => { event.preventDefault(); calibrate(); });
onConference(show);
begin();
