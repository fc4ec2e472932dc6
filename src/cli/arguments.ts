import { parseArgs } from 'node:util';

export type Arguments =
  | { readonly type: 'run'; readonly configPath: string; readonly isExplicit: boolean }
  | { readonly type: 'help' | 'version' }
  | { readonly type: 'wrong'; readonly reason: string };

export const usage = `Usage: npm start -- [--config FILE]

  --config FILE   the config; config.json if it is there, else the defaults
  --version       which Keyturn this is
  --help          this text
`;

/** Reads what stands behind the command. */
export function readArguments(words: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        config: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
    if (values.help === true) return { type: 'help' };
    if (values.version === true) return { type: 'version' };
    return { type: 'run', configPath: values.config ?? 'config.json', isExplicit: values.config !== undefined };
  } catch (error) {
    return { type: 'wrong', reason: error instanceof Error ? error.message : String(error) };
  }
}
