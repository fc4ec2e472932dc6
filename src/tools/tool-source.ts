import { canonicalJson, type JsonObject } from '../lib/json.ts';

/** Where a tool comes from. Each connection of a device is a source of its own: closing it removes only its tools. */
export type ToolSource =
  | { readonly type: 'builtin' }
  /** `file`: the operator's tool file; unset for a tool in the config. */
  | { readonly type: 'custom'; readonly file?: string }
  /** `author`: who had it made in a chat; unset for a tool in the config. */
  | { readonly type: 'composed'; readonly author?: string }
  | { readonly type: 'plugin'; readonly name: string }
  | { readonly type: 'mcp'; readonly server: string }
  | { readonly type: 'remote'; readonly device: string; readonly connection: string }
  | { readonly type: 'delegate' };

/** Whether two sources are identical: two connections of a device are not. */
export function isSameSource(a: ToolSource, b: ToolSource): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** The part of a source that survives a restart: the device, without its connection. */
export function lastingSource(source: ToolSource): JsonObject {
  return source.type === 'remote' ? { type: 'remote', device: source.device } : { ...source };
}

/** The source's name within its kind, or the kind if there is only one. */
export function nameOfSource(source: ToolSource): string {
  return wordsOf(source)[1];
}

/** For messages to the operator. */
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
