import { describe, expect, test } from 'vitest';
import { traceWords } from '../../../src/features/traces/words.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { llmOnly } from '../../../src/tools/output.ts';
import { type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call } from '../../support/scripted-model.ts';
import { collectorServer, type SentSpan } from './collector-server.ts';

const variable = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
const secret = 'correct-horse-battery';
const most = 16 * 1024;

/** A daemon that sends its traces, and what its log was warned of. */
async function contentSetting(value: string | undefined, options: DaemonSettingOptions = {}) {
  const collector = await collectorServer();
  const warnings: string[] = [];
  const warn = (fields: object, words: string): void => void warnings.push(`${words} ${JSON.stringify(fields)}`);
  const daemon = await daemonSetting({
    tools: [new RecordingTool('look', 'filesystem_read', (what) => llmOnly(`a-result of ${what}`)).registration],
    secrets: [secret],
    ...options,
    log: { ...silentLog, warn },
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      ...(value === undefined ? {} : { [variable]: value }),
    },
  });
  return { collector, daemon, model: daemon.model, channel: daemon.channel, warnings };
}

type ContentSetting = Awaited<ReturnType<typeof contentSetting>>;

/** One run with a call, all of it marked. */
async function aRun({ daemon, model, channel, collector }: ContentSetting, what = 'an-argument'): Promise<void> {
  model.next([{ type: 'text', text: 'a-remark' }, call('look', { what })], 'an-answer');
  await channel.ask(`a-question with ${secret}`, 'an-answer');
  await channel.whenIdle();
  await daemon.stop();
  await collector.span('invoke_agent keyturn');
}

const marks = ['a-question', 'an-argument', 'a-result', 'a-remark', 'an-answer'];

function jsonOf({ attributes }: SentSpan, name: string): unknown {
  const text = attributes[name];
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}

describe('what was said is not in traces', () => {
  test.each([
    [undefined, 0],
    [' ', 0],
    ['false', 0],
    ['NO_CONTENT', 0],
    ['event_only', 1],
    ['yes-please', 1],
  ] as const)('with %j in the environment; warnings in the log: %i', async (value, warned) => {
    const setting = await contentSetting(value);
    await aRun(setting);
    const sent = setting.collector.bodies.join('\n');
    for (const mark of [...marks, secret, 'gen_ai.input', 'gen_ai.output', 'tool.call.arg'])
      expect(sent).not.toContain(mark);
    const told = setting.warnings.filter((line) => line.includes('content'));
    expect(told).toHaveLength(warned);
    for (const line of told) expect(line).toContain(variable);
  });
});

describe('what was said is in traces', () => {
  test.each(['true', 'span_only', 'SPAN_AND_EVENT'])('with %j in the environment', async (value) => {
    const setting = await contentSetting(value);
    await aRun(setting);
    const { collector, warnings } = setting;
    const run = await collector.span('invoke_agent keyturn');
    expect(jsonOf(run, 'gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'a-question with [secret]' }] },
    ]);
    const answer = [{ role: 'assistant', parts: [{ type: 'text', content: 'an-answer' }], finish_reason: 'stop' }];
    expect(jsonOf(run, 'gen_ai.output.messages')).toEqual(answer);
    const tool = await collector.span('execute_tool look');
    expect(jsonOf(tool, 'gen_ai.tool.call.arguments')).toEqual({ what: 'an-argument' });
    expect(tool.attributes['gen_ai.tool.call.result']).toContain('a-result of an-argument');
    const chats = collector.spans.filter(({ name }) => name === 'chat scripted');
    expect(chats.map((chat) => jsonOf(chat, 'gen_ai.output.messages'))).toEqual([
      [
        {
          role: 'assistant',
          parts: [
            { type: 'text', content: 'a-remark' },
            {
              type: 'tool_call',
              id: tool.attributes['gen_ai.tool.call.id'],
              name: 'look',
              arguments: { what: 'an-argument' },
            },
          ],
          finish_reason: 'tool_call',
        },
      ],
      answer,
    ]);
    for (const span of [tool, ...chats]) expect(span).toMatchObject({ traceId: run.traceId, parentSpanId: run.spanId });
    expect(warnings.filter((line) => line.includes('traces have content'))).toHaveLength(1);
  });

  test('but no secret, in whatever it stands', async () => {
    const setting = await contentSetting('true');
    await aRun(setting, `${secret} or ${encodeURIComponent(secret)}`);
    const sent = setting.collector.bodies.join('\n');
    for (const mark of ['a-question', 'a-result', 'an-answer', '[secret]']) expect(sent).toContain(mark);
    expect(sent).not.toContain(secret);
  });

  test('cut where it is long, with a mark, and as JSON where it was', async () => {
    const setting = await contentSetting('true');
    await aRun(setting, '长"'.repeat(20_000));
    const tool = await setting.collector.span('execute_tool look');
    for (const name of ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']) {
      const text = tool.attributes[name];
      expect(text).toMatch(/… \[cut: \d+ bytes\]/);
      expect(Buffer.byteLength(String(text))).toBeLessThanOrEqual(most);
      expect(text).not.toContain('\ufffd');
    }
    expect(jsonOf(tool, 'gen_ai.tool.call.arguments')).toEqual({ what: expect.stringContaining('长"长"') });
  });

  test('of what many short texts are, too', async () => {
    const setting = await contentSetting('true');
    const { model, channel, daemon, collector } = setting;
    const what = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`key-${at}`, 'short']));
    model.next([call('look', what)], 'an-answer');
    await channel.ask('a-question', 'an-answer');
    await channel.whenIdle();
    await daemon.stop();
    const tool = await collector.span('execute_tool look');
    const text = String(tool.attributes['gen_ai.tool.call.arguments']);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
    expect(text).toMatch(/cut: \d+ bytes\]$/);
  });

  test('before the daemon ends, once the run has ended', async () => {
    const { channel, collector } = await contentSetting('true');
    for (let count = 0; count < 40; count += 1) await channel.ask(`hello ${count}`, `echo: hello ${count}`);
    const run = await collector.span('invoke_agent keyturn');
    expect(jsonOf(run, 'gen_ai.input.messages')).toMatchObject([{ parts: [{ content: 'hello 0' }] }]);
  });

  test('and what ran before a restart is in the same trace', async () => {
    const setting = await contentSetting('true', { tools: [new RecordingTool('deploy', 'shell').registration] });
    const { daemon, model, channel, collector } = setting;
    model.next([call('deploy', { what: 'an-argument' })]);
    const card = await channel.cardFor('a-question');
    await daemon.restart();
    daemon.clock.advance(1);
    model.next('an-answer');
    await channel.pressToSee(card, 'an-answer');
    await channel.whenIdle();
    await daemon.stop();
    const run = await collector.span('invoke_agent keyturn');
    expect(jsonOf(run, 'gen_ai.input.messages')).toMatchObject([{ parts: [{ content: 'a-question' }] }]);
    const chats = collector.spans.filter(({ name }) => name === 'chat scripted');
    expect(chats.map((chat) => chat.attributes['gen_ai.output.messages'])).toEqual([
      expect.stringContaining('tool_call'),
      expect.stringContaining('an-answer'),
    ]);
    for (const span of collector.spans) expect(span.traceId).toBe(run.traceId);
  });
});

describe('owners', () => {
  test('read in the details of the status that traces have content', async () => {
    const { channel } = await contentSetting('true');
    await channel.ask('/status details', traceWords.en.contentSent);
  });

  test('read nothing of it while they have none', async () => {
    const { channel } = await contentSetting(undefined);
    expect((await channel.ask('/status details', 'is up')).text).not.toContain(traceWords.en.contentSent);
  });

  test('alone read it', async () => {
    const { channel } = await contentSetting('true', { allowFrom: ['bob'] });
    const seen = await channel.ask('/status details', 'is up', { by: 'bob', at: 'test:bob' });
    expect(seen.text).not.toContain(traceWords.en.contentSent);
  });
});
