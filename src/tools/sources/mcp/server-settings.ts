import type { ToolCategory } from '../../category.ts';

/** One MCP server, as the operator has configured it. Durations are milliseconds. */
export interface McpServerSettings {
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
  /** What all its tools touch. */
  readonly category?: ToolCategory;
  /** What holds for single tools, by their names or by patterns of them. */
  readonly tools: Readonly<Record<string, { readonly enabled: boolean; readonly category?: ToolCategory | undefined }>>;
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
