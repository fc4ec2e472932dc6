import { readFileSync } from 'node:fs';
import type { ModelEvent } from '../../../src/models/language-model.ts';
import { createTextAnswer } from '../../../src/models/text-tools/text-answer.ts';
import type { ToolDefinition } from '../../../src/transcript.ts';

/** An answer as a model writes it. */
export interface WrittenForm {
  readonly title: string;
  readonly answer: string;
  /** What people read of it. */
  readonly shows: string;
  /** How many of the two calls it makes. */
  readonly calls: number;
}

/** Spellings of one or two calls: what each is to become. */
export const spellings = formsIn('spellings.txt');
/** Answers that show a call, and make none. */
export const quotations = formsIn('quotations.txt');

/** The calls of all spellings, in their order. */
export const theCalls = [
  { name: 'shell', arguments: { command: 'ls -la' } },
  { name: 'list_dir', arguments: { path: 'src' } },
] as const;

function formsIn(file: string): readonly WrittenForm[] {
  const blocks = readFileSync(new URL(file, import.meta.url), 'utf8')
    .split(/^=== /m)
    .slice(1);
  return blocks.map((block) => {
    const [head = '', ...lines] = block.split('\n');
    const [title = '', ...options] = head.split(' | ');
    const option = (name: string) => options.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1);
    const answer = lines.join('\n').replace(/\n$/, '');
    return { title, answer, shows: option('shows') ?? '', calls: Number(option('calls') ?? 1) };
  });
}

function toolWith(name: string, ...parameters: readonly string[]): ToolDefinition {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return { name, description: '', parameters: { type: 'object', properties, required: [...parameters] } };
}

export const theTools = [
  toolWith('shell', 'command'),
  toolWith('list_dir', 'path'),
  toolWith('write_file', 'path', 'text'),
];

/** What comes of an answer in these pieces. */
export function readForm(pieces: Iterable<string>, reads: 'anywhere' | 'end' = 'anywhere', before = '') {
  const answer = createTextAnswer({ tools: theTools, before, reads });
  let shown = '';
  const take = (events: Iterable<ModelEvent>): void => {
    for (const event of events) if (event.type === 'text') shown += event.delta;
  };
  for (const piece of pieces) take(answer.push(piece));
  take(answer.end());
  const calls = answer.parts().flatMap((part) => {
    return part.type === 'call' ? [{ name: part.name, arguments: part.arguments }] : [];
  });
  return { shown, calls };
}
