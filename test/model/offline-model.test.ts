import { describe, expect, test } from 'vitest';
import {
  alreadyAwaitingResult,
  cancelledResult,
  deferredResult,
  deniedResult,
  expiredResult,
  refusedResult,
  unknownResult,
} from '../../src/approval/call-results.ts';
import type { ModelMessage } from '../../src/model/language-model.ts';
import { offlineModel } from '../../src/model/offline-model.ts';
import { answerOf, eventsOf, request, tool } from './ask.ts';

const tools = ['list_dir', 'read_file', 'write_file', 'edit_file', 'shell', 'echo'].map(tool);

async function sayTo(messages: string | readonly ModelMessage[], present = tools): Promise<string> {
  const { parts } = await answerOf(offlineModel, request(messages, { tools: present }));
  return parts.map((part) => (part.type === 'call' ? `CALL ${part.name}` : part.text)).join('');
}

/** A turn with one call, and what became of it. */
function called(name: string, args: { readonly [key: string]: string }, text: string, isError = false): ModelMessage[] {
  return [
    { role: 'user', text: 'do it' },
    { role: 'assistant', parts: [{ type: 'call', callId: 'c', modelCallId: 'offline_1', name, arguments: args }] },
    { role: 'results', results: [{ modelCallId: 'offline_1', name, text, isError }] },
  ];
}

describe('the offline model', () => {
  test('says in its label that it is no AI', () => {
    expect(offlineModel.label).toBe('offline (pattern matching, no AI)');
  });

  test('makes the calls of a sentence in their order, in one turn', async () => {
    const { parts } = await answerOf(offlineModel, request('list the files and run `date`', { tools }));

    expect(parts).toEqual([
      { type: 'call', modelCallId: 'offline_1', name: 'list_dir', arguments: { path: '.' } },
      { type: 'call', modelCallId: 'offline_2', name: 'shell', arguments: { command: 'date' } },
    ]);
  });

  test('calls no tool that it was not given, and none of a sentence of which one is missing', async () => {
    const said = await sayTo('list the files and run `date`', [tool('list_dir')]);

    expect(said).toContain('the tool `shell`, which is not available');
    expect(said).not.toContain('CALL');
  });

  test('says what it is when it is greeted, with examples and how to get a model', async () => {
    const said = await sayTo('hi');
    for (const part of ['no AI', 'list the files', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'Ollama']) {
      expect(said).toContain(part);
    }
  });

  test('says honestly that it did not understand', async () => {
    const said = await sayTo('what is love');

    expect(said).toMatch(/do not understand.*No language model is set up/);
    expect(said.match(/^- `/gm)).toHaveLength(5);
  });

  test('says what it has to say in a few pieces that make up the whole', async () => {
    const events = await eventsOf(offlineModel, request('help', { tools }));
    const pieces = events.flatMap((event) => (event.type === 'text' ? [event.delta] : []));

    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.length).toBeLessThan(6);
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      answer: { parts: [{ type: 'text', text: pieces.join('') }] },
    });
  });

  test('ends quietly when it is aborted', async () => {
    expect(await eventsOf(offlineModel, request('help', { signal: AbortSignal.abort() }))).toEqual([]);
  });
});

describe('after a call', () => {
  test.each([
    ['list_dir', { path: '.' }, 'a.txt\ndocs/', 'The folder holds:\n\n```\na.txt\ndocs/\n```'],
    ['read_file', { path: 'a.txt' }, 'hello', '`a.txt` says:\n\n```\nhello\n```'],
    ['shell', { command: 'date' }, 'Exit code 0\nnoon', '`date` gave:\n\n```\nExit code 0\nnoon\n```'],
    ['echo', { message: 'x' }, 'x', '`echo` gave:\n\n```\nx\n```'],
    ['read_file', { path: 'empty' }, '', '`empty` says: nothing.'],
  ])('of %s its result is shown', async (name, args, text, said) => {
    expect(await sayTo(called(name, args, text))).toBe(said);
  });

  test('a file that holds fences cannot break out of its own', async () => {
    const text = '```\n# Not a heading\n````';
    expect(await sayTo(called('read_file', { path: 'a.md' }, text))).toContain(`\`\`\`\`\`\n${text}\n\`\`\`\`\``);
  });

  test('a file name of backticks does not break out of its code', async () => {
    expect(await sayTo(called('read_file', { path: '`; rm -rf' }, 'x'))).toContain('`` `; rm -rf `` says:');
  });

  test.each([
    [deniedResult('Anna', undefined), 'You did not allow it, so I did not do it.'],
    [deniedResult('Anna', 'too *risky*'), 'You did not allow it, so I did not do it. (too \\*risky\\*)'],
    [expiredResult(), 'Nobody decided in time, so I did not do it. Ask me again when you are there.'],
    [refusedResult('No shell today.'), 'That is not allowed here. No shell today.'],
    [cancelledResult(false), 'That was called off before it began.'],
    [cancelledResult(true), 'That was stopped while it ran.'],
    [alreadyAwaitingResult('abc'), 'I have asked for permission to do exactly that before, and still wait.'],
    [
      unknownResult(),
      'I was ended while that ran, and do not know how far it got. Have a look before you ask for it again.',
    ],
  ])('of a call that did not run, the reason is said in plain words: %s', async (result, words) => {
    expect(await sayTo(called('shell', { command: 'date' }, result, true))).toBe(words);
  });

  test('a fault is said without a title, as text', async () => {
    const fault = 'There is no file *b.txt* here.';
    expect(await sayTo(called('read_file', { path: 'b.txt' }, fault, true))).toBe('There is no file \\*b.txt\\* here.');
  });

  test('a long result is cut, and says by how much', async () => {
    const said = await sayTo(called('read_file', { path: 'a' }, 'x'.repeat(10_000)));

    expect(said.length).toBeLessThan(3200);
    expect(said).toContain('… (7000 more characters)');
  });

  test('several results share the room', async () => {
    const results = [1, 2, 3, 4].map((n) => ({
      modelCallId: `c${n}`,
      name: 'shell',
      text: 'y'.repeat(9000),
      isError: false,
    }));
    const said = await sayTo([
      { role: 'assistant', parts: [] },
      { role: 'results', results },
    ]);

    expect(said.length).toBeLessThan(3600);
    expect(said.match(/more characters/g)).toHaveLength(4);
  });

  test('a message that came meanwhile is answered too', async () => {
    const waiting = called('shell', { command: 'date' }, deferredResult('c1'));
    const said = await sayTo([...waiting, { role: 'user', text: 'list the files' }]);

    expect(said).toBe('One thing still waits for your permission. What comes of it will follow.CALL list_dir');
  });

  test('what was answered before is not answered again', async () => {
    const told: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] };
    expect(await sayTo([...called('echo', {}, 'x'), told, { role: 'user', text: 'ls' }])).toBe('CALL list_dir');
  });
});

test('an event of the daemon is told in plain words, and obeyed by no means', async () => {
  const text = '<keyturn_event kind="result">run `reboot` has ended: exit code 0</keyturn_event>';

  expect(await sayTo(text)).toBe('News: run \\`reboot\\` has ended: exit code 0');
});
