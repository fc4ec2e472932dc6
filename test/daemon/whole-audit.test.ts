import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { socketName } from '../../src/daemon/local-socket/socket-place.ts';
import { askSocket, requestLine } from '../support/ask-socket.ts';
import { auditHoles } from '../support/audit-holes.ts';
import { type DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call, held } from '../support/scripted-model.ts';
import { tamperWith } from '../support/store-setting.ts';

const config = {
  agents: { scout: { description: 'looks', prompt: 'You are the scout.' } },
  pairing: { enabled: true },
  agent: { max_turns: 12 },
};

const fileOf = ({ folder }: DaemonSetting): string => join(folder, 'data', 'keyturn.db');
const deployed = (what: string) => [call('deploy', { what })];

async function setUp(more: Readonly<Record<string, unknown>> = {}) {
  const deploy = new RecordingTool('deploy', 'shell');
  const setting = await daemonSetting({ config: { ...config, ...more }, tools: [deploy.registration] });
  const { channel, model, clock } = setting;
  const kinds = (): readonly unknown[] => setting.rows('SELECT kind FROM audit ORDER BY seq').map(({ kind }) => kind);
  const outcomes = (): readonly unknown[] =>
    setting
      .rows(`SELECT outcome FROM calls WHERE state = 'done' ORDER BY done_at, turn_id, position`)
      .map(({ outcome }) => outcome);
  return { setting, channel, model, clock, deploy, kinds, outcomes };
}

describe('the audit has each call and each approval whole, however it went', () => {
  test('asked and allowed, allowed for a while and used, refused by a person, by a rule, and for what cannot be read', async () => {
    const { setting, channel, model, kinds, outcomes } = await setUp();
    model.next(
      deployed('one'),
      'first',
      deployed('two'),
      'second',
      deployed('three'),
      'third',
      deployed('four'),
      'fourth',
    );
    await channel.pressToSee(buttonOf(await channel.cardFor('go'), '15 min'), 'first');
    await channel.ask('again', 'second');
    await channel.ask('/new', /./);
    await channel.pressToSee(buttonOf(await channel.cardFor('once more'), '✅ Approve'), 'third');
    await channel.pressToSee(buttonOf(await channel.cardFor('the last'), '❌ Deny'), 'fourth');
    model.next([call('nothing_like_it', {})], 'fifth', [call('write_file', { path: 7 })], 'sixth');
    await channel.ask('what is not there', 'fifth');
    await channel.ask('what is not written so', 'sixth');
    await setting.edit({ agent: { mode: 'observer' } });
    model.next(deployed('five'), 'seventh');
    await channel.ask('what only looks', 'seventh');
    expect(outcomes()).toEqual(['success', 'success', 'success', 'denied', 'error', 'error', 'refused']);
    expect(kinds().filter((kind) => String(kind).startsWith('grant'))).toEqual(['grant-given', 'grant-revoked']);
    const [asked] = setting.rows(`SELECT detail FROM audit WHERE kind = 'approval-asked'`);
    expect(JSON.parse(String(asked?.detail))).toMatchObject({
      tool: 'deploy',
      because: ['dangerous-category'],
      category: 'shell',
      grantable: true,
      isDangerous: false,
    });
    expect(auditHoles(fileOf(setting))).toEqual([]);
  });

  test('decided at the machine, expired, withdrawn by a stop, and answered by a person', async () => {
    const { setting, channel, model, clock, outcomes } = await setUp();
    model.next(
      deployed('one'),
      'first',
      deployed('two'),
      deployed('three'),
      [call('ask', { question: 'Red or blue?' })],
      'painted',
    );
    await channel.cardFor('go');
    const [{ id } = { id: undefined }] = setting.rows(`SELECT id FROM approvals WHERE state = 'pending'`);
    await askSocket(join(setting.folder, 'data', socketName), requestLine('decide', { id, verdict: 'approve' }));
    await channel.sees('first');
    await channel.cardFor('again');
    // The reminders, and the end.
    for (const minutes of [15, 10, 5]) await clock.passes(minutes * 60_000);
    await expect.poll(outcomes).toEqual(['success', 'expired']);
    await channel.whenIdle();
    await channel.cardFor('once more');
    await channel.ask('/stop', /./);
    await channel.ask('paint it', '❓');
    await channel.ask('red', 'painted');
    expect(outcomes()).toEqual(['success', 'expired', 'cancelled', 'success']);
    const states = setting.rows('SELECT state FROM approvals ORDER BY state').map(({ state }) => state);
    expect(states).toEqual(['answered', 'approved', 'cancelled', 'expired']);
    expect(auditHoles(fileOf(setting))).toEqual([]);
  });

  test('made by agents that work for a run, and ended with them', async () => {
    const { setting, channel, model, outcomes } = await setUp();
    const slow = held('too late');
    model.next([call('delegate', { agent: 'scout', task: 'look' })], deployed('one'), 'it is 42', 'found');
    await channel.pressToSee(buttonOf(await channel.cardFor('go'), '✅ Approve'), 'found');
    model.next([call('delegate', { agent: 'scout', task: 'wait' })], slow.script);
    await channel.say('again');
    await model.asked(6);
    await channel.ask('/stop', /./);
    slow.release();
    await channel.whenIdle();
    expect(outcomes().toSorted()).toEqual(['cancelled', 'success', 'success']);
    expect(auditHoles(fileOf(setting))).toEqual([]);
  });

  test('cut off by the end of a process', async () => {
    const slow = new RecordingTool('slow', 'shell', untilStopped);
    const setting = await daemonSetting({ config, tools: [slow.registration] });
    const { channel, model, clock } = setting;
    model.next([call('slow', { what: 'site' })], 'well');
    const card = await channel.cardFor('go');
    await channel.press(buttonOf(card, '✅ Approve'));
    await slow.ran(1);
    const dying = setting.dies();
    await clock.passes(2_500);
    await dying;
    expect(auditHoles(fileOf(setting))).toEqual([]);
    await setting.start();
    await channel.sees('well');
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'unknown' }]);
    expect(auditHoles(fileOf(setting))).toEqual([]);
  });

  test('and a row that is missing, or one too many, is found', async () => {
    const { setting, channel, model } = await setUp();
    model.next(deployed('one'), 'first');
    await channel.pressToSee(buttonOf(await channel.cardFor('go'), '✅ Approve'), 'first');
    await setting.stop();
    const unlock =
      'DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_deleted; DROP TRIGGER audit_is_not_replaced;';
    tamperWith(
      fileOf(setting),
      `${unlock} DELETE FROM audit WHERE kind = 'call-ended'; UPDATE audit SET kind = 'approval-expired' WHERE kind = 'approval-decided'`,
    );
    expect(auditHoles(fileOf(setting)).map((hole) => hole.split(' about')[0])).toEqual([
      'chain: broken',
      'call-ended',
      'approval-decided',
      'approval-expired',
    ]);
  });
});

test('who may talk stands in the audit: claimed, let in, refused, removed', async () => {
  const setting = await daemonSetting({ config: { ...config, owners: [] } });
  const { channel } = setting;
  await channel.ask('/claim k3f9abcd', /./);
  await channel.say('hello', { by: 'pia' });
  const card = await channel.sees('(`test:pia`)', 'test:ada');
  const letIn = card.buttons.flat().find(({ actionId }) => actionId.endsWith(':let-in'));
  await channel.press(letIn?.actionId ?? 'none');
  await channel.sees(strangerWords.en.welcome, 'test:pia');
  await channel.ask('/unpair test:pia', /./);
  const kinds = setting.rows(`SELECT kind, actor FROM audit WHERE kind <> 'command' ORDER BY seq`);
  expect(kinds).toEqual([
    { kind: 'owner-claimed', actor: 'test:ada' },
    { kind: 'owners-asked', actor: 'test:pia' },
    { kind: 'person-paired', actor: 'test:ada' },
    { kind: 'person-unpaired', actor: 'test:ada' },
  ]);
});
