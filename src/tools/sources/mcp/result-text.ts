import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { canonicalJson, isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { deepestArguments, isDeeperThan } from '../../depth.ts';
import type { ResultFile } from '../keep-files.ts';

/** A result as a model can read it. A file stands in it as `marker` says. */
export interface ReadResult {
  readonly text: (marker: (file: ResultFile) => string) => string;
  readonly files: readonly ResultFile[];
}

type Part = string | ResultFile;

/** Reads all that a server has answered, in its order. */
export function readResult({ content, structuredContent }: CallToolResult): ReadResult {
  const parts = [...content.map(partOf), ...structured(structuredContent, content)];
  return {
    files: parts.filter((part) => typeof part !== 'string'),
    text: (marker) => parts.map((part) => (typeof part === 'string' ? part : marker(part))).join('\n\n'),
  };
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return { name: block.type, mediaType: block.mimeType, bytes: Buffer.from(block.data, 'base64') };
    case 'resource_link': {
      const { uri, name, title = name, description, mimeType } = block;
      const details = [mimeType, description].flatMap((one) => (one === undefined ? [] : [oneLine(one, 500)]));
      return `[resource] ${oneLine(title, 200)}: ${oneLine(uri, 1000)}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
    }
    case 'resource': {
      const { resource } = block;
      const { uri, mimeType = 'application/octet-stream' } = resource;
      if ('text' in resource) return `[resource ${oneLine(uri, 1000)}]\n${resource.text}`;
      return { name: lastSegment(uri), mediaType: mimeType, bytes: Buffer.from(resource.blob, 'base64') };
    }
  }
}

/** Most servers say the same as text, too. */
function structured(value: unknown, content: readonly ContentBlock[]): readonly string[] {
  if (value === undefined) return [];
  const json: JsonValue = JSON.parse(JSON.stringify(value));
  if (isDeeperThan(json, deepestArguments)) return ['[structured content that is nested too deeply to be shown]'];
  const isSaid = content.some((block) => block.type === 'text' && saysTheSame(block.text, json));
  return isSaid ? [] : [JSON.stringify(json, null, 2)];
}

/** As JSON, or as the one text that the object holds. */
function saysTheSame(text: string, json: JsonValue): boolean {
  const values = isJsonObject(json) ? Object.values(json) : [];
  if (values.length === 1 && values[0] === text) return true;
  const parsed = parseJson(text);
  if (parsed === undefined || isDeeperThan(parsed, deepestArguments)) return false;
  return canonicalJson(parsed) === canonicalJson(json);
}

function lastSegment(uri: string): string {
  return uri.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
}
