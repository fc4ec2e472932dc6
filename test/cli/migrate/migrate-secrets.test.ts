import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { migrateWords } from '../../../src/cli/migrate/words.ts';
import { substitute } from '../../../src/config/environment.ts';
import { type JsonValue, valueAt } from '../../../src/lib/json.ts';
import { formerSecrets, writeFormer } from './former-homes.ts';
import { configOf, keyturn, leftOf, type Machine, machineWith, variablesOf } from './former-machine.ts';

const parsedVariables = (machine: Machine) =>
  Object.fromEntries(Object.entries(parseEnv(variablesOf(machine))).map(([name, value]) => [name, value ?? '']));

/** The config as a start reads it, with these variables. */
function started(machine: Machine, environment: Readonly<Record<string, string>>): JsonValue {
  const { value, unset } = substitute(configOf(machine), environment, '.env');
  expect(unset).toEqual([]);
  return value;
}

describe('what looks like a variable', () => {
  test('in a text, an argument or a name of the former program is no variable here', async () => {
    const text = `Write \${PRIVATE} and $\${PRIVATE} as they are.`;
    const style = `--style=\${PRIVATE:-plain}`;
    const config = {
      agents: { defaults: { model: `ollama/\${PRIVATE}` } },
      tools: { mcpServers: { notes: { command: 'notes', args: [style], env: { STYLE: style } } } },
    };
    const files = { 'config.json': JSON.stringify(config), 'workspace/SOUL.md': text };
    const machine = await machineWith('nanobot', files);
    writeFileSync(join(machine.keyturn, '.env'), 'PRIVATE=hunter2hunter2\n');
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes']).status).toBe(0);
    const read = started(machine, parsedVariables(machine));
    expect(valueAt(read, ['agent', 'instructions'])).toBe(text);
    expect(valueAt(read, ['mcp_servers', 'notes'])).toMatchObject({ args: [style], env: { STYLE: style } });
    expect(JSON.stringify(read)).not.toContain('hunter2');
  });
});

describe('a secret', () => {
  test('has a variable of its own, though names differ only by what a variable cannot have', async () => {
    const keyed = (key: string) => ({ command: 'run', env: { API_KEY: key } });
    const config = {
      tools: {
        mcpServers: {
          'a-b': keyed('first-secret-1'),
          a_b: keyed('second-secret-2'),
          web: { url: 'https://mcp.example.com/mcp', headers: { 'X-Key': 'third-secret-3', X_Key: 'fourth-secret-4' } },
          'c d': keyed('fifth-secret-5'),
          'c.d': keyed('sixth-secret-6'),
        },
      },
    };
    const machine = await machineWith('nanobot', { 'config.json': JSON.stringify(config) });
    const { stdout } = keyturn(machine, ['migrate', 'nanobot', '--yes', '--json']);
    const servers = valueAt(started(machine, parsedVariables(machine)), ['mcp_servers']);
    expect(servers).toMatchObject({
      'a-b': { env: { API_KEY: 'first-secret-1' } },
      a_b: { env: { API_KEY: 'second-secret-2' } },
      web: { headers: { 'X-Key': 'third-secret-3', X_Key: 'fourth-secret-4' } },
      c_d: { env: { API_KEY: 'fifth-secret-5' } },
    });
    expect(leftOf(stdout).get('mcp: c.d')).toBe(migrateWords.en.sameServer({ name: 'c_d' }));
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes']).stdout).toContain(migrateWords.en.nothingNew);
  });

  test('stands in no address and no word of a command, and the machine’s other users cannot read the config', async () => {
    const mcpServers = {
      site: { url: 'https://mcp.example.com/mcp?api_key=hunter2-1' },
      named: { url: 'https://hunter2-2@mcp.example.com/mcp' },
      plain: { url: 'https://mcp.example.com/mcp' },
      made: { command: `/opt/\${PLACE}/run`, cwd: `/srv/\${PLACE}`, args: ['--at', `\${PLACE}`] },
      words: {
        command: 'npx',
        args: [
          '-y',
          '@acme/server@1.2.3',
          '--port',
          '8080',
          '--pw',
          'hunter2-3',
          '--user',
          'bob:hunter2-4',
          'hunter2-5',
        ],
        env: { PGPASS: 'hunter2-6', LOG_LEVEL: 'info' },
      },
      bare: { command: 'serve', args: ['hunter2-7'] },
    };
    const files = { 'config.json': JSON.stringify({ tools: { mcpServers } }), '.env': 'PLACE=of-before\n' };
    const machine = await machineWith('nanobot', files);
    const file = join(machine.keyturn, 'config.json');
    writeFileSync(file, '{}');
    chmodSync(file, 0o644);
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes']).status).toBe(0);
    const servers = valueAt(started(machine, { ...parsedVariables(machine), PLACE: 'of-here' }), ['mcp_servers']);
    const made = { command: '/opt/of-before/run', cwd: '/srv/of-before', args: ['--at', 'of-before'] };
    expect(servers).toEqual({ ...mcpServers, made });
    expect(readFileSync(file, 'utf8')).not.toMatch(/hunter2|PLACE/);
    expect(configOf(machine).mcp_servers).toMatchObject({
      plain: mcpServers.plain,
      words: { command: 'npx', env: { LOG_LEVEL: 'info' } },
    });
    expect(configOf(machine).mcp_servers.words.args.slice(0, 5)).toEqual(mcpServers.words.args.slice(0, 5));
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test('of a model goes to the server of this model only', async () => {
    const provider = (port: number, key: string) => ({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: key });
    const config = {
      agents: {
        defaults: { model: { primary: 'my-own/one', fallbacks: ['my_own/two', 'constructor/three', '__proto__/4'] } },
      },
      models: { providers: { 'my-own': provider(1, 'first-secret-1'), my_own: provider(2, 'second-secret-2') } },
    };
    const machine = await machineWith('openclaw', { 'openclaw.json': JSON.stringify(config), '.env': '' });
    const { stdout } = keyturn(machine, ['migrate', 'openclaw', '--yes', '--json']);
    expect(valueAt(started(machine, parsedVariables(machine)), ['models'])).toMatchObject({
      one: { base_url: 'http://127.0.0.1:1/v1', api_key: 'first-secret-1' },
      two: { base_url: 'http://127.0.0.1:2/v1', api_key: 'second-secret-2' },
    });
    expect(leftOf(stdout).get('constructor/three')).toBe(migrateWords.en.otherModel);
    expect(leftOf(stdout).get('__proto__/4')).toBe(migrateWords.en.otherModel);
    expect(stdout).not.toContain('native code');
  });
});

describe('a link', () => {
  test('from a text to the program’s own secrets, or out of its folder, is not followed', async () => {
    const machine = await machineWith('hermes');
    const { folder, home } = machine;
    writeFormer(folder, { '.env': `OPENROUTER_API_KEY=${formerSecrets.model}\n`, 'voice.md': 'Speak softly.' });
    const elsewhere = join(home, 'diary');
    writeFormer(elsewhere, { 'USER.md': 'Nobody may read this.', 'MEMORY.md': 'Nor this.', 'jobs.json': '[]' });
    for (const name of ['memories', 'cron']) {
      rmSync(join(folder, name), { recursive: true });
      symlinkSync(elsewhere, join(folder, name));
    }
    rmSync(join(folder, 'SOUL.md'));
    symlinkSync('.env', join(folder, 'SOUL.md'));
    const person = ['--person', 'telegram:17'];
    const { stdout } = keyturn(machine, ['migrate', 'hermes', '--yes', '--json', ...person]);
    const left = leftOf(stdout);
    for (const name of ['SOUL.md', 'memories/USER.md', 'memories/MEMORY.md', 'cron/jobs.json'])
      expect(left.get(name), name).toBe(migrateWords.en.linkOut);
    expect(valueAt(configOf(machine), ['agent'])).toBeUndefined();
    expect(JSON.parse(stdout).memories).toEqual({ new: 0, there: 0 });

    rmSync(join(folder, 'SOUL.md'));
    symlinkSync('voice.md', join(folder, 'SOUL.md'));
    expect(keyturn(machine, ['migrate', 'hermes', '--yes', ...person]).status).toBe(0);
    expect(valueAt(configOf(machine), ['agent', 'instructions'])).toBe('Speak softly.');
  });
});
