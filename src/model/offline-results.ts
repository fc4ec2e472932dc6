import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { escapeMarkdown, fenced, inlineCode } from '../lib/plain-text.ts';
import type { ModelToolResult } from './language-model.ts';

/** Says what became of a call. Shows at most about `limit` characters of its result, exactly as they are. */
export function resultWords(result: ModelToolResult, args: JsonValue, limit: number): string {
  const text = cut(result.text.trimEnd(), limit);
  const words = notRunWords(text);
  if (words !== undefined) return words;
  // A fault is a sentence for the reader.
  if (result.isError) return text.includes('\n') ? fenced(text) : escapeMarkdown(text);
  const title = titleOf(result.name, args);
  return text === '' ? `${title} nothing.` : `${title}\n\n${fenced(text)}`;
}

/** Says what an event of the daemon reports. The text stood between its tags. */
export function eventWords(report: string, limit: number): string {
  const text = cut(report, limit);
  const words = notRunWords(text);
  if (words !== undefined) return words;
  return text.includes('\n') ? `News:\n\n${fenced(text)}` : `News: ${escapeMarkdown(text)}`;
}

function titleOf(name: string, args: JsonValue): string {
  switch (name) {
    case 'list_dir':
      return argument(args, 'path') === '.' ? 'The folder holds:' : `${code(args, 'path')} holds:`;
    case 'read_file':
      return `${code(args, 'path')} says:`;
    case 'shell':
      return `${code(args, 'command')} gave:`;
    default:
      return `${inlineCode(name)} gave:`;
  }
}

function code(args: JsonValue, key: string): string {
  return inlineCode(cut(argument(args, key), longestTitle).replaceAll('\n', ' '));
}

const longestTitle = 80;

function argument(args: JsonValue, key: string): string {
  const value = isJsonObject(args) ? args[key] : undefined;
  return typeof value === 'string' ? value : key;
}

/** Says in a person's words why a call did not run, or is not done: what it is told as a model begins like this. */
function notRunWords(text: string): string | undefined {
  const denied =
    /^Not executed: .* was asked and denied this call\. (?:Their reason: ([\s\S]*?) )?(?:They gave|Do not attempt)/.exec(
      text,
    );
  if (denied !== null)
    return `You did not allow it, so I did not do it.${denied[1] === undefined ? '' : ` (${escapeMarkdown(denied[1])})`}`;
  const [, refusal] = /^Not executed: a rule forbids this call, and nobody was asked\. ([\s\S]*)/.exec(text) ?? [];
  if (refusal !== undefined) return `That is not allowed here. ${escapeMarkdown(refusal)}`;
  return openings.find(([opening]) => text.startsWith(opening))?.[1];
}

const openings = [
  [
    'Not executed: a person was asked for permission',
    'Nobody decided in time, so I did not do it. Ask me again when you are there.',
  ],
  ['Not executed: a person stopped', 'That was called off before it began.'],
  ['Awaiting approval', 'One thing still waits for your permission. What comes of it will follow.'],
  ['Already awaiting', 'I have asked for permission to do exactly that before, and still wait.'],
  ['Stopped by a person', 'That was stopped while it ran.'],
  [
    'Outcome unknown',
    'I was ended while that ran, and do not know how far it got. Have a look before you ask for it again.',
  ],
] as const;

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
  return `${kept}\n… (${text.length - kept.length} more characters)`;
}
