import { expect, test } from 'vitest';
import { withTextTools } from '../../src/models/text-tools/text-tools.ts';
import { withWrittenCalls } from '../../src/models/text-tools/written-calls.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { resultsOf, ScriptedModel, wordsOf } from '../support/scripted-model.ts';

/*
 * A small window declares few tools, and names the others. Each answer here calls `search_files`, which is none of the few,
 * and is written as text.
 */

const json = '{"name": "search_files", "arguments": {"pattern": "tea"}}';

/** What a server with function calling leaves in the text. */
const left: readonly (readonly [form: string, answer: string])[] = [
  ['JSON on its own', json],
  ['a fence', `\`\`\`json\n${json}\n\`\`\``],
  ['the form of GLM', '<tool_call>search_files\n<arg_key>pattern</arg_key>\n<arg_value>tea</arg_value>\n</tool_call>'],
  ['the only parameter, without its name', '<tool_call>{"name": "search_files", "arguments": "tea"}</tool_call>'],
  ['Python', 'search_files(pattern="tea")'],
  ['another spelling of its name', '<tool_call>{"name": "Search-Files", "arguments": {"pattern": "tea"}}</tool_call>'],
  ['the form of ReAct', 'Action: search_files\nAction Input: {"pattern": "tea"}'],
];

/** What else a model writes that was asked to write its calls. */
const written: readonly (readonly [form: string, answer: string])[] = [
  ...left,
  ['a fence behind words', `我帮您查一下文件内容：\n\`\`\`json\n${json}\n\`\`\``],
  ['JSON behind words', `Let me look in the files:\n${json}`],
];

test.each([
  ...left.map(([form, answer]) => ({ way: 'as a fault of its server', form, answer, wrap: withWrittenCalls })),
  ...written.map(([form, answer]) => ({ way: 'as it was asked to', form, answer, wrap: withTextTools })),
])('a tool that was not declared is called $way: $form', async ({ answer, wrap }) => {
  const inner = new ScriptedModel('inner');
  const { channel } = await daemonSetting({
    config: { agent: { burst_ms: 0, context_tokens: 4096 } },
    moreModels: { local: wrap(inner) },
    files: { 'notes.txt': 'tea at five' },
  });
  await channel.ask('/model local', 'From now on');
  inner.next(answer, 'At five.');
  await channel.ask('when is tea?', 'At five.');
  const [first, second] = inner.requests;
  expect(first?.tools.map(({ name }) => name)).not.toContain('search_files');
  expect(first?.system).not.toContain('## search_files');
  expect(second === undefined ? '' : `${resultsOf(second).join()}${wordsOf(second)}`).toContain('notes.txt');
  expect(channel.textsIn('test:ada').join('\n')).not.toContain('search_files');
});

test('JSON of a tool that may not be used here is shown', async () => {
  const inner = new ScriptedModel('inner');
  const { channel } = await daemonSetting({
    config: { agent: { burst_ms: 0, context_tokens: 4096 }, tools: { disabled: ['search_files'] } },
    moreModels: { local: withWrittenCalls(inner) },
  });
  await channel.ask('/model local', 'From now on');
  inner.next(json);
  await channel.ask('when is tea?', 'search_files');
  expect(inner.requests).toHaveLength(1);
});
