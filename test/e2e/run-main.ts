import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { daemonEntry } from '../support/daemon-process.ts';

export interface RunOptions {
  readonly args?: readonly string[];
  /** All that is written to its input, which is closed then. */
  readonly input?: string;
  /** All of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the folder that it runs in, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Ends it with SIGTERM once it has written this to one of its outputs. */
  readonly stopAt?: string;
  /** Runs the sources, by the script that a newcomer runs; else the packed daemon where there is one. */
  readonly fromSources?: boolean;
}

const sources = resolve(import.meta.dirname, '../../src/start.js');

/** Runs Keyturn as a newcomer does, in a folder of its own, with nothing but what is given, until it ends. */
export async function runMain({
  args = [],
  input = '',
  env = {},
  files = {},
  stopAt,
  fromSources = false,
}: RunOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-run-'));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const start = fromSources ? sources : daemonEntry();
    const child = spawn(process.execPath, [start, ...args], { cwd: folder, env, stdio: 'pipe' });
    child.stdin.end(input);
    if (stopAt !== undefined) {
      let seen = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          seen += String(chunk);
          if (seen.includes(stopAt) && !child.killed) child.kill('SIGTERM');
        });
    }
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
