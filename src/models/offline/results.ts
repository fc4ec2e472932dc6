/* What became of calls, in a person's words. */

import { isJsonObject } from '../../lib/json.ts';
import { escapeMarkdown, fenced, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import type { TurnPart } from '../../transcript.ts';
import type { ModelToolResult } from '../language-model.ts';
import type { Stop } from './stops.ts';
import { offlineWords } from './words.ts';

/** A result with the call that it is of, if that is known. */
export interface CallEnd extends ModelToolResult {
  readonly call: Extract<TurnPart, { readonly type: 'call' }> | undefined;
}

/** What to tell of a call: what it did, or the reason why it did not. Markdown. */
export function resultWords(end: CallEnd, language: Language): string {
  const { name, text, isError } = end;
  const say = offlineWords[language];
  if (isError) return reportOf(text, { language });
  return (
    doneWords(end, language) ?? reportOf(text, { title: say.gave({ tool: inlineCode(name) }), isBlock: true, language })
  );
}

/** What follows on the tour after a call that was carried out. */
export function nextStop({ name, isError, text }: ModelToolResult): Stop | undefined {
  if (isError || notRun.test(text)) return undefined;
  return follows[name];
}

const follows: Readonly<Record<string, Stop>> = {
  list_dir: 'write',
  write_file: 'read',
  read_file: 'edit',
  edit_file: 'run',
  shell: 'remind',
  remind: 'remember',
  memory_store: 'recall',
  memory_search: 'model',
};

/** Tools tell models in English what they did: read from there. */
function doneWords({ name, text, call }: CallEnd, language: Language): string | undefined {
  const say = offlineWords[language];
  const path = inlineCode(oneLine(pathOf(call), 80));
  switch (name) {
    case 'write_file': {
      const [, verb, file = '', size = ''] = /^(Created|Overwrote) (.+) \(([^()]+)\)\.$/.exec(text) ?? [];
      return verb && say.wrote({ isNew: verb === 'Created', file: inlineCode(file), size });
    }
    case 'edit_file':
      return /^Changed .+\.$/.test(text) ? say.edited({ file: path }) : undefined;
    case 'memory_store':
      return /^(?:Remembered|Renewed) /.test(text) ? say.remembered : undefined;
    case 'remind': {
      const [, id, time = ''] = /^The reminder (\w+) is set: once, (.+?, \d\d:\d\d)[^\d]/.exec(text) ?? [];
      return id && say.reminderSet({ time, id });
    }
    case 'list_dir':
      if (/^\[.+ is empty\]$/.test(text)) return say.nothingHere;
      return reportOf(text, { title: say.here, isBlock: true, language });
    case 'read_file':
      return call && reportOf(text, { title: say.holds({ file: path }), isBlock: true, language });
    case 'shell': {
      const [, output] = /^\[exit code 0\]\n([\s\S]*)$/.exec(text) ?? [];
      if (output === '[no output]') return say.ranQuietly;
      return output && reportOf(output, { isBlock: true, language });
    }
    default:
      return undefined;
  }
}

function pathOf(call: CallEnd['call']): string {
  const given = call?.arguments;
  return isJsonObject(given) && typeof given.path === 'string' ? given.path : '';
}

interface Report {
  readonly title?: string;
  readonly isBlock?: boolean;
  readonly language: Language;
}

export function reportOf(result: string, { title, isBlock = result.trim().includes('\n'), language }: Report): string {
  const say = offlineWords[language];
  const text = result.trim();
  if (/^Not executed: .* denied this call/.test(text)) return say.denied;
  if (/^(?:A|Already a)waiting approval/.test(text)) return say.waits;
  const shown = text.slice(0, mostShown).toWellFormed();
  const left = text.length - shown.length;
  const whole = left > 0 ? say.cut({ shown, left }) : shown;
  const words = isBlock ? fenced(whole) : escapeMarkdown(whole);
  return title === undefined ? words : say.titled({ title, text: words, isBlock });
}

const notRun = /^(?:Not executed:|(?:A|Already a)waiting approval)/;

/** In characters. */
const mostShown = 3000;
