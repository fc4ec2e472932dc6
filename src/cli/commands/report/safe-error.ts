/* Of an error its kind and where it came from: what it says may be anybody's. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import { ownFolder } from '../../../lib/own-version.ts';
import type { Scrubber } from './scrub.ts';

const mostFrames = 12;
const longestWord = 60;

export function safeError({ type, code, message, stack }: JsonObject, scrubber: Scrubber): JsonObject {
  const said = typeof message === 'string' ? message : '';
  // The message may have lines that look as frames do.
  const frames = typeof stack === 'string' ? stack.replace(said, () => '').split('\n') : [];
  return {
    type: word(type, scrubber),
    ...(code === undefined ? {} : { code: word(code, scrubber) }),
    stack: frames.flatMap((line) => safeFrame(line, scrubber)).slice(0, mostFrames),
  };
}

function word(value: JsonValue | undefined, scrubber: Scrubber): string {
  return typeof value === 'string' && /^\w+$/.test(value) ? scrubber.text(value.slice(0, longestWord)) : '<text>';
}

const frame = /^\s+at (?:async )?(?:(?<what>[^()]+?) (?:\[as [^\]]+\] )?\()?(?<place>[^()]+):(?<at>\d+:\d+)\)?$/;

/** Empty if the line is none. */
function safeFrame(line: string, scrubber: Scrubber): readonly string[] {
  const { what, place, at } = frame.exec(line)?.groups ?? {};
  if (place === undefined || at === undefined) return [];
  const shown = ownPlace(place);
  if (shown === undefined) return ['at <elsewhere>'];
  const where = `${shown}:${at}`;
  return [what === undefined ? `at ${where}` : `at ${scrubber.text(what)} (${where})`];
}

/** A file of Keyturn, of what it is made with, or of Node. A person may keep their own files beside them. */
function ownPlace(place: string): string | undefined {
  if (/^node:[\w/]+$/.test(place)) return place;
  const root = join(ownFolder(), '/');
  const start = [pathToFileURL(root).href, root].find((one) => place.startsWith(one));
  const inside = start === undefined ? '' : place.slice(start.length);
  return /^(?:src|dist|channels|packages|node_modules)\/[\w@.+/-]+$/.test(inside) ? `<keyturn>/${inside}` : undefined;
}
