import { join } from 'node:path';
import { channelLoaders as loaders, channelSettings as settings } from '../../channels/index.ts';
import { createConfigDesk } from '../../src/cli/desk/config-desk.ts';

// Saves the config of a folder again and again, each time with another number, and writes a sign after each.

const [, , folder = ''] = process.argv;
const desk = createConfigDesk({
  place: { path: join(folder, 'config.json'), explicit: true, cwd: folder, home: folder, env: process.env },
  program: { process, channels: async () => ({ loaders, settings }) },
  entry: '',
});
for (let turns = 100; ; turns += 1) {
  const { text = '', stamp } = await desk.text('en');
  await desk.save({
    text: text.replace(/"max_turns": \d+/, `"max_turns": ${turns}`),
    stamp,
    language: 'en',
    held: () => ({ config: {}, fault: undefined, isFollowed: false }),
  });
  process.stdout.write('.');
}
