import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandVoice } from '../../../../src/features/plugins/hooks.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { unbounded } from '../../../../src/tools/guard/process/bounds.ts';
import { longLivedGuard } from '../../../../src/tools/guard/process/process.ts';
import { error } from '../../../../src/tools/output.ts';
import { deploySetting } from '../../../engine/deploy-setting.ts';
import { letPass } from '../../../support/let-pass.ts';
import { RecordingTool } from '../../../support/recording-tool.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';
import { type HookFolder, hookFolder, says } from './hook-setting.ts';

async function hooked(after: (folder: HookFolder) => Promise<readonly object[]>) {
  const folder = await hookFolder();
  const look = new RecordingTool('look', 'network_read', (what) =>
    what === 'away' ? error('There is nothing.') : { forLlm: `saw ${what}`, isError: false, isAsync: false },
  );
  const config = { hooks: { after_tool_call: await after(folder) } };
  return { folder, look, ...(await deploySetting({ config, tools: [look.registration] })) };
}

describe('a hook after a call', () => {
  test('is told what came of it, in the order of the calls, and changes nothing', async () => {
    const { folder, model, channel } = await hooked(async (hooks) => [
      await hooks.hook('watch', says({ decision: 'cancel', reason: 'Too late.' })),
      await hooks.hook('broken', 'exit 1'),
      await hooks.hook('others', '', { tools: ['deploy'] }),
    ]);
    model.next(
      [call('look', { what: 'around' })],
      [call('look', { what: 'away' })],
      [call('echo', { message: 'hm' })],
      'done',
    );
    await channel.ask('look', 'done');
    expect(resultsOf(await model.asked(4))).toEqual(['saw around', 'There is nothing.', expect.stringContaining('hm')]);
    expect(await folder.heard('watch', 3)).toMatchObject([
      {
        event: 'after_tool_call',
        tool: 'look',
        arguments: { what: 'around' },
        outcome: 'success',
        result: 'saw around',
      },
      { tool: 'look', outcome: 'error', result: 'There is nothing.', principal: 'test:ada' },
      { tool: 'echo', source: { type: 'builtin' }, outcome: 'success' },
    ]);
    expect(await folder.heard('broken', 3)).toHaveLength(3);
    expect(await folder.told('others')).toEqual([]);
  });

  test('is not waited for, and hears of what ran before the process ended', async () => {
    const { folder, setting, model, channel, clock } = await hooked(async (hooks) => [
      await hooks.hook('slow', 'while test ! -e go; do sleep 0.02; done'),
    ]);
    model.next([call('look', { what: 'one' })], [call('look', { what: 'two' })], 'done');
    await channel.ask('look', 'done');
    expect(await folder.heard('slow', 1)).toHaveLength(1);
    const stopped = setting.stop();
    await clock.waitsFor(1_000);
    await folder.release();
    const told = await folder.heard('slow', 2);
    expect(told).toMatchObject([{ arguments: { what: 'one' } }, { arguments: { what: 'two' } }]);
    letPass(clock);
    await stopped;
  });
});

test('a hook gets none of our secrets by its environment', async () => {
  const folder = await hookFolder();
  const { command, working_dir: directory } = await folder.hook('env', 'env > env.seen; echo "{}"');
  const environment = { PATH: process.env.PATH, BOT_TOKEN: 'secret-token' };
  const ask = commandVoice(longLivedGuard({ clock: systemClock, bounds: unbounded, environment }), {
    command,
    directory,
  });
  expect(await ask({ event: 'before_tool_call' }, new AbortController().signal)).toEqual({});
  const seen = await readFile(join(folder.folder, 'env.seen'), 'utf8');
  expect(seen).toContain('PATH=');
  expect(seen).not.toContain('secret-token');
});
