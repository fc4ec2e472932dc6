import type { JsonObject } from '../lib/json.ts';
import { after, trimEndOf, unquote, withoutStop } from './phrase-text.ts';

export interface PhraseCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Reads one sentence about memory, reminders, searches, pages and files to be shown. */
export function readErrand(clause: string): PhraseCall | undefined {
  return readMemory(clause) ?? readReminder(clause) ?? readSearch(clause) ?? readPage(clause) ?? readSending(clause);
}

function readMemory(clause: string): PhraseCall | undefined {
  const query = after(clause, /^(?:recall|what do you (?:remember|know)(?: (?:about|of))?)(?=\s|[?.!]|$)/i);
  if (query !== undefined) return { name: 'memory_search', arguments: { query: unquote(withoutStop(query)) } };
  const text = after(clause, /^remember(?: that)?\s/i);
  return text === undefined || text === '' ? undefined : { name: 'memory_store', arguments: { text: sentence(text) } };
}

/** `remind me in 5 minutes to X`, `remind me to X in 2 hours` */
function readReminder(clause: string): PhraseCall | undefined {
  const words = after(clause, /^remind me\s/i);
  if (words === undefined) return undefined;
  const first = /^in (\d{1,6}) (minute|hour|day)s? (?:to|of|that|about) /i.exec(words);
  if (first !== null) return reminder(words.slice(first[0].length), first[1], first[2]);
  const last = / in (\d{1,6}) (minute|hour|day)s?[.!]?$/i.exec(words.slice(-longestTime));
  const text = last === null ? undefined : after(words.slice(0, -last[0].length), /^(?:to|of|that|about) /i);
  return text === undefined || last === null ? undefined : reminder(text, last[1], last[2]);
}

const longestTime = 30;

function reminder(text: string, number = '', unit = ''): PhraseCall | undefined {
  const minutes = Number(number) * (unit.toLowerCase() === 'day' ? 1440 : unit.toLowerCase() === 'hour' ? 60 : 1);
  if (text.trim() === '' || minutes === 0) return undefined;
  return { name: 'remind', arguments: { text: sentence(text), in_minutes: minutes } };
}

function readSearch(clause: string): PhraseCall | undefined {
  const query = after(clause, /^(?:search|look up)\s(?:on |in )?the web (?:for )?/i);
  if (query !== undefined) return query === '' ? undefined : call('web_search', 'query', query);
  const lines = after(clause, /^search (?:the files |my files )?for\s/i);
  if (lines !== undefined) return call('search_files', 'pattern', withoutPlace(lines));
  const named = after(clause, /^find\s(?:all\s)?(?:the\s)?(?:files?)(?: (?:called|named))?\s/i);
  const pattern = named ?? after(clause, /^find\s/i);
  // "Find peace" is no request for a file.
  const isPattern = pattern !== undefined && !/\s/.test(pattern) && (named !== undefined || /[*.]./.test(pattern));
  return isPattern ? call('find_files', 'pattern', pattern) : undefined;
}

function withoutPlace(words: string): string {
  const place = / in (?:the|my|all) (?:files|folder|workspace)[.!?]?$/i.exec(words.slice(-longestPlace));
  return place === null ? words : words.slice(0, -place[0].length);
}

const longestPlace = 24;

function readPage(clause: string): PhraseCall | undefined {
  const url = after(clause, /^(?:fetch|read|open|show|get|browse)\s(?:me\s)?(?=https?:\/\/)/i);
  return url === undefined || /\s/.test(url) ? undefined : call('web_fetch', 'url', trimEndOf(url, '.,!'));
}

function readSending(clause: string): PhraseCall | undefined {
  const path = after(clause, /^send\s(?:me\s)?(?:the\s)?(?:file\s)?/i);
  return path === undefined || !/^[^\s]*\.\w{1,8}[.!?]?$/.test(path) ? undefined : call('send_file', 'path', path);
}

function call(name: string, key: string, value: string): PhraseCall {
  const bare = unquote(value);
  return { name, arguments: { [key]: bare === value.trim() && key !== 'url' ? withoutStop(bare) : bare } };
}

function sentence(text: string): string {
  return trimEndOf(unquote(text), '. \n');
}
