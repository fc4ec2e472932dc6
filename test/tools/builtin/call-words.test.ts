import { expect, test } from 'vitest';
import { nobody, toolsToLookAt } from '../../../scripts/builtin-definitions.ts';
import { prepared } from '../setting.ts';

/** A call of each builtin tool whose arguments have no words of their own. */
const calls = {
  read_file: { path: 'a.txt' },
  read_document: { path: 'a.pdf' },
  list_dir: {},
  find_files: { pattern: '*.md' },
  search_files: { pattern: 'x', files: '*.md' },
  write_file: { path: 'a.txt', content: 'x' },
  edit_file: { path: 'a.txt', old_text: 'x', new_text: 'y' },
  shell: { command: 'ls' },
  web_fetch: { url: 'https://a.example' },
  web_search: { query: 'x' },
  http_request: { url: 'https://a.example', method: 'PUT', body: 'x' },
  ask: { question: 'x' },
  echo: { message: 'x' },
  attempt_completion: { result: 'x' },
  send_file: { path: 'a.png' },
  react: { emoji: '👍', edit: 'x' },
  message: { to: 'telegram:1', text: 'x' },
  list_tools: {},
  find_tools: { query: 'x' },
} as const;

const tools = toolsToLookAt({ http_request: { allowed_domains: ['a.example'] } });

test('each builtin tool has a call here', () => {
  expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(calls).toSorted());
});

test.each(Object.entries(calls))('what a call of %s does is said in the language of its reader', async (name, args) => {
  const registration = tools.find((one) => one.name === name);
  if (registration === undefined) throw new Error(`no tool ${name}`);
  // Addresses are known where messages are sent from: here, it has its definition alone.
  const create = registration.name === 'message' ? messageTool : () => registration.create(nobody);
  const call = await prepared(await create(), args);
  expect(call.describe('en')).not.toMatch(/\p{Script=Han}/u);
  expect(call.describe('zh')).toMatch(/\p{Script=Han}/u);
  expect(typeof call.displayName, 'its name on cards').toBe('function');
});

async function messageTool() {
  const { writing } = await import('../../../src/tools/builtin/messages/message-tools.ts');
  const unused = (): never => {
    throw new Error('nothing is sent');
  };
  return writing({ addresses: { addressesOf: unused }, courier: { reaches: unused, send: unused } });
}
