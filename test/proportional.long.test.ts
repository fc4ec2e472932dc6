import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Directory } from '../channels/discord/directory.ts';
import { readAddressing } from '../channels/discord/parse.ts';
import { contentOf, measureMarkdown } from '../channels/slack/content.ts';
import { plainStyle, renderMarkdown, type Style, stripControls } from '../channels/terminal/render.ts';
import { lazyParser } from '../src/lib/markdown-parser.ts';
import { healMarkdown } from '../src/lib/split/heal-markdown.ts';
import { ModelError } from '../src/models/language-model.ts';
import { offlineModel } from '../src/models/offline/offline-model.ts';
import { withContinuation } from '../src/models/retry.ts';
import { normaliseSchema } from '../src/models/schema.ts';
import { standingPart } from '../src/runs/context/standing-words.ts';
import { spanOf } from '../src/runs/context/summary.ts';
import { validate } from '../src/tools/arguments.ts';
import { visibleText } from '../src/tools/builtin/documents/document.ts';
import { find, renderDiff } from '../src/tools/builtin/files/edit.ts';
import { readCommands } from '../src/tools/guard/command/read-commands.ts';
import { llmOnly } from '../src/tools/output.ts';
import { createToolRunner } from '../src/tools/runner.ts';
import type { TranscriptEntry } from '../src/transcript.ts';
import { faultsOf } from './config/load-text.ts';
import { answerOf, eventsOf, request } from './models/ask.ts';
import { schemaStrategies } from './models/schema/checks.ts';
import { hostileSchemas } from './models/schema/hostile-schemas.ts';
import { ends, SteppingModel, says } from './models/stepping-model.ts';
import { ManualClock } from './support/manual-clock.ts';
import { expectAtMost, expectLinear } from './support/processor-time.ts';
import { hardTexts } from './tools/guard/command/command-corpus.ts';
import { callDoing, contextIn } from './tools/setting.ts';

/** What is done with a text of this size, and the largest size, for which quadratic code takes much longer than 50 ms. */
type Case = readonly [name: string, largest: number, work: (size: number) => unknown];

const marks: Style = { rendersMarkdown: true, bold: (text) => text, dim: (text) => text, code: (text) => text };
const names = new Directory();
const pieces = ['-', '| ', '[', '<', '@', '`', '<!', '&lt;', '|-', '\n|\n-', ' '];
const hostileSentences: readonly (readonly [name: string, start: string, piece: string, end: string])[] = [
  ['spaces', 'read ', ' ', 'x y'],
  ['full stops', 'read ', '.', 'x .'],
  ['backticks', '', '`', '`'],
  ['quotes', 'run ', '"\'', ''],
  ['joining words', 'list the files ', 'and run ls ', ''],
  ['"then"', 'run ', 'then then ', ''],
  ['"to"', 'write ', ' to ', 'x'],
  ['"with"', 'replace ', ' with in ', ''],
  ['"please"', '', 'please ', ''],
  ['line feeds', '', '\n', 'ls'],
  ['commas', 'list', ', ', 'then'],
  ['times', 'remind me to ', ' at 9', 'x'],
  ['Chinese times', '', '明天九点', '提醒我x'],
  ['"in it"', 'create a file a.txt with ', ' in it', 'x'],
  ['"put"', 'put ', ' in a.b', ' x'],
];
const edits: readonly (readonly [name: string, edit: (size: number) => readonly [string, string, string]])[] = [
  ['a letter that is everywhere', (size) => ['a'.repeat(size), 'a', 'b']],
  ['a line end that is everywhere', (size) => ['\n'.repeat(size), '\n', ' ']],
  ['a line in the middle', (size) => [`${'a\n'.repeat(size / 4)}x\n${'a\n'.repeat(size / 4 - 1)}`, 'x', 'y']],
  ['a whole file', (size) => ['ab'.repeat(size / 2), 'ab'.repeat(size / 2), 'c'.repeat(size)]],
];

const cases: readonly Case[] = [
  ['a config of keys that nobody knows is refused', 8_000, (size) => faultsOf(`{${unknownKeys(size).join(',')}}`)],
  ['signs of Discord that do not end are read', 16_000, readDiscordSigns],
  ['escapes without an end are taken out of a line', 400_000, stripEscapes],
  ['marks without an end are shown in the terminal', 320_000, showMarks],
  ['a long line of bars is healed', 4_000, (size) => healMarkdown(barsAndPictures(size))],
  ['a text that a model writes again piece by piece is compared', 10_000, continueText],
  ['escapes without an end are taken out of what a tool says', 160_000, runTool],
  ['spaces and line ends are taken out of a document', 320_000, cleanDocument],
  ['numbers in strings become numbers', 40_000, readNumbers],
  ['the oldest part of a transcript is found', 40_000, spanIn],
  ['standing wishes are looked for', 40_000, (size) => standingPart("don't ne 以后もう please ".repeat(size / 20))],
  ...pieces.flatMap((piece): readonly Case[] => [
    [`a row of ${JSON.stringify(piece)} is measured for Slack`, 48_000, (size) => measureMarkdown(piece.repeat(size))],
    [
      `a row of ${JSON.stringify(piece)} is rendered for Slack`,
      6_000,
      (size) => contentOf({ id: 'm1', kind: 'reply', markdown: piece.repeat(size) }),
    ],
  ]),
  // The longest sentence that is read, and one far beyond it.
  ...[4_900, 200_000].flatMap((largest) =>
    hostileSentences.map(
      ([name, start, piece, end]): Case => [
        `a sentence of mostly ${name} is read by the offline model`,
        largest,
        (size) => answerOf(offlineModel, request(start + piece.repeat(size / piece.length) + end)),
      ],
    ),
  ),
  ...edits.map(
    ([name, editOf]): Case => [`an edit of ${name} is previewed`, 250_000, (size) => preview(...editOf(size))],
  ),
  ...hardTexts.map(
    ([name, textOf]): Case => [`a command of ${name} is read`, 5_000, (size) => readCommands(textOf(size))],
  ),
];

describe('time grows in proportion to the input', () => {
  test.each(cases)('%s, up to %d', async (_name, largest, work) => {
    await expectLinear(work, largest);
  });

  test('marks nested a thousand deep take no longer than as many side by side', async () => {
    const parse = lazyParser();
    const deep = `${'***a '.repeat(990)}word${' a***'.repeat(990)}`;
    await expectAtMost(
      8,
      () => parse('***a a*** '.repeat(990)),
      () => parse(deep),
    );
  });
});

test.each(schemaStrategies)(
  'a hostile schema takes not much longer than a usual one to be written for %s',
  async (strategy) => {
    const properties = Array.from({ length: 100 }, (_, index) => [
      `property_${index}`,
      { type: 'string', description: 'Some words.' },
    ]);
    const usual = { type: 'object', properties: Object.fromEntries(properties) };
    for (const { schema } of hostileSchemas()) {
      await expectAtMost(
        50,
        () => normaliseSchema(usual, strategy),
        () => normaliseSchema(schema, strategy),
      );
    }
  },
);

function unknownKeys(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `"key_number_${index}": {}`);
}

function readDiscordSigns(count: number): void {
  const called = { user: () => undefined, role: () => undefined, channel: (id: string) => names.channelName(id) };
  const isCall = (kind: '@' | '&', id: string): boolean => id === (kind === '@' ? '1' : '2');
  for (const text of ['`', '```', '<@', '<@1> ', ' ', '<t:', '</a']) readAddressing(text.repeat(count), isCall, called);
}

function stripEscapes(length: number): void {
  stripControls('\u001b]0;'.repeat(length / 4));
  stripControls(`\u001b${';'.repeat(length)}`);
  stripControls(`\u001b[${'1;'.repeat(length / 2)}`);
}

function showMarks(length: number): void {
  renderMarkdown('**a '.repeat(length / 4), marks);
  renderMarkdown('`` ` '.repeat(length / 5), plainStyle);
  renderMarkdown(`${'`'.repeat(1999)}\n`.repeat(length / 2000), marks);
  renderMarkdown(`${'**a '.repeat(499)}\n`.repeat(length / 2000), marks);
}

function barsAndPictures(length: number): string {
  return `${'|'.repeat(length)}x\nand\n${'![a'.repeat(length / 4)}`;
}

async function continueText(lines: number): Promise<void> {
  const long = Array.from({ length: lines }, (_, line) => `line ${line} of the text\n`);
  const cut = new ModelError('transient', 'it broke off', { usage: { inputTokens: 7, outputTokens: 2 } });
  const model = new SteppingModel([
    [says(long.join('')), cut],
    [...[...long, 'end'].map(says), ends()],
  ]);
  expect(await eventsOf(withContinuation(model), request('hello'))).not.toEqual([]);
}

function preview(before: string, oldText: string, newText: string): void {
  const found = find(before, { oldText, newText, replaceAll: true }, 10 * 2 ** 20);
  if (found.type === 'found') renderDiff(before, found, 'en');
}

async function runTool(count: number): Promise<void> {
  const text = '\u001b['.repeat(count) + '0'.repeat(count) + '\u001b]'.repeat(count);
  const runner = createToolRunner({ clock: new ManualClock(), settings: {} });
  await runner.run(
    callDoing(async () => llmOnly(text), {}),
    contextIn('/tmp'),
  );
}

function cleanDocument(length: number): void {
  visibleText(`a${' '.repeat(length)}b`);
  visibleText(`a${'\n'.repeat(length)}b`);
  visibleText(`a${' \n'.repeat(length / 2)}b`);
}

function spanIn(size: number): unknown {
  const entries = Array.from({ length: size }, (_, at): TranscriptEntry => {
    if (at % 2 === 0) return { type: 'user', seq: at, principal: 'test:ada', name: 'Ada', text: 'words' };
    return { type: 'turn', id: at, runId: `run${at}`, principal: 'test:ada', seenSeq: at, parts: [], calls: [] };
  });
  return spanOf(entries, { tokens: size, most: size }, (text) => text.length);
}

function readNumbers(count: number): void {
  const numbers = Array.from({ length: count }, (_, index) => String(index));
  validate(z.strictObject({ value: z.array(z.number()) }), { value: JSON.stringify(numbers) });
}
