import type { ToolCategory } from '../../../tools/category.ts';

/** One MCP server, as the operator has configured it. Durations are milliseconds. */
export interface McpServerSettings extends McpToolRules {
  /** The operator's name of it: at most 32 letters, digits, `_` or `-`. */
  readonly name: string;
  readonly way: McpWay;
  /** How long it may say nothing while it greets, lists or works. */
  readonly timeout: number;
  /** How long its list of tools is believed. */
  readonly listLifetime: number;
  /** How long a question that it asks a person stands. */
  readonly questionTimeout: number;
  /** Which of its tools only read is for it to say. */
  readonly trustsAnnotations: boolean;
  /** What its tools are when they are first seen is for an owner to trust, too. */
  readonly isReviewed?: boolean;
  /** What holds for single tools, by their names or by patterns of them. */
  readonly tools: Readonly<Record<string, McpToolRules & { readonly enabled: boolean }>>;
}

/** What the operator says of tools. Left out: what holds for all tools of the server, or nothing. */
export interface McpToolRules {
  readonly category?: ToolCategory | undefined;
  /** What it answers is the person's own, and not meant for others. */
  readonly private?: boolean | undefined;
  /** Whether an argument says where its request goes. Of what only reads, that is taken for granted. */
  readonly outbound?: boolean | undefined;
  /** What it answers is not written by others; `names`: as far as it is a list of names. */
  readonly trusted?: boolean | 'names' | undefined;
  /** The arguments that say whom or what a call reaches. */
  readonly targets?: readonly string[] | undefined;
}

export type McpWay =
  | {
      readonly type: 'process';
      readonly command: string;
      readonly args: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      /** The folder that it works in: absolute. */
      readonly directory: string;
      /** It is kept in the sandbox, or does not run. */
      readonly isConfined: boolean;
    }
  | {
      readonly type: 'http';
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
      readonly mayBePrivate: boolean;
    };

/** The library that speaks the protocol. It is large: nobody loads it who has no server. */
export type McpLibrary = typeof import('@modelcontextprotocol/client');

export function loadLibrary(): Promise<McpLibrary> {
  return import('@modelcontextprotocol/client');
}
