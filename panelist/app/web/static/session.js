// What is typed and chosen on the page that finds reviewers, for as long as the tab is open: a reload loses nothing.

const KEY = "panelist-find";

/** What was remembered in this tab, null where nothing was. */
export function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

/** @param state {values: {id: value}, people, shortlist, excluded, lookup, kept} as find.js makes it; some may be left out */
export function remember(state) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(state));
  } catch {
    /* not allowed, or full: the page works without */
  }
}
