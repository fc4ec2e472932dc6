import type { CallToolResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../lib/json.ts';
import type { AskPerson } from '../../tool.ts';

/** A call of a tool, as a server is told of it. */
export interface McpCall {
  /** The server's name of the tool. */
  readonly tool: string;
  /** The definition that is called: see `McpDefinition`. */
  readonly fingerprint: string;
  /** The schema of its arguments, as the server has given it. */
  readonly parameters: JsonObject;
  readonly args: JsonObject;
  /** How long it may report nothing, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  progress(status: string): void;
  /** Whom the server may ask something while it works; left out where nobody can be asked. */
  readonly person?: McpPerson;
}

/** Whom a call serves, and where. */
export interface McpPerson {
  /** The same for two calls of one person in one conversation, and for no others. */
  readonly place: string;
  readonly ask: AskPerson;
}

/** What became of a call. */
export type McpOutcome =
  | { readonly type: 'answered'; readonly result: CallToolResult }
  /** The server did not take it: the reason is the server's. */
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'stopped' }
  /** The connection broke while the server worked on it: some of it may be done. */
  | { readonly type: 'lost'; readonly why: string }
  /** There is no such connection any more, and nothing was done. */
  | { readonly type: 'gone'; readonly why: string }
  /** The server has defined the tool anew since, or has it no more: nothing was done. */
  | { readonly type: 'changed' };
