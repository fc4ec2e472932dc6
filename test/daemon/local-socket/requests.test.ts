import { join } from 'node:path';
import { expect, test } from 'vitest';
import { machinePrincipal } from '../../../src/daemon/local-socket/machine.ts';
import { socketName } from '../../../src/daemon/local-socket/socket-place.ts';
import { localWords } from '../../../src/daemon/local-socket/words.ts';
import { engineWords } from '../../../src/engine/words.ts';
import { askSocket, requestLine } from '../../support/ask-socket.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { call } from '../../support/scripted-model.ts';

async function asked(setting: DaemonSetting, request: string, params: object = {}): Promise<unknown> {
  const [answer] = await askSocket(join(setting.folder, 'data', socketName), requestLine(request, params));
  return answer;
}

async function waitingCall(setting: DaemonSetting, path = 'notes.txt') {
  const { model, channel } = setting;
  model.next([call('write_file', { path, content: 'x' })], 'done');
  await channel.say('write it');
  await expect.poll(() => setting.rows(`SELECT id FROM approvals WHERE state = 'pending'`)).toHaveLength(1);
  return String(setting.rows(`SELECT id FROM approvals WHERE state = 'pending'`)[0]?.id);
}

test('the status tells how it is: the channels, the model, what waits', async () => {
  const setting = await daemonSetting();
  await waitingCall(setting);
  expect(await asked(setting, 'status')).toMatchObject({
    ok: true,
    result: {
      version: expect.stringMatching(/^\d/),
      pid: process.pid,
      upSince: expect.any(Number),
      model: { answeredAt: expect.any(Number) },
      channels: [{ name: 'test', status: 'connected' }],
      waiting: { approvals: 1, questions: 0, undelivered: 0, strangers: 0 },
      grants: 0,
      troubles: [],
      isUnclaimed: false,
    },
  });
});

test.each([
  ['a channel of the config', true, true],
  ['the gateway alone', false, false],
])('nobody owns it yet, with %s: whether it can be claimed is told: %j', async (_where, enabled, isUnclaimed) => {
  const setting = await daemonSetting({
    config: { owners: [], gateway: { enabled: true, port: 0 }, channels: { test: { enabled } } },
  });
  expect(await asked(setting, 'status')).toMatchObject({ result: { isUnclaimed } });
});

test('who runs it approves what waits, though they are no approver: it is done, once, and the audit says by whom', async () => {
  const setting = await daemonSetting({ config: { approval: { approvers: ['test:ada'] } } });
  const id = await waitingCall(setting);
  expect(await asked(setting, 'approvals')).toMatchObject({
    result: { approvals: [{ id, type: 'permission', tool: 'write_file', requester: 'test:ada' }] },
  });
  expect(await asked(setting, 'decide', { id, verdict: 'approve' })).toMatchObject({
    ok: true,
    result: { id, state: 'approved' },
  });
  await setting.channel.whenIdle();
  expect(setting.rows(`SELECT state, decided_by FROM approvals`)).toEqual([
    { state: 'approved', decided_by: machinePrincipal },
  ]);
  expect(setting.rows(`SELECT actor FROM audit WHERE kind = 'approval-decided'`)).toEqual([
    { actor: machinePrincipal },
  ]);
  expect(setting.rows(`SELECT outcome FROM calls`)).toEqual([{ outcome: 'success' }]);
  expect(await asked(setting, 'decide', { id, verdict: 'deny' })).toMatchObject({ ok: false, code: 'refused' });
  expect(await asked(setting, 'approvals')).toMatchObject({ result: { approvals: [] } });
});

test('a denial has its reason, which the model reads', async () => {
  const setting = await daemonSetting();
  const id = await waitingCall(setting);
  expect(await asked(setting, 'decide', { id, verdict: 'deny', reason: 'use another name' })).toMatchObject({
    result: { state: 'denied' },
  });
  await setting.channel.whenIdle();
  expect(setting.rows(`SELECT outcome, result FROM calls`)).toEqual([
    { outcome: 'denied', result: expect.stringContaining('use another name') },
  ]);
});

test.each([
  [{ id: 'nothing1', verdict: 'approve' }, 'refused', localWords.en.noApproval({ id: 'nothing1' })],
  [{ verdict: 'approve' }, 'wrong-params', undefined],
  [{ id: 'a', verdict: 'always' }, 'wrong-params', undefined],
])('%j decides nothing', async (params, code, reason) => {
  const setting = await daemonSetting();
  const answer = await asked(setting, 'decide', params);
  expect(answer).toMatchObject({ ok: false, code });
  if (reason !== undefined) expect(answer).toMatchObject({ reason });
});

test('a request that there is not is refused with those that there are', async () => {
  const setting = await daemonSetting();
  expect(await asked(setting, 'constructor')).toMatchObject({
    ok: false,
    code: 'unknown-request',
    reason: expect.stringContaining('status'),
  });
});

test('a person in a chat cannot decide as the machine does, whatever their event says', async () => {
  const setting = await daemonSetting({ allowFrom: ['bob'] });
  const id = await waitingCall(setting);
  await setting.channel.say(`/approve ${id}`, { by: 'bob' });
  expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
  await expect.poll(() => JSON.stringify(setting.channel.traffic)).toContain(engineWords.en.toastNotYours);
});

test('tools are told with their source, and whether and why they ask', async () => {
  const setting = await daemonSetting({ config: { agent: { mode: 'assistant' } } });
  expect(await asked(setting, 'tools')).toMatchObject({
    result: {
      tools: expect.arrayContaining([
        { name: 'read_file', category: 'filesystem_read', source: expect.any(String), permission: 'never' },
        expect.objectContaining({
          name: 'write_file',
          permission: 'asks',
          reason: expect.stringContaining('write_file'),
        }),
      ]),
    },
  });
});

test('people are told with how they came in, and devices with their owners', async () => {
  const setting = await daemonSetting();
  await setting.channel.say('hello', { by: 'eve' });
  expect(await asked(setting, 'people')).toMatchObject({
    result: { owners: ['test:ada'], paired: [], refused: [], linked: [] },
  });
  expect(await asked(setting, 'devices')).toMatchObject({ ok: true, result: { devices: [] } });
});

test('the level of the log is told, changed and taken back; a level that there is not changes nothing', async () => {
  const setting = await daemonSetting();
  const configured = { level: 'info', configured: 'info', isChosen: false };
  expect(await asked(setting, 'log-level')).toMatchObject({ ok: true, result: configured });
  expect(await asked(setting, 'log-level', { level: 'debug' })).toMatchObject({
    result: { ...configured, level: 'debug', isChosen: true },
  });
  for (const level of ['loud', 7, null])
    expect(await asked(setting, 'log-level', { level })).toMatchObject({ ok: false, code: 'wrong-params' });
  expect(await asked(setting, 'status')).toMatchObject({ result: { logLevel: 'debug' } });
  expect(await asked(setting, 'log-level', { level: 'default' })).toMatchObject({ result: configured });
});
