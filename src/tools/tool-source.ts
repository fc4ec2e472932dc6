import { canonicalJson, type JsonObject } from '../lib/json.ts';

/** Who brought a tool. A connection of a device is a source of its own: closing it takes only what it brought. */
export type ToolSource =
  | { readonly type: 'builtin' }
  /** `file`: of the operator's own in which it stands; left out where it stands in the config. */
  | { readonly type: 'custom'; readonly file?: string }
  /** `author`: who has had it made in a chat; left out where it stands in the config. */
  | { readonly type: 'composed'; readonly author?: string }
  | { readonly type: 'plugin'; readonly name: string }
  | { readonly type: 'mcp'; readonly server: string }
  | { readonly type: 'remote'; readonly device: string; readonly connection: string }
  | { readonly type: 'delegate' };

/** Whether it is the very same one: of two connections of a device, each is a source of its own. */
export function isSameSource(a: ToolSource, b: ToolSource): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** What of a source is the same after a restart: a device is, whichever connection it has. */
export function lastingSource(source: ToolSource): JsonObject {
  return source.type === 'remote' ? { type: 'remote', device: source.device } : { ...source };
}

/** Which one of its kind it is: the kind itself, where there is one only. */
export function nameOfSource(source: ToolSource): string {
  return wordsOf(source)[1];
}

/** As messages for the operator call it. */
export function describeSource(source: ToolSource): string {
  return wordsOf(source).join('');
}

function wordsOf(source: ToolSource): readonly [kind: string, name: string] {
  switch (source.type) {
    case 'builtin':
    case 'custom':
    case 'composed':
    case 'delegate':
      return ['', source.type];
    case 'plugin':
      return ['plugin ', source.name];
    case 'mcp':
      return ['MCP server ', source.server];
    case 'remote':
      return ['device ', source.device];
  }
}
