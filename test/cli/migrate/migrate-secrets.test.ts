import { describe, expect, test } from 'vitest';
import { substitute } from '../../../src/config/environment.ts';
import { type JsonValue, valueAt } from '../../../src/lib/json.ts';
import { configOf, keyturn, type Machine, machineWith } from './former-machine.ts';

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
      tools: { mcpServers: { notes: { command: 'notes', args: [style] } } },
    };
    const files = { 'config.json': JSON.stringify(config), 'workspace/SOUL.md': text };
    const machine = await machineWith('nanobot', files);
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes']).status).toBe(0);
    const read = started(machine, { PRIVATE: 'hunter2hunter2' });
    expect(valueAt(read, ['agent', 'instructions'])).toBe(text);
    expect(valueAt(read, ['mcp_servers', 'notes', 'args'])).toEqual([style]);
    expect(JSON.stringify(read)).not.toContain('hunter2');
  });
});
