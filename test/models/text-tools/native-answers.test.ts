import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { directNetwork } from '../../../src/lib/network/network.ts';
import type { ModelDescription, ModelMessage } from '../../../src/models/language-model.ts';
import { openModels } from '../../../src/models/open-models.ts';
import { modelWords } from '../../../src/models/words.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { eventsOf, failureOf, request } from '../ask.ts';
import { beginStream, chunk, type Reply, sendStream, sse, startWireServer } from '../wire-server.ts';
import { written } from './read-answer.ts';
import { theTools } from './written-forms.ts';

/** A model with function calling at a server that answers so. `own`: at its provider's own address. */
async function serverSaying(reply: Reply, { own = false, toolCalls }: { own?: boolean; toolCalls?: 'text' } = {}) {
  const server = await startWireServer(reply);
  const fetchThere: typeof fetch = (input, init) => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    return fetch(`${server.url}${url.pathname}`, init);
  };
  const model: ModelDescription = {
    ...{ key: 'main', name: 'm', apiKey: 'k' },
    ...(own ? { provider: 'openai' } : { provider: 'openai_compatible', baseUrl: `${server.url}/v1` }),
    ...(toolCalls && { toolCalls }),
  };
  const parts = { clock: systemClock, log: silentLog, network: { ...directNetwork, fetch: fetchThere } };
  const opened = await openModels({ defaultName: 'main', models: new Map([['main', model]]) }, parts);
  return { model: opened.of(undefined), server };
}

/** A reply that streams these pieces. */
function pieces(...texts: readonly string[]): Reply {
  return (response) => sendStream(response, sse(...texts.map((content) => chunk({ content })), chunk({}, 'stop')));
}

async function readFrom(reply: Reply, messages: string | readonly ModelMessage[] = 'go') {
  const { model } = await serverSaying(reply);
  const events = await eventsOf(model, request(messages, { tools: theTools }));
  const last = events.at(-1);
  return {
    shown: events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join(''),
    parts: last?.type === 'finish' ? last.answer.parts : [],
  };
}

const run = written('shell', { command: 'ls' });
const made = { type: 'call', name: 'shell', arguments: { command: 'ls' } };

describe('a call that a server has left in the text is made', () => {
  test.each([
    ['as all of the answer', run],
    ['as JSON alone', '{"name": "shell", "parameters": {"command": "ls"}}'],
    ['as special tokens', '[TOOL_CALLS][{"name": "shell", "arguments": {"command": "ls"}}]'],
  ])('%s', async (_how, answer) => {
    const { shown, parts } = await readFrom(pieces(...answer));
    expect(shown).toBe('');
    expect(parts).toMatchObject([made]);
  });

  test('at the end of the answer, and the words before are shown', async () => {
    const { shown, parts } = await readFrom(pieces('Let me ', 'look.\n', run.slice(0, 9), run.slice(9)));
    expect(shown).toBe('Let me look.\n');
    expect(parts).toMatchObject([{ type: 'text', text: 'Let me look.\n' }, made]);
  });

  test('of gpt-oss, behind its thoughts', async () => {
    const thoughts = '<|channel|>analysis<|message|>List it.<|end|>';
    const call =
      '<|start|>assistant<|channel|>commentary to=functions.shell <|constrain|>json<|message|>{"command":"ls"}<|call|>';
    const { shown, parts } = await readFrom(pieces(thoughts, call));
    expect(shown).toBe('');
    expect(parts).toMatchObject([{ type: 'reasoning', text: 'List it.' }, made]);
  });
});

describe('no call is made, and all is shown, of', () => {
  test.each([
    ['a call in front of words', `${run}\nThat lists it.`],
    ['JSON behind words', 'Let me look.\n{"name": "shell", "arguments": {"command": "ls"}}'],
    ['a call in a fence', `So:\n\`\`\`\n${run}\n\`\`\``],
  ])('%s', async (_what, answer) => {
    const { shown, parts } = await readFrom(pieces(answer));
    expect(shown).toBe(answer);
    expect(parts).toEqual([expect.objectContaining({ type: 'text', text: answer })]);
  });

  test('an answer in which the server of its provider leaves it', async () => {
    const events = (answer: string) =>
      sse(
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } },
        { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: answer },
        { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'i' } },
        { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
      );
    const { model } = await serverSaying((response) => sendStream(response, events(run)), { own: true });
    const last = (await eventsOf(model, request('go', { tools: theTools }))).at(-1);
    expect(last).toMatchObject({ answer: { parts: [{ type: 'text', text: run }] } });
  });
});

test('a call that the server has read too is made once, and not shown', async () => {
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } };
  const { shown, parts } = await readFrom((response) =>
    sendStream(
      response,
      sse(chunk({ content: `I look.\n${run}` }), chunk({ tool_calls: [call] }), chunk({}, 'tool_calls')),
    ),
  );
  expect(shown).toBe('I look.\n');
  expect(parts).toMatchObject([
    { type: 'text', text: 'I look.\n' },
    { ...made, modelCallId: 'a' },
  ]);
});

describe.each(['native', 'text'] as const)('with tool_calls %s', (toolCalls) => {
  const setting = toolCalls === 'text' ? { toolCalls } : {};

  test('what goes on in a fence where the answer broke off makes no call', async () => {
    const { model } = await serverSaying((response, count) => {
      beginStream(response);
      if (count === 1) response.end(sse(chunk({ content: 'It looks so:\n```\n' })));
      else response.end(sse(chunk({ content: `${run}\n\`\`\`` }), chunk({}, 'stop'), '[DONE]'));
    }, setting);
    const last = (await eventsOf(model, request('go', { tools: theTools }))).at(-1);
    const parts = last?.type === 'finish' ? last.answer.parts : [];
    expect(parts.map((part) => (part.type === 'text' ? part.text : part.type)).join('')).toBe(
      `It looks so:\n\`\`\`\n${run}\n\`\`\``,
    );
  });

  test('a model that was told of a broken call, and breaks the next, ends with a sentence', async () => {
    const broken = '<tool_call>{"name": "shell" "arguments": {"command": "ls"}}</tool_call>';
    const { model } = await serverSaying(pieces(broken), setting);
    const first = (await eventsOf(model, request('go', { tools: theTools }))).at(-1);
    const parts = first?.type === 'finish' ? first.answer.parts : [];
    expect(parts).toMatchObject([{ type: 'call', name: 'shell', arguments: expect.stringMatching(/^\(no call/) }]);
    const calls = parts.flatMap((part) => (part.type === 'call' ? [{ ...part, callId: 'c' }] : []));
    const results = calls.map(({ modelCallId, name }) => ({ modelCallId, name, text: 'not valid', isError: true }));
    const told: readonly ModelMessage[] = [
      { role: 'user', text: 'go' },
      { role: 'assistant', parts: calls },
      { role: 'results', results },
    ];
    const { error, shown } = await failureOf(model, request(told, { tools: theTools }));
    expect(error.message).toBe(modelWords.en.unreadableCall);
    expect(shown.filter(({ type }) => type === 'text')).toEqual([]);
  });
});

/** A daemon whose model writes into its text what its server should have read. */
async function foreignSetting(answers: readonly string[]): Promise<{ setting: DaemonSetting; deploy: RecordingTool }> {
  const { model } = await serverSaying((response, count) => pieces(answers[count - 1] ?? 'Done.')(response, count));
  const deploy = new RecordingTool('deploy', 'shell');
  const setting = await daemonSetting({ moreModels: { foreign: model }, tools: [deploy.registration] });
  await setting.channel.say('/model foreign');
  setting.channel.clear();
  return { setting, deploy };
}

test('a call in the text of a model with function calling is asked for like any other', async () => {
  const call = '<tool_call>\n<function=deploy>\n<parameter=what>\nsite\n</parameter>\n</function>\n</tool_call>';
  const { setting, deploy } = await foreignSetting([`I will do that.\n${call}`, 'It is deployed.']);
  const card = await setting.channel.cardFor('deploy the site');
  expect(deploy.executed).toEqual([]);
  await setting.channel.pressToSee(card, 'It is deployed.');
  expect(deploy.executed).toEqual(['site']);
  const seen = setting.channel.textsIn('test:ada').join('\n');
  expect(seen).toContain('I will do that.');
  expect(seen).not.toMatch(/tool_call|function=|parameter/);
});

test('a model that cannot write its call is told once, and then the person reads a sentence', async () => {
  const broken = '<tool_call>{"name": "deploy" "arguments": {"what": "site"}}</tool_call>';
  const { setting, deploy } = await foreignSetting([broken, broken, broken]);
  await setting.channel.ask('deploy the site', modelWords.en.unreadableCall);
  expect(deploy.executed).toEqual([]);
  expect(setting.channel.textsIn('test:ada').join('\n')).not.toContain('tool_call');
});
