import { z } from 'zod';
import { runCommand } from '../../src/cli/run-command.ts';
import { type Channel, type ChannelAdapter, defineChannel } from '../../src/contract.ts';

// The daemon with two channels: the first begins and says when it is stopped, the second fails as it begins.

// A third one, if it is switched on, never stops.

const settings = z.strictObject({ enabled: z.boolean().default(true), allow_from: z.array(z.string()).default([]) });
await runCommand({
  process,
  channels: async () => ({
    settings: {
      steady: settings,
      failing: settings,
      endless: settings.extend({ enabled: z.boolean().default(false) }),
    },
    loaders: {
      steady: async () => channelOf('steady', async () => {}),
      failing: async () =>
        channelOf('failing', async () => {
          throw new Error('the socket is missing');
        }),
      endless: async () => {
        const endless = { ...adapterOf('endless', async () => {}), stop: () => new Promise<void>(() => {}) };
        return defineChannel({ name: 'endless', settings, create: () => endless });
      },
    },
  }),
});

function channelOf(name: string, start: () => Promise<void>): Channel {
  return defineChannel({ name, settings, create: () => adapterOf(name, start) });
}

function adapterOf(name: string, start: () => Promise<void>): ChannelAdapter {
  return {
    capabilities: { maxLength: 4000, forms: false, maxFileBytes: 0, editPause: { direct: 0, group: 0 }, history: true },
    measure: (markdown) => markdown.length,
    start,
    stop: async () => {
      process.stdout.write(`${name} is stopped\n`);
    },
    send: async () => ({ id: '1' }),
  };
}
