/** How long the browser may take to begin with it. */
const keptMs = 60_000;

/** Saves it where the browser keeps what is downloaded: as a file without a kind, so that none shows it as a page of this origin. */
export function saveFile(content: Blob | string, name: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), keptMs);
}
