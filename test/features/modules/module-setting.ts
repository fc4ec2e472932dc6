import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../../src/lib/log.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import { newFolder } from '../../support/new-folder.ts';
import { Changes } from '../../support/wait-for.ts';

/** A log that keeps its errors and warnings, as lines. */
export class KeptLog implements Log {
  readonly lines: string[] = [];
  readonly changes = new Changes();
  readonly #note = (fields: object, words?: string): void => {
    const err: unknown = Reflect.get(fields, 'err');
    this.lines.push(`${words ?? ''} ${JSON.stringify(fields)} ${err instanceof Error ? err.message : ''}`);
    this.changes.notify();
  };

  readonly debug = (): void => {};
  readonly info = this.#note;
  readonly warn = this.#note;
  readonly error = this.#note;

  child(): Log {
    return this;
  }

  clear(): void {
    this.lines.length = 0;
  }

  /** Resolves when a line holds the words. */
  async says(words: string): Promise<void> {
    const look = (): boolean => this.lines.some((line) => line.includes(words));
    await this.changes.waitFor(look, { what: `the log to say ${words}`, describe: () => this.lines.join('\n') });
  }
}

/** A tool that says this when it is called. */
export function toolFile(name: string, says: string): string {
  return `import { defineTool, llmOnly, z } from '@keyturn/sdk/tool';
export const ${name}: unknown = defineTool({
  name: '${name}',
  category: 'network_read',
  description: 'Says something.',
  input: z.object({ to: z.string().default('you') }),
  describeCall: ({ to }) => \`say something to \${to}\`,
  execute: async ({ to }, { sender }) => llmOnly(\`${says} to \${to} for \${sender.name}\`),
});
`;
}

export interface ModuleSetting {
  readonly folder: string;
  readonly setting: DaemonSetting;
  readonly log: KeptLog;
  /** Writes a file again. */
  readonly write: (name: string, text: string) => Promise<void>;
  /** An owner trusts what waits. */
  readonly trustAll: () => Promise<void>;
}

/** The same, when somebody has talked and an owner has trusted what waits: the first file is loaded. */
export async function loadedModule(...given: Parameters<typeof moduleSetting>): Promise<ModuleSetting> {
  const one = await moduleSetting(...given);
  await one.setting.channel.ask('hi', 'The tool module');
  await one.trustAll();
  await one.log.says('file of tools was loaded');
  return one;
}

/** A daemon with these files of tools, of which the first is in the config, unless the config says otherwise. */
export async function moduleSetting(
  files: Readonly<Record<string, string>>,
  options: DaemonSettingOptions = {},
): Promise<ModuleSetting> {
  const folder = await newFolder();
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const [first = ''] = Object.keys(files);
  const log = new KeptLog();
  const config = { tool_modules: [join(folder, first)], ...options.config };
  const setting = await daemonSetting({ ...options, log, config });
  const trustAll = async (): Promise<void> => {
    log.clear();
    const rows = setting.rows('SELECT asked_id FROM trusted WHERE asked_id IS NOT NULL');
    await setting.channel.say(`/trust ${rows.map(({ asked_id }) => String(asked_id)).join(' ')}`);
  };
  return { folder, setting, log, write, trustAll };
}
