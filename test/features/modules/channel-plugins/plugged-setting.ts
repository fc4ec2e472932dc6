import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { LinePlatform } from '../../../../examples/channels/line/line-platform.ts';
import { daemonSetting } from '../../../support/daemon-setting.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { KeptLog } from '../module-setting.ts';

const exampleFolder = fileURLToPath(new URL('../../../../examples/channels/line', import.meta.url));

export type PluggedSetting = Awaited<ReturnType<typeof pluggedSetting>>;

/** A daemon with the example channel in a folder of its own, as `line`, and whatever channels are written beside it. */
export async function pluggedSetting(
  files: Readonly<Record<string, string>> = {},
  plugins: (folder: string) => Readonly<Record<string, object>> = (folder) => ({
    line: { path: join(folder, 'line') },
  }),
  channels: Readonly<Record<string, object>> = {},
) {
  const folder = await newFolder();
  const platform = await LinePlatform.open();
  onTestFinished(() => platform.close());
  await cp(exampleFolder, join(folder, 'line'), { recursive: true });
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const log = new KeptLog();
  const setting = await daemonSetting({
    log,
    config: {
      channel_plugins: plugins(folder),
      channels: { ...('line' in plugins(folder) && { line: platform.settings }), ...channels },
      owners: ['test:ada', ...('line' in plugins(folder) ? ['line:ada'] : [])],
    },
  });
  const sees = async (words: string): Promise<void> => {
    await waitUntil(() => platform.seen().includes(words), { what: words, describe: () => platform.seen() });
  };
  const asked = (): readonly string[] =>
    setting.rows('SELECT asked_id FROM trusted WHERE asked_id IS NOT NULL').map(({ asked_id }) => String(asked_id));
  return {
    ...{ folder, platform, setting, log, write, sees, asked },
    /** What the board of health says of a channel, as `/status` shows it to owners. */
    async status() {
      await setting.channel.sayAtRest('/status details');
      return setting.channel.screen.findLast(({ text }) => text.includes('Channels:'))?.text ?? '';
    },
    async trustAll() {
      await waitUntil(() => asked().length > 0, { what: 'something to trust' });
      log.clear();
      await setting.channel.say(`/trust ${asked().join(' ')}`);
    },
  };
}
