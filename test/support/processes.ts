import { readdir, readFile } from 'node:fs/promises';

/** The ids of the living processes whose command line contains the text. */
export async function processesWith(text: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.includes(text));
}
