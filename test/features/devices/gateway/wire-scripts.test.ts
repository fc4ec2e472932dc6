import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { type GatewaySetting, gatewaySetting } from '../../../support/gateway/gateway-setting.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';

/** What a client and the gateway say to each other, as clients of ClawSeed expect it. */
type Step =
  | { readonly says: JsonValue }
  | { readonly saysRaw: string }
  /** The next frame of this type has at least this. */
  | { readonly hears: JsonObject & { readonly type: string } }
  /** A result for the newest request, whose id is put in. */
  | { readonly answers: JsonObject };

interface Script {
  readonly name: string;
  readonly query?: string;
  readonly model?: 'calls' | 'broken';
  readonly steps: readonly Step[];
}

const spec = (name: string): JsonObject => ({
  name,
  description: `The tool ${name}.`,
  parameters: { type: 'object', properties: {} },
});
const connect = { says: { type: 'connect', v: 1 } };
const connected = { hears: { type: 'connected', message: 'Connection established' } };
const started = { hears: { type: 'session_start', v: 1, resumed: false, message_count: 0 } };
const handshake: readonly Step[] = [started, connect, connected];
const registers = (...names: readonly string[]) => ({ says: { type: 'register_tools', tools: names.map(spec) } });
const registered = (count: number, all: number) => ({ hears: { type: 'tools_registered', count, registered: all } });
const message = (content: string) => ({ says: { type: 'message', content } });
const asked: readonly Step[] = [
  ...handshake,
  registers('device_info'),
  registered(1, 1),
  message('What device is this?'),
  { hears: { type: 'tool_call_request', name: 'device_info', args: {} } },
];

function answered(name: string, answer: JsonObject, words: string): Script {
  const done = { hears: { type: 'done', full_response: `The device says: ${words}` } };
  return {
    name,
    model: 'calls',
    steps: [...asked, { answers: answer }, { hears: { type: 'result_acknowledged' } }, done],
  };
}

function refused(name: string, step: Step, code: string): Script {
  return { name, steps: [...handshake, step, { hears: { type: 'error', code } }] };
}

const scripts: readonly Script[] = [
  {
    name: '2 to 5, 15 · the first frame says which session it is, connect is answered, tools are registered and told',
    steps: [
      ...handshake,
      registers('a', 'b'),
      registered(2, 2),
      { says: { type: 'get_registered_tools' } },
      { hears: { type: 'registered_tools', tools: [spec('a'), spec('b')] } },
    ],
  },
  {
    name: '6 · a message is answered',
    steps: [...handshake, message('hello'), { hears: { type: 'done', full_response: 'echo: hello' } }],
  },
  answered(
    '7 · a tool of the device is called, and its result reaches the model',
    { type: 'tool_result', output: 'Pixel 8', success: true },
    'Pixel 8',
  ),
  answered(
    '8 · a result that is no success reaches the model as an error',
    { type: 'tool_result', output: '', success: false, error: 'battery empty' },
    'battery empty',
  ),
  answered(
    '9 · an error of a tool reaches the model',
    { type: 'tool_error', error: 'Camera permission denied', success: false },
    'Camera permission denied',
  ),
  refused('10 · a message without content is refused', message(''), 'EMPTY_CONTENT'),
  refused('11 · a frame of an unknown type is refused', { says: { type: 'dance' } }, 'UNKNOWN_MESSAGE_TYPE'),
  refused('12 · what is no JSON is refused', { saysRaw: '{nope' }, 'INVALID_JSON'),
  {
    name: '13 · the client chooses the session',
    query: 'session_id=my-session',
    steps: [{ hears: { type: 'session_start', session_id: 'my-session' } }],
  },
  {
    name: '14 · registrations add up',
    steps: [
      ...handshake,
      registers('a'),
      registered(1, 1),
      registers('b'),
      registered(1, 2),
      { says: { type: 'get_registered_tools' } },
      { hears: { type: 'registered_tools', tools: [spec('a'), spec('b')] } },
    ],
  },
  { name: '16 · a model that can do nothing lets a session begin', model: 'broken', steps: [started] },
  {
    name: 'a message may be the first frame',
    steps: [started, message('hello'), { hears: { type: 'done', full_response: 'echo: hello' } }],
  },
  {
    name: 'tools may be registered by the first frame',
    steps: [started, registers('a'), registered(1, 1)],
  },
  {
    name: 'tools are taken back',
    steps: [
      ...handshake,
      registers('a', 'b'),
      registered(2, 2),
      { says: { type: 'unregister_tools', names: ['a', 'x'] } },
      { hears: { type: 'tools_unregistered', removed: ['a'], registered: 1 } },
    ],
  },
  {
    name: 'a result without a call is acknowledged as unknown, one without an id is refused',
    steps: [
      ...handshake,
      { says: { type: 'tool_result', id: 'nobody', output: '' } },
      { hears: { type: 'result_acknowledged', id: 'nobody', status: 'unknown' } },
      { says: { type: 'tool_result', output: '' } },
      { hears: { type: 'error', code: 'INVALID_RESULT' } },
    ],
  },
  refused('nothing can be answered again where nothing was said', { says: { type: 'regenerate' } }, 'NO_USER_MESSAGE'),
  {
    name: 'a client may ask for a sign of life',
    steps: [...handshake, { says: { type: 'ping' } }, { hears: { type: 'pong' } }],
  },
];

function prepare({ daemon }: GatewaySetting, model: Script['model']): void {
  if (model === 'calls') {
    daemon.model.next([call('device_info', {})], (request) => `The device says: ${resultsOf(request).at(-1) ?? ''}`);
  }
  if (model === 'broken') {
    daemon.model.otherwise(() => {
      throw new Error('no model');
    });
  }
}

async function play(setting: GatewaySetting, { query, steps }: Script): Promise<void> {
  const client = setting.open({ token: await setting.token(), ...(query === undefined ? {} : { query }) });
  let request: JsonObject = {};
  for (const step of steps) {
    if ('says' in step) client.send(step.says);
    else if ('saysRaw' in step) client.sendRaw(step.saysRaw);
    else if ('answers' in step) client.send({ ...step.answers, id: request.id ?? null });
    else {
      const heard = await client.next(step.hears.type);
      expect(heard).toMatchObject(step.hears);
      if (heard.type === 'tool_call_request') request = heard;
      if (heard.type === 'result_acknowledged' && request.id !== undefined) expect(heard.id).toBe(request.id);
    }
  }
}

describe('the wire', () => {
  test('1 · the health check needs nothing', async () => {
    const setting = await gatewaySetting();
    const response = await setting.ask('/health');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok', require_pairing: true }]);
  });

  test.each(scripts)('$name', async (script) => {
    // What a tool touches is the operator's to say: one that asks has its test elsewhere.
    const setting = await gatewaySetting({ config: { remote_tools: { categories: { '*': 'memory' } } } });
    prepare(setting, script.model);
    await play(setting, script);
  });
});
