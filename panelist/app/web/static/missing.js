// The page for addresses where nothing is.
import { showAbout } from "./api.js";

showAbout();
