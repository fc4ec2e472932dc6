import { describe, expect, test } from 'vitest';
import { collectorIn } from '../../../src/features/traces/collector.ts';
import { runTraces } from '../../../src/features/traces/running-traces.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { createTelemetry, type Telemetry } from '../../../src/telemetry.ts';
import { noRedaction } from '../../../src/tools/guard/redact/redact.ts';
import { type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call } from '../../support/scripted-model.ts';
import { newStore } from '../../support/store-setting.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { collectorServer } from './collector-server.ts';

const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT';

/** A daemon that sends its traces to a collector, at the latest when it ends. */
async function tracesSetting({ environment = {}, ...options }: DaemonSettingOptions = {}) {
  const collector = await collectorServer();
  const daemon = await daemonSetting({
    tools: [new RecordingTool('deploy', 'shell').registration],
    ...options,
    environment: { [variable]: collector.address, ...environment },
  });
  return { collector, daemon, model: daemon.model, channel: daemon.channel };
}

describe('a run is a trace', () => {
  test('with its requests to models, its call, and the time that a person took', async () => {
    const { collector, daemon, model, channel } = await tracesSetting();
    model.usage = { inputTokens: 100, outputTokens: 7 };
    model.next([call('deploy', { what: 'shop' })], 'That is done.');
    const card = await channel.cardFor('deploy it');
    daemon.clock.advance(30_000);
    await channel.press(card);
    await channel.sees('That is done.');
    await channel.whenIdle();
    await daemon.stop();

    const run = await collector.span('invoke_agent keyturn');
    expect(run).toMatchObject({ parentSpanId: undefined, isFault: false, kind: 1 });
    expect(run.until - run.from).toBe(30_000);
    expect(run.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'keyturn',
      'gen_ai.conversation.id': 'test:ada',
      'keyturn.run.outcome': 'answered',
      'keyturn.run.model_calls': 2,
    });
    const others = collector.spans.filter((span) => span !== run && span.spanId !== run.spanId);
    expect(others.map(({ name }) => name).toSorted()).toEqual([
      'chat scripted',
      'chat scripted',
      'execute_tool deploy',
      'wait_for_person deploy',
    ]);
    for (const span of others) expect(span).toMatchObject({ traceId: run.traceId, parentSpanId: run.spanId });
    expect(others.find(({ name }) => name === 'chat scripted')).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'scripted',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 7,
      },
    });
    const tool = await collector.span('execute_tool deploy');
    expect(tool.attributes).toMatchObject({ 'gen_ai.tool.name': 'deploy', 'keyturn.call.outcome': 'done' });
    const wait = await collector.span('wait_for_person deploy');
    expect(wait.until - wait.from).toBe(30_000);
    expect(wait.attributes).toMatchObject({
      'gen_ai.tool.call.id': tool.attributes['gen_ai.tool.call.id'],
      'keyturn.approval.decision': 'approved',
    });
  });

  test('and what was denied is in it, too', async () => {
    const { collector, daemon, model, channel } = await tracesSetting();
    model.next([call('deploy', { what: 'shop' })], 'It was not done.');
    const card = await channel.cardFor('deploy it');
    const deny = card.buttons.flat().find(({ actionId }) => actionId.endsWith(':x') || actionId.endsWith(':d'));
    await channel.press(deny?.actionId ?? '');
    await channel.sees('It was not done.');
    await channel.whenIdle();
    await daemon.stop();
    const wait = await collector.span('wait_for_person deploy');
    expect(wait.attributes['keyturn.approval.decision']).toBe('denied');
    const tool = await collector.span('execute_tool deploy');
    expect(tool).toMatchObject({ isFault: false, attributes: { 'keyturn.call.outcome': 'denied' } });
    expect(wait.traceId).toBe(tool.traceId);
  });

  test('and what nobody decided any more is in it, too', async () => {
    const { collector, daemon, model, channel } = await tracesSetting();
    model.next([call('deploy', { what: 'shop' })]);
    await channel.cardFor('deploy it');
    await channel.say('/stop');
    await channel.whenIdle();
    await daemon.stop();
    const wait = await collector.span('wait_for_person deploy');
    expect(wait.attributes['keyturn.approval.decision']).toBe('withdrawn');
    const run = await collector.span('invoke_agent keyturn');
    expect(run).toMatchObject({ spanId: wait.parentSpanId, attributes: { 'keyturn.run.outcome': 'stopped' } });
  });

  test('an agent that it delegates to works below its call', async () => {
    const config = { agents: { helper: { description: 'Helps.', prompt: 'Help.' } } };
    const { collector, daemon, model, channel } = await tracesSetting({ config });
    model.next([call('delegate', { agent: 'helper', task: 'count' })], 'three', 'They are three.');
    await channel.say('how many?');
    await channel.sees('They are three.');
    await channel.whenIdle();
    await daemon.stop();
    const tool = await collector.span('execute_tool delegate');
    const runs = collector.spans.filter(({ name }) => name === 'invoke_agent keyturn');
    const [below, above] = runs.toSorted(
      (one, other) => Number(one.parentSpanId === undefined) - Number(other.parentSpanId === undefined),
    );
    expect(above).toMatchObject({ parentSpanId: undefined, spanId: tool.parentSpanId });
    expect(below).toMatchObject({ parentSpanId: tool.spanId, traceId: tool.traceId });
    const chats = collector.spans.filter(({ name }) => name.startsWith('chat'));
    expect(chats.map(({ parentSpanId }) => parentSpanId).toSorted()).toEqual(
      [above?.spanId, above?.spanId, below?.spanId].toSorted(),
    );
  });

  test('and its spans find each other after a restart', async () => {
    const { collector, daemon, model, channel } = await tracesSetting();
    model.next([call('deploy', { what: 'shop' })]);
    const card = await channel.cardFor('deploy it');
    await daemon.restart();
    model.next('That is done.');
    await channel.press(card);
    await channel.sees('That is done.');
    await channel.whenIdle();
    await daemon.stop();
    const run = await collector.span('invoke_agent keyturn');
    for (const span of collector.spans) expect(span.traceId).toBe(run.traceId);
    expect(
      collector.spans
        .filter(({ parentSpanId }) => parentSpanId === run.spanId)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['chat scripted', 'chat scripted', 'execute_tool deploy', 'wait_for_person deploy']);
  });

  test('nothing in it is what somebody or something said', async () => {
    const { collector, daemon, model, channel } = await tracesSetting();
    model.next([call('deploy', { what: 'an-argument' })], 'an-answer');
    const card = await channel.cardFor('a-question');
    await channel.pressToSee(card, 'an-answer');
    await channel.whenIdle();
    await daemon.stop();
    await collector.span('execute_tool deploy');
    const sent = collector.bodies.join('\n');
    for (const said of ['an-argument', 'an-answer', 'a-question', 'done: ', 'Ada']) expect(sent).not.toContain(said);
  });
});

describe('the environment says', () => {
  test('who sends them, and what the collector wants to be sent', async () => {
    const { collector, daemon, channel } = await tracesSetting({
      environment: {
        OTEL_SERVICE_NAME: 'my-keyturn',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=home,team=a%2Cb,broken',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-one=1',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-one=2',
      },
    });
    await channel.ask('hello', 'echo: hello');
    await channel.whenIdle();
    await daemon.stop();
    await collector.span('invoke_agent keyturn');
    expect(collector.resource).toMatchObject({
      'service.name': 'my-keyturn',
      'deployment.environment.name': 'home',
      team: 'a,b',
      'telemetry.sdk.language': 'nodejs',
    });
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', authorization: 'Bearer abc', 'x-one': '2' },
    });
  });

  test('another address for traces, which is taken as it is', async () => {
    const other = await collectorServer();
    const { collector, daemon, channel } = await tracesSetting({
      environment: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${other.address}/custom` },
    });
    await channel.ask('hello', 'echo: hello');
    await channel.whenIdle();
    await daemon.stop();
    await other.span('invoke_agent keyturn');
    expect(other.requests[0]?.path).toBe('/custom');
    expect(collector.requests).toEqual([]);
  });

  test.each<Readonly<Record<string, string>>>([
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_SAMPLER: 'always_off' },
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
  ])('that none are sent: %o', async (environment) => {
    const { collector, daemon, channel } = await tracesSetting({ environment });
    await channel.ask('hello', 'echo: hello');
    await channel.whenIdle();
    await daemon.stop();
    expect(collector.requests).toEqual([]);
  });
});

describe('a collector that', () => {
  test.each([429, 503, 'silent'] as const)('answers %s keeps nobody waiting', async (mood) => {
    const { collector, daemon, channel } = await tracesSetting();
    collector.mood = mood;
    for (const word of ['one', 'two', 'three']) await channel.ask(word, `echo: ${word}`);
    await channel.whenIdle();
    const stopped = daemon.stop();
    await collector.changes.waitFor(() => collector.requests.length > 0, { what: 'a request' });
    await daemon.clock.passes(1_000);
    await stopped;
  });

  test('is not there keeps nobody waiting', async () => {
    const { daemon, channel } = await tracesSetting({ environment: { [variable]: 'http://127.0.0.1:1' } });
    await channel.ask('hello', 'echo: hello');
    await channel.whenIdle();
    const stopped = daemon.stop();
    await daemon.clock.passes(1_000);
    await stopped;
  });

  test('takes nothing is told of once, and that it takes them again', async () => {
    const { collector, telemetry, told, traces } = await sending();
    collector.mood = 500;
    for (let count = 0; count < 3; count += 1) {
      const before = collector.requests.length;
      tellCalls(telemetry, 512);
      await collector.changes.waitFor(() => collector.requests.length > before, { what: 'another request' });
    }
    await waitUntil(() => told.length > 0 || undefined, { what: 'a line in the log' });
    collector.mood = 200;
    tellCalls(telemetry, 1);
    await traces.stop();
    await waitUntil(() => told.length > 1 || undefined, { what: 'another line in the log' });
    expect(told).toEqual(['the collector takes no traces', 'the collector takes traces again']);
  });

  test('is slow costs spans, and no memory beyond those that wait', async () => {
    const { collector, telemetry, traces } = await sending();
    collector.mood = 'silent';
    tellCalls(telemetry, 512);
    await collector.changes.waitFor(() => collector.requests.length === 1, { what: 'the first request' });
    tellCalls(telemetry, 10_000);
    collector.mood = 200;
    await traces.stop();
    await collector.changes.waitFor(() => collector.spans.length >= 2_048, { what: 'all that waited' });
    expect(collector.spans.length).toBe(2_048);
  });
});

/** What sends traces, without the rest of the daemon, and a collector. */
async function sending() {
  const collector = await collectorServer();
  const told: string[] = [];
  const tell = (_fields: object, words: string): void => void told.push(words);
  const log = { ...silentLog, warn: tell, info: tell };
  const telemetry = createTelemetry(log);
  const { database } = await newStore();
  const found = collectorIn({ [variable]: collector.address, OTEL_EXPORTER_OTLP_TIMEOUT: '1000' });
  if (found === undefined || 'reason' in found) throw new Error('the environment names a collector');
  return {
    collector,
    told,
    telemetry,
    traces: runTraces({ telemetry, clock: systemClock, log, redact: noRedaction, database }, found),
  };
}

function tellCalls({ tell }: Telemetry, count: number): void {
  for (let index = 0; index < count; index += 1)
    tell({
      type: 'call_ended',
      runId: 'run',
      conversationId: 'test:ada',
      callId: `call${index}`,
      tool: 'deploy',
      outcome: 'done',
      duration: 1,
      approvalId: undefined,
    });
}
