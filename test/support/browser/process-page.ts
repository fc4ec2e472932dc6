import { isJsonObject, parseJson } from '../../../src/lib/json.ts';
import type { DaemonProcess } from '../daemon-process.ts';
import { runCommandOf } from '../run-command.ts';
import { waitUntil } from '../wait-for.ts';
import type { FileBrowser, OpenOptions } from './browser.ts';
import type { OpenedPage } from './opened-page.ts';

/** Opens the page of a real process, signed in as whoever runs it, through the link that `keyturn web` prints. */
export async function openPageOf(
  daemon: Pick<DaemonProcess, 'configFile' | 'folder'>,
  browser: FileBrowser,
  { path = '/', ...options }: Omit<OpenOptions, 'as'> = {},
): Promise<OpenedPage> {
  // It opens its socket a little later than it greets.
  const link = await waitUntil(() => linkOf(daemon), { what: 'a link to the page' });
  const opened = await browser.blank(options);
  await opened.page.goto(new URL(path + link.hash, link).href);
  await opened.isSignedIn();
  return opened;
}

async function linkOf(daemon: Pick<DaemonProcess, 'configFile' | 'folder'>): Promise<URL | undefined> {
  const { stdout } = await runCommandOf(daemon, ['web', '--json']);
  const told = parseJson(stdout);
  return isJsonObject(told) ? new URL(String(told.here)) : undefined;
}
