/** A plugin's program that does well and badly, as it is asked to. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const gates = new Map();
const cancelled = new Map();
let calls = 0;

const tools = {
  say: ({ text }) => ({ output: text }),
  arguments: (args) => ({ output: JSON.stringify(args) }),
  params: (_args, params) => ({ output: JSON.stringify(params) }),
  count: () => ({ output: JSON.stringify({ pid: process.pid, calls }) }),
  environment: () => ({ output: JSON.stringify({ environment: process.env, folder: process.cwd() }) }),
  people: () => ({ output: 'for the model', for_user: 'for people' }),
  sorry: () => ({ output: 'it did not work', is_error: true }),
  number: () => ({ output: { rolls: [1, 2] } }),
  nonsense: () => ({ nothing: true }),
  refuse: () => Promise.reject(new Error('no such thing')),
  wait_for: ({ gate }) => new Promise((resolve) => gates.set(gate, () => resolve({ output: `${gate} is open` }))),
  open: ({ gate }) => {
    gates.get(gate)?.();
    return { output: `opened ${gate}` };
  },
  obedient: (_args, { call_id }) =>
    new Promise((_resolve, reject) => {
      say({ method: 'progress', params: { call_id, message: 'waits' } });
      cancelled.set(call_id, () => reject(new Error('cancelled')));
    }),
  hang: (_args, { call_id }) => {
    say({ method: 'progress', params: { call_id, message: 'hangs' } });
    return new Promise(() => {});
  },
  crash: ({ code }) => {
    process.stderr.write('the disk has melted\n');
    process.exit(code);
  },
  garbage: (_args, { call_id }) => {
    for (const line of ['not JSON', '[1]', '7', '"text"', '{"id":99999,"result":{}}', '{"id":{"a":1}}', '{}', '']) {
      process.stdout.write(`${line}\n`);
    }
    process.stdout.write(`${'['.repeat(500_000)}\n`);
    process.stdout.write(
      `{"method":"progress","params":{"call_id":{"deep":${'['.repeat(9999)}${']'.repeat(9999)}}}}\n`,
    );
    process.stdout.write('{"id":77,"method":"ask_me"}\n{"method":"unheard_of"}\n');
    say({ method: 'progress', params: { call_id, message: 'among\ngarbage' } });
    return { output: 'and yet it answers' };
  },
  flood: () => {
    process.stdout.write('x'.repeat(1_100_000));
    return new Promise(() => {});
  },
  leave: () => {
    setTimeout(() => process.exit(0), 20);
    return { output: 'bye' };
  },
  leave_a_child: () => {
    // It holds the pipe open.
    spawn('sleep', ['30'], { stdio: ['ignore', 'inherit', 'ignore'] });
    setTimeout(() => process.exit(0), 20);
    return { output: 'bye' };
  },
  children: ({ sleep }) => {
    // A child in a group of its own, and a grandchild that has laid off its mark.
    spawn('sh', ['-c', `env -i setsid ${sleep} & ${sleep}; true`], { detached: true, stdio: 'ignore' });
    return { output: 'started' };
  },
  touch: ({ path }) => {
    writeFileSync(path, 'was here');
    return { output: `wrote ${path}` };
  },
};

const methods = {
  initialize: () => ({}),
  execute: (params) => {
    calls += 1;
    return tools[params.tool](params.args, params);
  },
  shutdown: () => ({}),
};

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === '$/cancel') return cancelled.get(params.call_id)?.();
    if (id === 77) return;
    try {
      say({ id, result: await methods[method](params) });
    } catch (error) {
      say({ id, error: { code: -32000, message: error.message } });
    }
  })
  .on('close', () => process.exit(0));
