import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { escapeMarkdown, fenced, inlineCode } from '../lib/plain-text.ts';
import type { ModelToolResult } from './language-model.ts';

/** Says what became of a call. Shows at most about `limit` characters of its result, exactly as they are. */
export function resultWords(result: ModelToolResult, args: JsonValue, limit: number): string {
  const text = cut(result.text.trimEnd(), limit);
  // A refusal, a denial or a fault is a sentence for the reader; so is what a tool says that it did.
  if (result.isError || isSentence(text)) return text.includes('\n') ? fenced(text) : escapeMarkdown(text);
  const title = titleOf(result.name, args);
  return text === '' ? `${title} nothing.` : `${title}\n\n${fenced(text)}`;
}

/** Says what an event of the daemon reports, without the tags that it is wrapped in. */
export function eventWords(event: string, limit: number): string {
  const begin = event.indexOf('>') + 1;
  const end = event.lastIndexOf('</keyturn_event');
  const text = cut(event.slice(begin, end < begin ? undefined : end).trim(), limit);
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

/** What the daemon itself says of a call that did not run, or is not done. */
function isSentence(text: string): boolean {
  return /^(?:Not executed|Awaiting approval|Already awaiting|Stopped by|Outcome unknown)\b/.test(text);
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
  return `${kept}\n… (${text.length - kept.length} more characters)`;
}
