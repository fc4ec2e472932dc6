import { describe, expect, test } from 'vitest';
import { listWords } from '../../src/conversation/commands/reports/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { type DaemonSetting, daemonSetting, group } from '../support/daemon-setting.ts';
import { buttonOf, type Shown } from '../support/platform-traffic.ts';
import { call } from '../support/scripted-model.ts';

const words = commandWords.en;
const revoke = (number: number) => listWords.en.buttonRevoke({ number });

/** Ada has allowed two commands for good. */
async function withGrants(options: Parameters<typeof daemonSetting>[0] = {}): Promise<DaemonSetting> {
  const { setting, channel, model } = await daemonSetting(options);
  for (const what of ['one', 'two']) {
    model.next([call('shell', { command: `echo ${what}` })], `did ${what}`);
    await channel.pressToSee(buttonOf(await channel.cardFor(what), 'Always'), `did ${what}`);
    setting.clock.advance(1000);
  }
  await channel.whenIdle();
  return setting;
}

/** The message as it is shown now. */
function now(setting: DaemonSetting, { ref }: Shown): Shown | undefined {
  return setting.channel.screen.find((shown) => shown.ref === ref);
}

function labels(shown: Shown | undefined): readonly string[] {
  return (shown?.buttons ?? []).flat().map(({ label }) => label);
}

async function grantsOf(setting: DaemonSetting): Promise<Shown> {
  return setting.channel.ask('/grants', 'Saved permissions');
}

function kept(setting: DaemonSetting): readonly unknown[] {
  return setting.rows('SELECT id FROM grants WHERE revoked_at IS NULL');
}

describe('a button of a list', () => {
  test('does what its command does, tells who pressed it, and the list shows what is so then', async () => {
    const setting = await withGrants();
    const { channel } = setting;
    const list = await grantsOf(setting);
    expect(labels(list)).toEqual([revoke(1), revoke(2), listWords.en.buttonRevokeAll]);
    const count = channel.screen.length;
    expect(await channel.press(buttonOf(list, revoke(1)))).toEqual({ notice: words.revoked({ count: 1 }) });
    await channel.whenIdle();
    expect(kept(setting)).toHaveLength(1);
    expect(channel.screen).toHaveLength(count);
    expect(now(setting, list)?.text).toContain('echo two');
    expect(now(setting, list)?.text).not.toContain('echo one');
    expect(labels(now(setting, list))).toEqual([revoke(1)]);
  });

  test('still works in the next process, and once for each press', async () => {
    const setting = await withGrants();
    const { channel } = setting;
    const list = await grantsOf(setting);
    await setting.restart();
    const key = 'press-1';
    await channel.press(buttonOf(list, revoke(2)), { key });
    await channel.whenIdle();
    expect(await channel.press(buttonOf(list, listWords.en.buttonRevokeAll), { key })).toEqual({ notice: undefined });
    await channel.whenIdle();
    expect(kept(setting)).toHaveLength(1);
    expect(now(setting, list)?.text).toContain('echo one');
  });

  test('that is out of date says so, and the list is brought up to date', async () => {
    const setting = await withGrants();
    const { channel } = setting;
    const list = await grantsOf(setting);
    const stale = buttonOf(list, revoke(1));
    await channel.askAtRest('/revoke all', words.revoked({ count: 2 }));
    expect(await channel.press(stale)).toEqual({ notice: words.noSuchGrant });
    await channel.whenIdle();
    expect(now(setting, list)?.text).toContain('No saved permissions');
    expect(labels(now(setting, list))).toEqual([]);
  });

  test('pressed below an old list of which nothing is known is answered in a message', async () => {
    const setting = await withGrants();
    const { channel } = setting;
    const [, id] = /:revoke ([a-z0-9]+)/.exec(buttonOf(await grantsOf(setting), revoke(1))) ?? [];
    expect(await channel.press(`lst:nosuchlist:revoke ${id}>grants`)).toEqual({ notice: undefined });
    await channel.sees(words.revoked({ count: 1 }));
    expect(kept(setting)).toHaveLength(1);
  });

  test('of a friend does what the friend may do, also if it is forged', async () => {
    const setting = await withGrants({ allowFrom: ['bob'] });
    const { channel } = setting;
    await channel.ask('hello', 'echo: hello', { by: 'bob', at: 'test:bob' });
    expect(await channel.press('cmd:people', { by: 'bob' })).toEqual({ notice: undefined });
    await channel.sees(words.ownersOnly, 'test:bob');
    const [, id] = /:revoke ([a-z0-9]+)/.exec(buttonOf(await grantsOf(setting), revoke(1))) ?? [];
    await channel.press(`cmd:revoke ${id}`, { by: 'bob' });
    await channel.sees(words.noSuchGrant, 'test:bob');
    expect(kept(setting)).toHaveLength(2);
  });

  test('of a stranger does nothing', async () => {
    const setting = await withGrants();
    const { channel } = setting;
    const list = await grantsOf(setting);
    const before = channel.screen.length;
    for (const button of [buttonOf(list, revoke(1)), 'cmd:stop', 'cmd:grants', 'cmd:'])
      expect((await channel.press(button, { by: 'eve' })).notice).toBe(
        button === 'cmd:' ? engineWords.en.toastDeadButton : engineWords.en.toastOnlyPeopleHere,
      );
    await channel.whenIdle();
    expect(channel.screen).toHaveLength(before);
    expect(kept(setting)).toHaveLength(2);
  });

  test('obeys the rules of a group: who may command there, and what is not for a group to read', async () => {
    const config = { channels: { test: { groups: { team: { allow_from: ['*'], commands_from: ['ada'] } } } } };
    const { channel } = await daemonSetting({ config });
    expect(await channel.press('cmd:stop', { by: 'eve', in: group })).toEqual({
      notice: engineWords.en.toastOnlyPeopleHere,
    });
    await channel.press('cmd:people', { in: group });
    await channel.sees(words.notInGroups, 'test:team');
  });

  test('given in private is answered in private', async () => {
    const { channel } = await daemonSetting();
    const asked = await channel.ask('/staus', 'staus', { in: group, privateTo: 'ada:1', at: 'test:team' });
    expect(asked.privateTo).toBe('ada:1');
    await channel.press(asked, { in: group });
    expect((await channel.sees('is up for', 'test:team')).privateTo).toBe('ada:1');
  });
});
