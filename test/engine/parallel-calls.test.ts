import { describe, expect, test } from 'vitest';
import { firstTogether } from '../../src/engine/next.ts';
import type { ToolCategory } from '../../src/tools/category.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';

describe('calls of one answer', () => {
  test('that only read run beside each other, and their results stand in their order', async () => {
    const gates = new Map(['a', 'b', 'c'].map((what) => [what, Promise.withResolvers<void>()]));
    const look = new RecordingTool('look', 'filesystem_read', async (what) => {
      await gates.get(what)?.promise;
      return llmOnly(`saw ${what}`);
    });
    const { model, channel } = await daemonSetting({ tools: [look.registration] });
    model.next(
      ['a', 'b', 'c'].map((what) => call('look', { what })),
      'looked',
    );
    await channel.say('look');
    await look.ran(3);
    for (const what of ['c', 'b', 'a']) gates.get(what)?.resolve();
    await channel.sees('looked');
    expect(resultsOf(await model.asked(2))).toEqual(['saw a', 'saw b', 'saw c']);
  });

  test('wait for one that may change something, and it waits for those before it', async () => {
    const log: string[] = [];
    const noting = (name: string, category: ToolCategory): RecordingTool =>
      new RecordingTool(name, category, async (what) => {
        log.push(`${what} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${what} ends`);
        return llmOnly(what);
      });
    const tools = [noting('look', 'network_read'), noting('note', 'memory')].map(({ registration }) => registration);
    const { model, channel } = await daemonSetting({ tools });
    const calls = [
      call('look', { what: 'a' }),
      call('look', { what: 'b' }),
      call('note', { what: 'n' }),
      call('look', { what: 'c' }),
      call('look', { what: 'd' }),
    ];
    model.next(calls, 'done');
    await channel.ask('go', 'done');
    expect(log).toEqual([
      'a begins',
      'b begins',
      'a ends',
      'b ends',
      'n begins',
      'n ends',
      'c begins',
      'd begins',
      'c ends',
      'd ends',
    ]);
  });

  test('are all ended by /stop', async () => {
    const look = new RecordingTool('look', 'filesystem_read', untilStopped);
    const { setting, model, channel } = await settingWith(look);
    model.next([call('look', { what: 'a' }), call('look', { what: 'b' })]);
    await channel.say('look');
    await look.ran(2);
    await channel.askAtRest('/stop', 'Stopped.');
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }, { outcome: 'cancelled' }]);
  });

  test('that the model writes at once do not all begin at once where there are many', () => {
    const many = Array.from({ length: 12 }, (_, index) => index);
    expect(firstTogether(many, () => 'network_read')).toEqual(many.slice(0, 8));
    expect(firstTogether(many, () => 'memory')).toEqual([0]);
    expect(firstTogether(many, () => undefined)).toEqual([0]);
    expect(firstTogether([], () => 'memory')).toEqual([]);
  });
});

async function settingWith(tool: RecordingTool) {
  const setting = await daemonSetting({ tools: [tool.registration] });
  return { setting, model: setting.model, channel: setting.channel };
}
