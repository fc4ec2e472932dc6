import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';

/** So far apart are the messages, in milliseconds. */
const pace = 10_000;
const messages = 8_640;
const people = 8;
/** In bytes: what is kept of the transcripts is now more, now less, by 2 MB. Half a kilobyte a message would be more. */
const mostGrowth = 4_000_000;

test('a day with a message every ten seconds leaves the memory as it was', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const look = new RecordingTool('look', 'memory');
  const { channel, model, clock } = await daemonSetting({
    allowFrom: ['*'],
    tools: [look.registration],
    // The first one of the day loads its code.
    config: { data: { backups: 0 } },
  });
  model.otherwise(({ messages: said }) =>
    said.at(-1)?.role === 'user' ? [call('look', { what: 'x'.repeat(200) })] : `seen, ${look.executed.length}`,
  );

  const write = async (count: number): Promise<number> => {
    for (let index = 0; index < count; index += 1) {
      const by = `person${index % people}`;
      await channel.say(`message ${index} ${'y'.repeat(200)}`, { by });
      await channel.whenIdle({ channel: 'test', chatId: by, kind: 'direct' });
      clock.advance(pace);
      // What the test itself remembers is not the daemon's.
      for (const list of [model.requests, model.timed, channel.traffic, channel.statuses, look.executed])
        list.length = 0;
      channel.clear();
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  // Caches fill, that of transcripts last; code is compiled, and each transcript reaches the length at which it is cut.
  const before = await write(people * 300);
  const after = await write(messages);
  expect(after - before).toBeLessThan(mostGrowth);
  expect(clock.waits.length).toBeLessThan(10);
});
