import { isJsonObject, type JsonValue } from '../../../lib/json.ts';
import { deepestArguments, isDeeperThan } from '../../depth.ts';
import type { DeviceResult } from './device-link.ts';
import { type FileParts, type SentFile, tooLarge } from './file-parts.ts';

/** What a device has answered, in its order. */
export interface DeviceAnswer {
  readonly succeeded: boolean;
  readonly parts: readonly (string | SentFile)[];
}

export interface AnswerRules {
  /** The files that have come before the result. */
  readonly files: FileParts;
  /** Text and files together. */
  readonly maxBytes: number;
}

const mostItems = 50;

/** Reads a result; or says why it is none that can be taken, as half a sentence. */
export function readAnswer(result: DeviceResult, rules: AnswerRules): DeviceAnswer | string {
  const { success, output, error, content = [] } = result;
  if (isDeeperThan(output, deepestArguments)) return 'its output is nested too deeply';
  if (content.length > mostItems) return `its content has more than ${mostItems} items`;
  const said = textOf(output);
  // Whoever reports an error as it was done of old says the same twice.
  const words = success || error === undefined ? [said] : said === error ? [error] : [error, said];
  const parts: (string | SentFile)[] = words.filter((text) => text.trim() !== '');
  for (const item of content) {
    const part = itemOf(item, rules.files);
    if ('fault' in part) return part.fault;
    parts.push(part.value);
  }
  const size = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  return size > rules.maxBytes ? tooLarge(rules.maxBytes) : { succeeded: success, parts };
}

function textOf(output: JsonValue): string {
  if (output === null) return '';
  return typeof output === 'string' ? output.toWellFormed() : JSON.stringify(output, null, 2);
}

type Item = { readonly value: string | SentFile } | { readonly fault: string };

function itemOf(item: JsonValue, files: FileParts): Item {
  if (!isJsonObject(item)) return { fault: 'its content holds something that is no object' };
  const { type, text } = item;
  if (type === 'text' && typeof text === 'string') return { value: text.toWellFormed() };
  if (type !== 'image' && type !== 'audio' && type !== 'file')
    return { fault: 'its content holds something that is neither text, image, audio nor file' };
  const file = files.fileOf(item);
  return file === undefined ? { fault: 'a file of it is missing, not whole, or no base64' } : { value: file };
}

function sizeOf(part: string | SentFile): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.bytes.length;
}
