import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../src/lib/json.ts';

const programs = join(import.meta.dirname, 'plugins');
const examples = join(import.meta.dirname, '../../examples/plugins');

/** Puts a plugin of the tests, or an example, into a folder. */
export async function copyPlugin(name: 'once' | 'dice', folder: string): Promise<string> {
  const target = join(folder, name);
  await cp(join(name === 'dice' ? examples : programs, name), target, { recursive: true });
  return target;
}

/** Puts a plugin of commands, or whatever the manifest says, into a folder. */
export async function writePlugin(
  folder: string,
  manifest: JsonObject | string,
  name = 'plugin',
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const target = join(folder, name);
  await mkdir(target, { recursive: true });
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest, null, 2);
  await writeFile(join(target, 'plugin.json'), text);
  for (const [path, content] of Object.entries(files)) await writeFile(join(target, path), content);
  return target;
}

/** A manifest with one command, `greet`. */
export const greeter = {
  name: 'greeter',
  version: '1.0.0',
  description: 'Greets people.',
  tools: [{ name: 'greet', description: 'Greets.', parameters: { name: 'string' }, command: 'echo Hello, {{name}}' }],
} as const;

const troublesomeTools = [
  ...['say', 'arguments', 'params', 'count', 'environment', 'people', 'sorry', 'number', 'nonsense', 'refuse'],
  ...`wait_for open obedient hang crash garbage flood leave leave_a_child children touch`.split(/\s+/),
];

/** Puts the plugin into a folder whose program does well and badly, as it is asked to. `begin`: what it does first. */
export async function writeTroublesome(folder: string, changed: JsonObject = {}, begin = ''): Promise<string> {
  const target = await writePlugin(
    folder,
    {
      name: 'troublesome',
      version: '1.0.0',
      description: 'Does well and badly.',
      execution: 'binary',
      binary: { path: 'program.mjs', long_lived: true },
      tools: troublesomeTools.map((name) => ({
        name,
        description: `Does ${name}.`,
        category: name === 'touch' ? 'filesystem_read' : 'shell',
        parameters: { type: 'object', additionalProperties: true },
      })),
      ...changed,
    },
    'troublesome',
  );
  const program = await readFile(join(programs, 'troublesome/program.mjs'), 'utf8');
  await writeFile(join(target, 'program.mjs'), begin === '' ? program : `${program}\n${begin}\n`);
  return target;
}
