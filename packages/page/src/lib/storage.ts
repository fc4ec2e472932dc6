/* What this browser keeps for the page. A browser that forbids it keeps nothing, and the page works until it is closed. */

/** Undefined: there is nothing, or it may not be read. */
export function stored(item: string): string | undefined {
  try {
    return localStorage.getItem(item) ?? undefined;
  } catch {
    // Storage is switched off for this site.
    return undefined;
  }
}

/** Keeps a text; undefined removes it. */
export function store(item: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(item);
    else localStorage.setItem(item, text);
  } catch {
    // Storage is switched off for this site, or full: the choice holds in this tab.
  }
}

/** Removes what a person has written here and not sent: at a machine of several people, the next one would see it. */
export function forgetWritten(): void {
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const item of Object.keys(storage)) if (/^keyturn\.(?:draft|unsent)\./.test(item)) storage.removeItem(item);
  } catch {
    // Storage is switched off for this site: nothing was kept.
  }
}
