import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, type Fault } from './config-error.ts';

/** A variable that is not set is undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws Node's own errors. */
export type ReadFile = (path: string) => Promise<Uint8Array>;

/**
 * The variables of the process, which override those of the folder's `.env`. An empty variable of the process counts as
 * not set, since containers pass on missing ones like that. The faults are the lines of the file that set nothing. Throws
 * `ConfigError` if the file exists but can't be read.
 */
export async function readEnvironment(
  folder: string,
  env: Environment,
  readFile: ReadFile,
): Promise<{ readonly environment: Environment; readonly faults: readonly Fault[] }> {
  const file = envFileOf(folder);
  const bytes = await readIfThere(file, readFile);
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  const fromProcess = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  return {
    environment: { ...parseEnv(text), ...Object.fromEntries(fromProcess) },
    faults: lineFaults(text).map((fault) => ({ file, key: '', ...fault })),
  };
}

/** Faults do not quote the line, which may hold a secret. */
function lineFaults(text: string): readonly { readonly line: number; readonly text: string }[] {
  // A quoted value may have several lines.
  const unquoted = text.replace(
    /^([^\S\n]*(?:export\s+)?[\w.-]+[^\S\n]*=[^\S\n]*)(["'`])([\s\S]*?)\2[^\n]*/gm,
    (_whole, start: string, _mark, value: string) => start + value.replace(/[^\n]+/g, ''),
  );
  return unquoted.split('\n').flatMap((content, index) => {
    const [, value] = /^(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(.*)$/.exec(content.trim()) ?? [];
    const line = index + 1;
    if (value === undefined) {
      return /^\s*(?:#|$)/.test(content) ? [] : [{ line, text: 'this line sets nothing: write it as NAME=value.' }];
    }
    return /^["'`]/.test(value) ? [{ line, text: 'this quotation mark is never closed.' }] : [];
  });
}

/** The file beside the config that may set variables. */
export function envFileOf(folder: string): string {
  return join(folder, '.env');
}

/** Undefined if the file does not exist. Throws `ConfigError` if it can't be read. */
export async function readIfThere(path: string, readFile: ReadFile): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT') return undefined;
    throw new ConfigError([{ file: path, key: '', text: `can't be read: ${reasons.get(code) ?? code}.` }], {
      cause: error,
    });
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not read it'],
  ['EPERM', 'this user may not read it'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is not a folder'],
]);
