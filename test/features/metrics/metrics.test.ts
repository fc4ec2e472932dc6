import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { group } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call } from '../../support/scripted-model.ts';
import { type MetricsSetting, metricsSetting } from './metrics-setting.ts';

/** The model calls `deploy`, and Ada presses the button with this place on its card. */
async function deploys({ daemon: { model, channel, clock } }: MetricsSetting, button: number): Promise<void> {
  model.next([call('deploy', { what: 'shop' })], 'That is done.');
  const card = await channel.cardFor('deploy it');
  clock.advance(30_000);
  await channel.press(card.buttons.flat()[button]?.actionId ?? '');
  await channel.sees('That is done.');
  await channel.whenIdle();
}

describe('after a conversation with a call that a person has approved', () => {
  test('each stage of it is counted and measured', async () => {
    const it = await metricsSetting({}, { tools: [new RecordingTool('deploy', 'shell').registration] });
    it.daemon.model.usage = { inputTokens: 100, outputTokens: 7, cost: 250_000 };
    await deploys(it, 0);
    await it.becomes('keyturn_runs_total{outcome="answered"}', 1);
    const series = await it.scrape();
    expect(Object.fromEntries(series)).toMatchObject({
      'keyturn_messages_received_total{channel="test",kind="message"}': 1,
      'keyturn_messages_received_total{channel="test",kind="action"}': 1,
      'keyturn_messages_delivered_total{channel="test",kind="card",outcome="sent"}': 1,
      'keyturn_messages_delivered_total{channel="test",kind="reply",outcome="sent"}': 1,
      keyturn_run_wait_seconds_count: 1,
      keyturn_run_seconds_count: 1,
      keyturn_run_seconds_sum: 30,
      keyturn_runs_open: 0,
      'keyturn_model_tokens_total{model="scripted",direction="input"}': 200,
      'keyturn_model_tokens_total{model="scripted",direction="output"}': 14,
      'keyturn_model_cost_total{model="scripted"}': 0.5,
      'keyturn_model_request_seconds_count{model="scripted"}': 2,
      'keyturn_model_first_part_seconds_count{model="scripted"}': 2,
      'keyturn_tool_calls_total{tool="deploy",outcome="done"}': 1,
      'keyturn_tool_call_seconds_count{tool="deploy"}': 1,
      'keyturn_approvals_requested_total{kind="permission",dangerous="false"}': 1,
      'keyturn_approvals_decided_total{kind="permission",decision="approved"}': 1,
      'keyturn_approval_wait_seconds_sum{decision="approved"}': 30,
      'keyturn_approval_wait_seconds_bucket{le="15",decision="approved"}': 0,
      'keyturn_approval_wait_seconds_bucket{le="60",decision="approved"}': 1,
    });
  });

  test('nothing in it tells who said what, and where', async () => {
    const it = await metricsSetting({}, { tools: [new RecordingTool('deploy', 'shell').registration] });
    await it.daemon.channel.ask('a-word-of-ada', 'echo: a-word-of-ada');
    await it.daemon.channel.ask('hello', 'echo: [Ada] hello', { in: group, at: 'test:team' });
    await deploys(it, 0);
    await it.becomes('keyturn_runs_total{outcome="answered"}', 3);
    const { body } = await it.ask();
    for (const secret of ['a-word-of-ada', 'ada', 'Ada', 'team', 'shop', 'echo']) expect(body).not.toContain(secret);
  });
});

describe('while something waits', () => {
  test('an open approval is seen, and that it is decided', async () => {
    const it = await metricsSetting({}, { tools: [new RecordingTool('deploy', 'shell').registration] });
    const { model, channel } = it.daemon;
    expect((await it.scrape()).get('keyturn_approvals_open')).toBe(0);
    model.next([call('deploy', { what: 'shop' })], 'It was not done.');
    const card = await channel.cardFor('deploy it');
    expect(Object.fromEntries(await it.scrape())).toMatchObject({
      keyturn_approvals_open: 1,
      keyturn_conversations_open: 1,
      keyturn_runs_open: 1,
    });
    await channel.pressToSee(card, 'It was not done.');
    await it.becomes('keyturn_approvals_open', 0);
    await it.becomes('keyturn_conversations_open', 0);
  });

  test('messages that the platform refuses are held, and counted', async () => {
    const it = await metricsSetting();
    it.daemon.channel.failNext({ type: 'permanent' }, { says: 'echo: hello', lasts: true });
    await it.daemon.channel.say('hello');
    await it.becomes('keyturn_outbox_messages{state="held"}', 1);
    expect((await it.scrape()).get('keyturn_outbox_messages{state="waiting"}')).toBe(0);
  });

  test('a channel that is lost is seen, and one that an edit removes is not', async () => {
    const it = await metricsSetting({}, { moreChannels: [{ name: 'other' }] });
    const connected = 'keyturn_channel_connected{channel="test"}';
    expect((await it.scrape()).get(connected)).toBe(1);
    it.daemon.channel.sessions.hosts[0]?.reportHealth({ status: 'failing', reason: 'no line' });
    expect((await it.scrape()).get(connected)).toBe(0);
    await it.daemon.edit({}, { gone: ['other'] });
    expect([...(await it.scrape()).keys()].filter((name) => name.startsWith('keyturn_channel'))).toEqual([connected]);
  });

  test('a faulty config is seen, and that it is mended', async () => {
    const it = await metricsSetting();
    it.daemon.configFault('broken');
    expect((await it.scrape()).get('keyturn_config_fault')).toBe(1);
    it.daemon.configFault(undefined);
    expect((await it.scrape()).get('keyturn_config_fault')).toBe(0);
  });
});

test('the disk, the backup and the process are told of', async () => {
  const it = await metricsSetting();
  expect((await it.scrape()).get('keyturn_last_backup_timestamp_seconds')).toBe(0);
  const backups = join(it.daemon.folder, 'data', 'backups');
  await mkdir(backups, { recursive: true });
  await writeFile(join(backups, 'keyturn-2026-03-04.tar.gz'), 'x');
  const series = await it.scrape();
  expect(series.get('keyturn_last_backup_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
  for (const name of [
    'keyturn_database_bytes{file="main"}',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'nodejs_heap_size_used_bytes',
  ])
    expect(series.get(name), name).toBeGreaterThan(0);
  expect(series.get('nodejs_eventloop_lag_max_seconds')).toBeGreaterThanOrEqual(0);
});

describe('names that others choose', () => {
  test('make no series of their own', async () => {
    const it = await metricsSetting();
    const { model, channel } = it.daemon;
    model.next([call('made_up_by_the_model', {})], 'it is not there');
    await channel.say('go on');
    await channel.sees('it is not there');
    await it.becomes('keyturn_runs_total{outcome="answered"}', 1);
    const { body } = await it.ask();
    expect(body).not.toContain('made_up_by_the_model');
    expect(body).toMatch(/^keyturn_tool_calls_total\{tool="other",outcome="\w+"\} 1$/m);
  });

  test('make two hundred at most', async () => {
    const tools = Array.from({ length: 210 }, (_, index) => new RecordingTool(`read_${index}`, 'memory'));
    const it = await metricsSetting({}, { tools: tools.map(({ registration }) => registration) });
    const { model, channel } = it.daemon;
    const calls = tools.map((_, index) => call(`read_${index}`, { what: 'x' }));
    for (let from = 0; from < calls.length; from += 30) model.next(calls.slice(from, from + 30));
    model.next('That is all.');
    await channel.say('go on');
    await channel.sees('That is all.');
    await it.becomes('keyturn_runs_total{outcome="answered"}', 1);
    const ofTools = [...(await it.scrape())].filter(([name]) => name.startsWith('keyturn_tool_calls_total'));
    expect(ofTools.length).toBeLessThanOrEqual(202);
    expect(ofTools.reduce((sum, [, count]) => sum + count, 0)).toBe(210);
  });
});

test('a task whose time has come is counted until it begins', async () => {
  const it = await metricsSetting();
  expect((await it.scrape()).get('keyturn_schedules_due')).toBe(0);
  const at = it.daemon.clock.now() - 60_000;
  it.daemon.tamper(`INSERT INTO schedules (id, type, conversation_id, principal, person, text, time_zone, next_at, created_at)
    VALUES ('late', 'reminder', 'test:ada', 'test:ada', 'Ada', 'tea', 'UTC', ${at}, ${at})`);
  expect((await it.scrape()).get('keyturn_schedules_due')).toBe(1);
});
