// The files of a conference.
import { begin } from "./shell.js";

begin();
