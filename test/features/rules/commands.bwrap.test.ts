import { beforeAll, expect, test, vi } from 'vitest';
import { cardWords } from '../../../src/approval/asking/words.ts';
import { rulesWords } from '../../../src/features/rules/words.ts';
import type { SandboxState } from '../../../src/tools/guard/process/sandbox.ts';
import type { Shown } from '../../support/platform-traffic.ts';
import { realSandbox } from '../../tools/guard/process/sandbox-setting.ts';
import { offerOn, type RulesSetting, rulesSetting } from './rules-setting.ts';

const words = rulesWords.en;
let sandbox: SandboxState;

beforeAll(async () => {
  sandbox = await realSandbox();
});

/** What a sandbox leaves is waited for, by the clock. */
async function inTime<Result>(setting: RulesSetting, work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  await vi.waitFor(
    () => {
      setting.daemon.clock.advance(25);
      expect(isOver).toBe(true);
    },
    { timeout: 100_000, interval: 10 },
  );
  return done;
}

const files = { 'package.json': '{"scripts":{"test":"true"}}', 'build.sh': 'echo built > out\n' };

function runs(setting: RulesSetting, command: string): Promise<Shown | undefined> {
  return inTime(setting, setting.wants('shell', { command }));
}

async function allowed(setting: RulesSetting, command: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const card = await runs(setting, command);
    await inTime(setting, setting.presses(card, cardWords.en.buttonApprove));
    await setting.daemon.write('build.sh', `echo built ${time} > out\n`);
  }
}

test('in the sandbox, a command that ran what changed each time is offered, and covers its own words alone', async () => {
  const setting = await rulesSetting({ sandbox, files });
  await allowed(setting, 'sh build.sh', 8);
  const card = await runs(setting, 'sh build.sh');
  await inTime(setting, setting.presses(await setting.asksAbout(card), words.buttonAllow));
  await setting.daemon.write('build.sh', 'echo another > out\n');
  expect(await runs(setting, 'sh build.sh')).toBeUndefined();
  for (const other of ['sh build.sh && rm out', 'sh build.sh out', 'sh  build.sh', 'sh other.sh']) {
    const asked = await runs(setting, other);
    expect(asked, other).toBeDefined();
    await inTime(setting, setting.presses(asked, cardWords.en.buttonDeny));
  }
  // Without the sandbox, nothing bounds what the same words do.
  await setting.daemon.edit({}, { sandbox: { holds: false, reason: 'it is gone' } });
  expect(await runs(setting, 'sh build.sh')).toBeDefined();
});

test('without the sandbox, no command is offered', async () => {
  const setting = await rulesSetting({ files });
  await allowed(setting, 'sh build.sh', 8);
  expect(offerOn(await runs(setting, 'sh build.sh'))).toBeUndefined();
});
